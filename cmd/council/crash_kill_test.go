package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/ledger"
)

// undisturbed is a session that nothing happened to.
type undisturbed struct {
	operations []string // on the disk, by name
	files      map[string]string
	calls      int
}

// undisturbed runs a session in a folder and clears it for the next: the charter names the folder, so that sessions in
// others differ.
func (m *market) undisturbed(t *testing.T, dir string) undisturbed {
	t.Helper()
	plan := &filetest.Plan{}
	tr := m.trial(t, dir, "undisturbed-"+dir)
	tr.wants(tr.convene(plan), cli.ExitOK)
	u := undisturbed{operations: plan.Operations(), files: tr.files()}
	u.calls, _ = m.bill(tr.key)
	tr.wants(tr.run(nil, "verify", crashSession), cli.ExitOK)
	tr.clear()
	return u
}

// strike is one operation and how it is struck.
type strike struct {
	on     string
	moment filetest.Moment
}

// torn are writes that leave a torn line or a file in the making, each in a file of its own.
var torn = []string{"write events.json #12", "write m2.jsonl #5", "write journal.jsonl #1", "write transcript.md #9",
	"write .session.json.tmp #3"}

// strikes returns the torn writes, and of all operations before, half-way and after every stride-th. The long version
// takes all, or every COUNCIL_EVERY-th.
func strikes(operations []string, stride int) []strike {
	var all []strike
	for _, on := range operations {
		all = append(all, strike{on, filetest.Before}, strike{on, filetest.After})
		if strings.HasPrefix(on, "write ") { // other operations have no half
			all = append(all, strike{on, filetest.Half})
		}
	}
	var some []strike
	if counciltest.Long() {
		stride = 1
		if every, err := strconv.Atoi(os.Getenv("COUNCIL_EVERY")); err == nil && every > 0 {
			stride = every
		}
	} else {
		for _, on := range torn {
			some = append(some, strike{on, filetest.Half})
		}
	}
	for i := 0; i < len(all); i += stride {
		some = append(some, all[i])
	}
	return some
}

// each does a trial for every strike at a session of three members, each with another variant of it. The long version
// does so with each variant, at a session of nine, in two lanes.
func each(t *testing.T, stride, variants int, do func(tr *trial, u undisturbed, s strike, variant int)) {
	m := newMarket(t, counciltest.Often(3, 9))
	dir := t.TempDir()
	folder := func(lane int) string { return filepath.Join(dir, fmt.Sprint(lane), "site") } // in the names of operations
	first := m.undisturbed(t, folder(0))
	all := strikes(first.operations, stride)
	var next atomic.Int64
	t.Run("lanes", func(t *testing.T) {
		for lane := range counciltest.Often(1, 2) {
			t.Run(fmt.Sprint(lane), func(t *testing.T) {
				t.Parallel()
				u := first
				if lane > 0 {
					u = m.undisturbed(t, folder(lane))
				}
				trials := len(all) * counciltest.Often(1, variants)
				for n := int(next.Add(1)) - 1; n < trials; n = int(next.Add(1)) - 1 {
					tr := m.trial(t, folder(lane), fmt.Sprintf("trial-%d", n))
					do(tr, u, all[n%len(all)], (n%len(all)+n/len(all))%variants)
					tr.clear()
				}
			})
		}
	})
	t.Logf("%d strikes at %d operations of a session of %d calls", len(all), len(first.operations), first.calls)
}

var doubted = regexp.MustCompile(`(?m)^  \S+ of (\S+) \(`)

// resumed goes on with a session that was cut off, once, and holds the result against the undisturbed one.
func (tr *trial) resumed(u undisturbed, what string) {
	tr.Helper()
	code := tr.resume(&filetest.Plan{}, crashSession)
	if code == cli.ExitError {
		// It had not begun: nothing is there to go on with, and nothing was paid.
		if calls, _ := tr.market.bill(tr.key); calls != 0 {
			tr.Fatalf("%s: it does not resume after %d calls:\n%s", what, calls, &tr.errs)
		}
		code = tr.convene(&filetest.Plan{})
	}
	if code != cli.ExitOK {
		tr.Fatalf("%s: it does not resume: exit code %d\n%s", what, code, &tr.errs)
	}
	listed := map[string]bool{}
	for _, match := range doubted.FindAllStringSubmatch(tr.errs.String(), -1) {
		if listed[match[1]] {
			tr.Errorf("%s: two questions of %s are in doubt:\n%s", what, match[1], &tr.errs)
		}
		listed[match[1]] = true
	}
	calls, again := tr.market.bill(tr.key)
	bought := 0
	for seat, n := range again {
		if bought += n; n > 1 || !listed[seat] {
			tr.Errorf("%s: %d replies of %s were bought again, and %v were in doubt", what, n, seat, listed)
		}
	}
	if calls != u.calls+bought {
		tr.Errorf("%s: %d calls, %d of them again; undisturbed it takes %d", what, calls, bought, u.calls)
	}
	if diff := cmp.Diff(u.files, tr.files()); diff != "" {
		tr.Fatalf("%s: the record differs (-undisturbed +resumed):\n%.4000s", what, diff)
	}
	if code := tr.run(&filetest.Plan{}, "record", "audit", "verify"); code != cli.ExitOK {
		tr.Fatalf("%s: the ledger does not hold: exit code %d\n%s%s", what, code, &tr.out, &tr.errs)
	}
}

// struck reports whether a plan struck. Only in the ledger it need not: calls that begin together are entered together,
// and there are fewer writes then.
func (tr *trial) struck(plan *filetest.Plan) bool {
	tr.Helper()
	if plan.Struck() == "" && !strings.Contains(plan.On, " audit") {
		tr.Fatalf("it was not struck at %s\n%s", plan.On, &tr.errs)
	}
	return plan.Struck() != ""
}

// TestCrashKill_KilledAtAnyWriteItResumesToTheSameBytes is the whole command with a document that is rejected once.
func TestCrashKill_KilledAtAnyWriteItResumesToTheSameBytes(t *testing.T) {
	counciltest.NotUnderRace(t)
	each(t, 457, 1, func(tr *trial, u undisturbed, s strike, _ int) {
		plan := &filetest.Plan{On: s.on, Moment: s.moment}
		tr.convene(plan)
		if tr.struck(plan) {
			tr.resumed(u, fmt.Sprintf("killed at %s, moment %d", s.on, s.moment))
		}
	})
}

// TestCrashKill_ADiskThatFailsCostsNothing lets each operation fail, once or with all later ones of its kind, and holds
// the session that is resumed on a mended disk against one that nothing happened to.
func TestCrashKill_ADiskThatFailsCostsNothing(t *testing.T) {
	counciltest.NotUnderRace(t)
	faults := []filetest.Plan{{Err: syscall.ENOSPC, Forever: true}, {Err: syscall.EIO}, {Err: syscall.ENOSPC},
		{Err: syscall.EIO, Forever: true}}
	each(t, 797, len(faults), func(tr *trial, u undisturbed, s strike, variant int) {
		if s.moment == filetest.After {
			return // it was done: nothing failed
		}
		fault := &faults[variant]
		what := fmt.Sprintf("%v (for ever: %t) at %s, moment %d", fault.Err, fault.Forever, s.on, s.moment)
		plan := &filetest.Plan{On: s.on, Moment: s.moment, Err: fault.Err, Forever: fault.Forever}
		code := tr.convene(plan)
		if !tr.struck(plan) {
			return
		}
		if code == cli.ExitOK {
			if strings.HasPrefix(s.on, "truncate "+crashSession+".lock #2") {
				return // to strike out the holder's name is for people; the kernel gives the lock back
			}
			if strings.Contains(s.on, "audit.head") ||
				strings.Contains(tr.errs.String(), "the end of this run is not in the ledger") {
				return // the head may lag behind, and a run without an end counts as cut off
			}
			lines, _ := os.ReadFile(filepath.Join(tr.root(), ledger.Folder, "audit.jsonl"))
			if bytes.Count(lines, []byte(`"type":"settled"`)) < bytes.Count(lines, []byte(`"type":"call"`)) {
				return // what the call took could not be noted: it counts with its estimate
			}
		}
		if code != cli.ExitError || !strings.Contains(tr.errs.String(), "council resume") {
			tr.Fatalf("%s: exit code %d, and it says:\n%s", what, code, &tr.errs)
		}
		if fault.Forever {
			sick := &filetest.Plan{At: 1, Err: fault.Err, Forever: true}
			if code := tr.resume(sick, crashSession); code != cli.ExitError {
				tr.Fatalf("%s: exit code %d while it lasts:\n%s", what, code, &tr.errs)
			}
		}
		tr.resumed(u, what)
	})
}
