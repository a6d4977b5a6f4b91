package main

import (
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/ledger"
)

// entered returns type and action of what the ledger of a workplace holds of some types.
func (d *workplace) entered(types ...audit.Type) (all []string) {
	d.Helper()
	root := check.Get(recorder.FindRoot(d.root))(d)
	defer root.Close()
	for e, err := range ledger.Read(root.Files(), 1) {
		if err != nil {
			d.Fatal(err)
		}
		for _, t := range types {
			if e.Type == t {
				all = append(all, string(t)+" "+e.Action)
			}
		}
	}
	return all
}

func TestWhatIsDoneStandsInTheLedger(t *testing.T) {
	counciltest.NotUnderRace(t)
	d, _ := briefed(t)
	d.approve()
	d.run(cli.ExitOK, "approve", "--started")
	d.run(cli.ExitOK, "approve", "--finished", "ok")
	d.run(cli.ExitOK, "memory", "add", "--kind", "constraint", "We deploy on Mondays.")
	d.run(cli.ExitOK, "memory", "forget", "--phrase", "Mondays", "--yes")
	want := []string{"session closed", "approval execution approved", "approval execution started",
		"approval execution finished, succeeded: true", "memory add", "memory forget"}
	check.Equal(t, "it", want, d.entered(audit.TypeSession, audit.TypeApproval, audit.TypeMemory))
	d.run(cli.ExitOK, "record", "audit", "--session", "latest", "--type", "session", "--last", "7d")
	d.says(&d.out, "closed, event e")
	if out := d.out.String(); strings.Count(out, "\n") != 2 {
		t.Error(out)
	}
	d.run(cli.ExitOK, "record", "audit", "--json", "--type", "approval")
	if out := d.out.String(); strings.Count(out, `"by":"tester"`) != 3 || strings.Contains(out, "\n\n") {
		t.Error(out)
	}
	d.run(cli.ExitUsage, "record", "audit", "--type", "calls")
	if errs := d.errs.String(); !strings.Contains(errs, "call") {
		t.Error(errs)
	}
	d.run(cli.ExitUsage, "record", "audit", "--last", "yesterday")
	d.run(cli.ExitOK, "record", "audit", "verify")
	if out := d.out.String(); !strings.Contains(out, "Sessions: 1 of 1 agree") {
		t.Error(out)
	}
}
