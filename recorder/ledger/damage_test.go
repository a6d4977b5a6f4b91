package ledger_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/council-engine/council/council/audit"
	"github.com/council-engine/council/internal/atomicfile"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/ledger"
)

func TestVerify_FindsEveryTampering(t *testing.T) {
	counciltest.NotUnderRace(t)
	path := t.TempDir()
	add(t, ledger.Open(folder(t, path), fixed), 12)
	file := filepath.Join(path, ledger.Folder, "audit.jsonl")
	good := check.Get(os.ReadFile(file))(t)
	lines := strings.SplitAfter(string(good), "\n")
	lines = lines[:len(lines)-1]
	for i := range lines {
		flip := []byte(lines[i])
		flip[len(flip)/3] ^= 1
		for how, put := range map[string][]string{
			"flipped": {string(flip)}, "deleted": nil, "duplicated": {lines[i], lines[i]},
			"inserted before": {lines[0], lines[i]}, "swapped": {lines[(i+1)%len(lines)]},
		} {
			changed := strings.Join(lines[:i], "") + strings.Join(put, "") + strings.Join(lines[i+1:], "")
			check.OK(t, os.WriteFile(file, []byte(changed), 0o600))
			files := folder(t, path)
			if err := check.Err(ledger.Verify(files, nil)); !errors.Is(err, ledger.ErrDamaged) {
				t.Errorf("line %d %s: %v", i+1, how, err)
			}
			err := check.Err(ledger.Open(files, fixed).Append(call(1)))
			check.That(t, errors.Is(err, ledger.ErrDamaged) && errors.Is(err, ledger.ErrUnwritten),
				"line %d %s: an entry was appended, %v", i+1, how, err)
		}
	}
	check.OK(t, os.WriteFile(file, good, 0o600))
	check.Is(t, "entries of 12", 12, whole(t, folder(t, path)))
}

func TestVerify_NamesTheLine(t *testing.T) {
	path := t.TempDir()
	add(t, ledger.Open(folder(t, path), fixed), 3)
	file := filepath.Join(path, ledger.Folder, "audit.jsonl")
	good, err := os.ReadFile(file)
	check.OK(t, err)
	check.OK(t, os.WriteFile(file, []byte(strings.Replace(string(good), `"n":2`, `"n":7`, 1)), 0o600))
	_, err = ledger.Verify(folder(t, path), func(audit.Entry) {})
	at := strings.Index(string(good), `{"n":2`)
	want := fmt.Sprintf("audit/audit.jsonl is damaged at entry 2, byte %d: "+
		"line 3: its sum does not follow from the lines before it", at)
	check.That(t, err != nil && err.Error() == want, "%v, want %s", err, want)
}

func TestAppend_GoesOnAfterAnyFailure(t *testing.T) {
	counciltest.NotUnderRace(t)
	run := func(plan *filetest.Plan) (files atomicfile.Files, told []int64) {
		files = folder(t, t.TempDir())
		l := ledger.Open(plan.Watch(files), fixed)
		for range 8 {
			if seq, err := l.Append(call(1)); err == nil {
				told = append(told, seq)
			}
		}
		return files, told
	}
	all := &filetest.Plan{NoSync: true}
	run(all)
	for at := 1; at <= all.Count(); at++ {
		for _, moment := range []filetest.Moment{filetest.Before, filetest.Half, filetest.After} {
			for _, fault := range []error{nil, syscall.ENOSPC} {
				plan := &filetest.Plan{At: at, Moment: moment, Err: fault, NoSync: true}
				files, told := run(plan)
				where := fmt.Sprintf("struck at %d, %s, moment %d, %v", at, plan.Struck(), moment, fault)
				l := ledger.Open(files, fixed)
				day := spent(t, l)
				seq, err := l.Append(call(1))
				if err != nil {
					t.Fatalf("%s: %v", where, err)
				}
				n := whole(t, files)
				if n != seq || n-1 < int64(len(told)) || len(told) > 0 && told[len(told)-1] >= seq || day != n-1 {
					t.Fatalf("%s: %d entries, told %v, then %d; a day of %d", where, n, told, seq, day)
				}
			}
		}
	}
}

func TestAppend_StopsAfterAFailedSync(t *testing.T) {
	plan := &filetest.Plan{On: "sync audit.jsonl #1", Err: syscall.EIO}
	files := folder(t, t.TempDir())
	l := ledger.Open(plan.Watch(files), fixed)
	add(t, l, 1)
	for range 2 {
		_, err := l.Append(call(1))
		check.That(t, errors.Is(err, syscall.EIO) && errors.Is(err, ledger.ErrUnwritten), "%v", err)
	}
}

func TestAppend_LeavesANewerLedgerAlone(t *testing.T) {
	path := t.TempDir()
	add(t, ledger.Open(folder(t, path), fixed), 1)
	file := filepath.Join(path, ledger.Folder, "audit.jsonl")
	text := check.Get(os.ReadFile(file))(t)
	check.OK(t, os.WriteFile(file, []byte(strings.Replace(string(text), `"format":1`, `"format":2`, 1)), 0o600))
	files := folder(t, path)
	_, appended := ledger.Open(files, fixed).Append(call(1))
	for _, err := range ledger.Read(files, 1) {
		check.ErrorIs(t, "read", ledger.ErrNewer, err)
	}
	check.That(t, errors.Is(appended, ledger.ErrNewer) && strings.Contains(fmt.Sprint(appended), "format 2"),
		"appended: %v", appended)
}

func TestAppend_RefusesAReadOnlyLedger(t *testing.T) {
	if os.Getuid() == 0 {
		t.Skip("the superuser may write everywhere")
	}
	path := t.TempDir()
	add(t, ledger.Open(folder(t, path), fixed), 1)
	check.OK(t, os.Chmod(filepath.Join(path, ledger.Folder, "audit.jsonl"), 0o400))
	check.ErrorIs(t, "it", ledger.ErrUnwritten, check.Err(ledger.Open(folder(t, path), fixed).Append(call(1))))
}
