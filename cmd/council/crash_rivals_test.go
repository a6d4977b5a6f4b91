package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/counciltest"
)

// apart returns the same folder, for another process: with streams and a key of its own.
func (tr *trial) apart(key string) *trial {
	return &trial{TB: tr.TB, market: tr.market, key: key, dir: tr.dir, signals: make(chan os.Signal, 2)}
}

var holder = regexp.MustCompile(fmt.Sprintf(`session %s is in use by process %d on \S+`, crashSession, os.Getpid()))

// TestOneOfTwoResumesWins resumes one session twice at once. The winner's first call is held until the loser is gone.
func TestOneOfTwoResumesWins(t *testing.T) {
	m := newMarket(t, 3)
	gone := make(chan struct{})
	m.front = func(_ http.ResponseWriter, g marketCall) bool {
		if strings.HasPrefix(g.key, "rival-") {
			<-gone
		}
		return false
	}
	dir := filepath.Join(t.TempDir(), "site")
	u := m.undisturbed(t, dir)
	for n := range counciltest.Often(2, 500) {
		gone = make(chan struct{})
		tr := m.trial(t, dir, fmt.Sprintf("first-%d", n))
		tr.convene(&filetest.Plan{On: "write events.json #5"}) // killed
		type end struct {
			*trial
			code int
		}
		ends := make(chan end, 2)
		for i := range 2 {
			rival := tr.apart(fmt.Sprintf("rival-%d-%d", n, i))
			go func() { ends <- end{rival, rival.resume(&filetest.Plan{}, crashSession)} }()
		}
		loser := <-ends
		close(gone)
		winner := <-ends
		if loser.code != cli.ExitSuspended || !holder.MatchString(loser.errs.String()) {
			t.Fatalf("trial %d: the loser's exit code is %d, and it says:\n%s", n, loser.code, &loser.errs)
		}
		if calls, _ := m.bill(loser.key); calls != 0 {
			t.Errorf("trial %d: the loser made %d calls", n, calls)
		}
		winner.wants(winner.code, cli.ExitOK)
		if got := tr.files(); len(got) != len(u.files) ||
			got["sessions/"+crashSession+"/events.json"] != u.files["sessions/"+crashSession+"/events.json"] {
			t.Errorf("trial %d: the record differs from one that nobody fought for", n)
		}
		tr.wants(tr.run(nil, "verify", crashSession), cli.ExitOK)
		tr.clear()
	}
}
