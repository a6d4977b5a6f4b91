package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/ledger"
)

// cutEnd takes the last events away from the log of a session, so that it is whole without them.
func cutEnd(t *testing.T, folder string, events int) {
	t.Helper()
	name := filepath.Join(folder, "events.json")
	text := check.Get(os.ReadFile(name))(t)
	lines := strings.Split(string(text), "\n")
	lines = append(lines[:len(lines)-1-events], "]")
	check.OK(t, os.WriteFile(name, []byte(strings.Join(lines, "\n")), 0o600))
}

func TestAnEndThatWasCutOffALogIsFoundByTheLedger(t *testing.T) {
	d, folder := briefed(t)
	cutEnd(t, folder, 1)
	d.run(cli.ExitFindings, "audit", "verify")
	if out := d.out.String(); !strings.Contains(out, "council resume "+filepath.Base(folder)) {
		t.Error(out)
	}
	cutEnd(t, folder, 1)
	d.run(cli.ExitDamaged, "audit", "verify")
	if out := d.out.String(); !strings.Contains(out, "it was closed at") || !strings.Contains(out, "0 of 1 agree") {
		t.Error(out)
	}
	check.OK(t, os.RemoveAll(folder))
	d.run(cli.ExitFindings, "audit", "verify")
	d.run(cli.ExitOK, "audit", "--session", filepath.Base(folder))
	d.says(&d.out, "closed, event e")
}

func TestNothingIsDoneThatCannotBeEntered(t *testing.T) {
	counciltest.NotUnderRace(t)
	d, folder := briefed(t)
	d.run(cli.ExitOK, "approve", "--show")
	sum, before := sumShown(d.out.String()), contents(t, folder)
	place, kept := filepath.Join(d.root, ledger.Folder), filepath.Join(t.TempDir(), "kept")
	check.OK(t, os.CopyFS(kept, os.DirFS(place)))
	replaced := func(old, by string) func() error {
		return func() error {
			name := filepath.Join(place, "audit.jsonl")
			text, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			return os.WriteFile(name, []byte(strings.Replace(string(text), old, by, 1)), 0o600)
		}
	}
	for _, test := range []struct {
		name  string
		spoil func() error
		code  int
	}{
		{"a changed line", replaced(`"closed"`, `"opened"`), cli.ExitDamaged},
		{"a newer version", replaced(`"format":1`, `"format":9`), cli.ExitError},
		{"a missing line", func() error { return os.Truncate(filepath.Join(place, "audit.jsonl"), 120) }, cli.ExitDamaged},
		{"no folder", func() error { return errors.Join(os.RemoveAll(place), os.WriteFile(place, nil, 0o600)) },
			cli.ExitError},
	} {
		check.OK(t, test.spoil())
		d.run(test.code, "approve", "--yes", "--sha256", sum)
		d.run(test.code, "memory", "add", "--kind", "constraint", "We deploy on Mondays.")
		d.run(test.code, "rm", filepath.Base(folder), "--yes")
		check.Equal(t, fmt.Sprintf("%s: the session was changed", test.name), before, contents(t, folder))
		if test.code == cli.ExitDamaged {
			d.run(cli.ExitDamaged, "fsck")
			d.says(&d.out, "The ledger is damaged at entry ")
			d.run(cli.ExitDamaged, "audit", "verify")
			d.says(&d.out, "Ledger:   damaged behind ")
			d.run(cli.ExitDamaged, "retry", "list")
			d.says(&d.errs, "a new ledger is then begun")
		}
		d.run(cli.ExitOK, "memory", "list")
		if strings.Contains(d.out.String(), "Mondays") {
			t.Errorf("%s: it was remembered", test.name)
		}
		check.OK(t, errors.Join(os.RemoveAll(place), os.CopyFS(place, os.DirFS(kept))))
	}
	d.run(cli.ExitOK, "approve", "--yes", "--sha256", sum)
}
