package main

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/conversation"
)

// doubtful returns a session that was killed when the reply to m2's turn had been paid for and was about to be written.
func doubtful(t *testing.T) *trial {
	tr := newMarket(t, 3).trial(t, t.TempDir(), "doubt")
	plan := &filetest.Plan{On: "write m2.jsonl #6"}
	tr.convene(plan)
	tr.struck(plan)
	return tr
}

// sessions are the files of the session, without locks.
func (tr *trial) sessionFiles() map[string]string {
	files := tr.files()
	maps.DeleteFunc(files, func(name, _ string) bool { return !strings.HasPrefix(name, "sessions/") })
	return files
}

func TestAQuestionInDoubtCanBeGivenUp(t *testing.T) {
	counciltest.NotUnderRace(t)
	tr := doubtful(t)
	tr.wants(tr.resume(nil, crashSession, "--ambiguous", "sometimes"), cli.ExitUsage)
	tr.wants(tr.resume(nil, crashSession, "--ambiguous=absent"), cli.ExitOK)
	if _, again := tr.market.bill(tr.key); len(again) != 0 {
		t.Errorf("bought again: %v", again)
	}
	log := tr.files()["sessions/"+crashSession+"/events.json"]
	if !strings.Contains(log, `"type":"MEMBER_FAULTED","phaseId":"decide"`) ||
		strings.Count(log, `"kind":"abandoned"`) != 1 {
		t.Error("the record does not say that the question was given up")
	}
	if text := tr.files()["sessions/"+crashSession+"/transcript.md"]; !strings.Contains(text,
		"the question was not put a second time") {
		t.Error("the transcript does not say that the question was given up")
	}
	tr.wants(tr.run(nil, "verify", crashSession), cli.ExitOK)
}

// forge writes m2's conversation again, well-formed, as if its last question had been another.
func (tr *trial) forge(change func(*conversation.Line)) {
	tr.Helper()
	path := filepath.Join(tr.root(), "sessions", crashSession, filepath.FromSlash(conversation.FileName("m2")))
	text := check.Get(os.ReadFile(path))(tr)
	found := check.Get(conversation.Scan(crashSession, "m2", text))(tr)
	change(&found.Lines[len(found.Lines)-1])
	change(&found.Lines[0])
	forged := check.Get(conversation.New(crashSession, "m2").Next(found.Lines...))(tr)
	check.OK(tr, os.WriteFile(path, forged, 0o600))
}

// TestADivergedSessionIsRefusedAndLeftAlone: when prompts change between two versions, a question that was put before
// is not the one that would be put now.
func TestADivergedSessionIsRefusedAndLeftAlone(t *testing.T) {
	counciltest.NotUnderRace(t)
	for name, test := range map[string]struct {
		change func(*conversation.Line)
		words  string
	}{
		"the question": {func(l *conversation.Line) {
			if l.Role == conversation.RoleUser {
				l.PromptSHA256 = council.Digest("another")
				last := &l.Messages[len(l.Messages)-1]
				last.Content = strings.Replace(last.Content, "Your turn", "Your hour", 1)
			}
		}, `was "Your hour: phase decide`},
		"the persona": {func(l *conversation.Line) {
			if l.Role == conversation.RoleUser {
				l.PromptSHA256 = council.Digest("another")
			}
			l.Persona = strings.Replace(l.Persona, "Member m2", "Somebody", 1)
		}, "what the member is told about itself"},
		"the opening": {func(l *conversation.Line) {
			if l.Role == conversation.RoleUser {
				l.PromptSHA256 = council.Digest("another")
			} else {
				l.SharedSHA256 = council.Digest("another")
			}
		}, "what all members are told at first"},
	} {
		t.Run(name, func(t *testing.T) {
			tr := doubtful(t)
			tr.forge(test.change)
			before := tr.sessionFiles()
			calls, _ := tr.market.bill(tr.key)
			tr.wants(tr.resume(nil, crashSession), cli.ExitError)
			check.Says(t, tr.errs.String(), "the conversation of m2 has diverged at p1.r1.t2.turn.m2", test.words, "began it")
			check.Equal(t, "something was written", before, tr.sessionFiles())
			if now, _ := tr.market.bill(tr.key); now != calls {
				t.Errorf("%d calls were made", now-calls)
			}
		})
	}
}

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
