package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder"
	"github.com/council-engine/council/recorder/conversation"
)

// finishes resumes a suspended session, and holds it against its words and its bill.
func (tr *trial) finishes(kind council.FaultKind, words string, flags ...string) {
	tr.Helper()
	tr.wants(tr.run(nil, "sessions"), cli.ExitOK)
	check.Says(tr, tr.out.String(), "suspended ("+string(kind)+": ", words)
	tr.wants(tr.run(nil, append([]string{"resume", "--quiet"}, flags...)...), cli.ExitOK)
	if _, again := tr.market.bill(tr.key); len(again) != 0 {
		tr.Errorf("bought again: %v", again)
	}
	tr.wants(tr.run(nil, "verify"), cli.ExitOK)
}

// TestSession_SuspendedByTroubleIsResumedAndPaysForNothingTwice lets every call fail from the 11th on. How each trouble
// is told from others is tested in council/member/endpoint.
func TestSession_SuspendedByTroubleIsResumedAndPaysForNothingTwice(t *testing.T) {
	for name, test := range map[string]struct {
		trouble func(http.ResponseWriter)
		kind    council.FaultKind
		words   string
		tries   bool // it is tried again
	}{
		"an outage": {hangUp, council.FaultTransport, "tried 6 times", true},
		"a rate limit beyond patience": {func(w http.ResponseWriter) {
			w.Header().Set("Retry-After", "3600")
			counciltest.Refuse(w, http.StatusTooManyRequests, `{"error":{"message":"Slow down, please."}}`)
		}, council.FaultRate, "Slow down, please. (the provider asks to wait 1h0m0s; at most 4m0s was allowed)", false},
		"a key that was withdrawn": {func(w http.ResponseWriter) {
			counciltest.Refuse(w, http.StatusUnauthorized,
				`{"error":{"message":"The key crash-key-0123456789 was withdrawn."}}`)
		}, council.FaultAuth, "was withdrawn", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMarket(t, 3)
			var calls, waits atomic.Int64
			var open atomic.Bool
			m.front = func(w http.ResponseWriter, _ counciltest.Call) bool {
				if open.Load() || calls.Add(1) <= 10 {
					return false
				}
				test.trouble(w)
				return true
			}
			tr := m.trial(t, t.TempDir(), "crash-key-0123456789")
			tr.wait = func(context.Context, time.Duration) error { waits.Add(1); return nil }
			tr.wants(tr.convene(nil), cli.ExitSuspended)
			if (waits.Load() > 0) != test.tries {
				t.Errorf("it waited %d times", waits.Load())
			}
			check.NeverSays(t, tr.errs.String(), tr.key)
			open.Store(true)
			tr.finishes(test.kind, test.words)
			check.NeverSays(t, readAll(t, tr.root()), tr.key)
		})
	}
}

// TestCrashSuspend_CtrlCFinishesWhatIsInHand: the first one waits for the calls that are under way, the second cuts
// them off. Either way resume finishes the session; what was cut off is in doubt, and what was waited for is not.
func TestCrashSuspend_CtrlCFinishesWhatIsInHand(t *testing.T) {
	for _, twice := range []bool{false, true} {
		m := newMarket(t, 3)
		tr := m.trial(t, t.TempDir(), "ctrl-c")
		said := &sight{words: "Stopping.", seen: make(chan struct{})}
		var pressed atomic.Bool
		m.front = func(_ http.ResponseWriter, g counciltest.Call) bool {
			if g.Contract != "reply_turn" || g.Model != "m2" || !pressed.CompareAndSwap(false, true) {
				return false
			}
			tr.signals <- os.Interrupt
			<-said.seen
			if twice {
				tr.signals <- os.Interrupt
				<-g.Context().Done() // cut off, and nobody can say whether it is billed
			}
			return false
		}
		a := tr.app()
		a.Errs = said
		args := []string{"convene", "Shall we?", "--quiet", "--config", tr.config(), "--root", tr.root()}
		tr.wants(runLine(a, t.Context(), args), cli.ExitSuspended)
		check.Says(t, said.text.String(), "Waiting for m2: ")
		check.NeverSays(t, said.text.String(), "context canceled")
		if !twice {
			tr.finishes(council.FaultCancelled, "interrupted")
			continue
		}
		tr.wants(tr.run(nil, "resume", "--quiet"), cli.ExitOK)
		check.Says(t, tr.errs.String(), "  turn of m2 (")
		tr.wants(tr.run(nil, "verify"), cli.ExitOK)
	}
}

// A session that waited as long as the servers had asked went on waiting after Ctrl-C, with nothing in hand.
func TestCrashSuspend_CtrlCEndsAWaitWithNothingInHand(t *testing.T) {
	m := newMarket(t, 3)
	var open atomic.Bool
	m.front = func(w http.ResponseWriter, _ counciltest.Call) bool {
		if !open.Load() {
			w.Header().Set("Retry-After", "100")
			w.WriteHeader(http.StatusTooManyRequests)
		}
		return !open.Load()
	}
	tr := m.trial(t, t.TempDir(), "waiting")
	var waits atomic.Int64
	tr.wait = func(ctx context.Context, _ time.Duration) error {
		if waits.Add(1) == 3 {
			tr.signals <- syscall.SIGTERM
		}
		<-ctx.Done()
		return ctx.Err()
	}
	tr.wants(tr.convene(nil), cli.ExitSuspended)
	check.Says(t, tr.errs.String(), "Stopping. No call is in hand.")
	open.Store(true)
	tr.finishes(council.FaultCancelled, "interrupted while it waited to try again: rate: ")
	check.Is(t, "resume has doubts", "", tr.errs.String())
}

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

func TestCrashSuspend_AQuestionInDoubtCanBeGivenUp(t *testing.T) {
	counciltest.NotUnderRace(t)
	tr := doubtful(t)
	tr.wants(tr.resume(nil, crashSession, "--ambiguous", "sometimes"), cli.ExitUsage)
	tr.wants(tr.resume(nil, crashSession, "--ambiguous=absent"), cli.ExitOK)
	if _, again := tr.market.bill(tr.key); len(again) != 0 {
		t.Errorf("bought again: %v", again)
	}
	log := readFile(t, tr.session("events.json"))
	check.Says(t, log, `"type":"MEMBER_FAULTED","phaseId":"decide"`)
	check.Is(t, "questions that were given up", 1, strings.Count(log, `"kind":"abandoned"`))
	check.Says(t, readFile(t, tr.session("transcript.md")), "the question was not put a second time")
	tr.wants(tr.run(nil, "verify", crashSession), cli.ExitOK)
}

// forge writes m2's conversation again, well-formed, as if its last question had been another.
func (tr *trial) forge(change func(*conversation.Line)) {
	tr.Helper()
	path := tr.session(conversation.FileName("m2"))
	text := check.Get(os.ReadFile(path))(tr)
	found := check.Get(conversation.Scan(crashSession, "m2", text))(tr)
	last := &found.Lines[len(found.Lines)-1]
	last.PromptSHA256 = council.Digest("another")
	change(last)
	change(&found.Lines[0])
	forged := check.Get(conversation.New(crashSession, "m2").Next(found.Lines...))(tr)
	check.OK(tr, os.WriteFile(path, forged, 0o600))
}

// TestCrashSuspend_ADivergedSessionIsRefusedAndLeftAlone: when prompts or rules change between two versions, a question
// that was put before is not the one that would be put now.
func TestCrashSuspend_ADivergedSessionIsRefusedAndLeftAlone(t *testing.T) {
	counciltest.NotUnderRace(t)
	const diverged = "the conversation of m2 has diverged at p1.r1.t2.turn.m2"
	tr := doubtful(t)
	restore := restorable(t, tr.root())
	for name, test := range map[string]struct {
		change func(*conversation.Line) // of the member's words, or of the last question; nil: the rules are others
		words  []string
	}{
		"the question": {func(l *conversation.Line) {
			if l.Role == conversation.RoleUser {
				last := &l.Messages[len(l.Messages)-1]
				last.Content = strings.Replace(last.Content, "Your turn", "Your hour", 1)
			}
		}, []string{diverged, `was "Your hour: phase decide`, "began it"}},
		"the persona": {func(l *conversation.Line) { l.Persona = strings.Replace(l.Persona, "Member m2", "Somebody", 1) },
			[]string{diverged, "what the member is told about itself", "began it"}},
		"the opening": {func(l *conversation.Line) {
			if l.Role != conversation.RoleUser {
				l.SharedSHA256 = council.Digest("another")
			}
		}, []string{diverged, "what all members are told at first", "began it"}},
		"the rules": {nil, []string{"version 99", "Nothing was changed"}},
	} {
		t.Run(name, func(t *testing.T) {
			tr.TB = t
			restore()
			session := crashSession
			if test.change != nil {
				tr.forge(test.change)
			} else {
				session = tr.underOtherRules()
			}
			before := tr.sessionFiles()
			calls, _ := tr.market.bill(tr.key)
			tr.wants(tr.resume(nil, session), cli.ExitError)
			check.Says(t, tr.errs.String(), test.words...)
			check.Equal(t, "something was written", before, tr.sessionFiles())
			if now, _ := tr.market.bill(tr.key); now != calls {
				t.Errorf("%d calls were made", now-calls)
			}
		})
	}
}

// underOtherRules makes a session that begins as the trial's does, under rules of a later version, and returns its id.
func (tr *trial) underOtherRules() string {
	root := check.Get(recorder.FindRoot(tr.root()))(tr)
	defer root.Close()
	opening := check.Get(root.Read(crashSession))(tr)[0].Event
	started := opening.Payload.(council.SessionStarted)
	started.Rules, started.Session = 99, "other-rules"
	opening.Payload = started
	folder := check.Get(root.Create(started.Session, tr.app().Clock()))(tr)
	check.OK(tr, folder.Append(opening))
	check.OK(tr, folder.Close())
	return string(started.Session)
}

// apart returns the same folder, for another process: with streams and a key of its own.
func (tr *trial) apart(key string) *trial {
	return &trial{TB: tr.TB, market: tr.market, key: key, dir: tr.dir, signals: make(chan os.Signal, 2)}
}

var holder = regexp.MustCompile(fmt.Sprintf(`session %s is in use by process %d on \S+`, crashSession, os.Getpid()))

// TestCrashSuspend_OneOfTwoResumesWins resumes one session twice at once. The winner's first call is held until the
// loser is gone.
func TestCrashSuspend_OneOfTwoResumesWins(t *testing.T) {
	m := newMarket(t, 3)
	gone := make(chan struct{})
	m.front = func(_ http.ResponseWriter, g counciltest.Call) bool {
		if strings.HasPrefix(g.Key, "rival-") {
			<-gone
		}
		return false
	}
	dir := filepath.Join(t.TempDir(), "site")
	u := m.undisturbed(t, dir)
	for n := range counciltest.Often(1, 500) {
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

// TestCrashSuspend_CouncilsMeetSideBySide convenes two to eight councils in one empty workspace at the same time.
func TestCrashSuspend_CouncilsMeetSideBySide(t *testing.T) {
	m := newMarket(t, 3)
	dir := filepath.Join(t.TempDir(), "site")
	for n := range counciltest.Often(1, 500) {
		tr := m.trial(t, dir, "")
		rivals := 2 + (3*n+1)%7
		codes := make([]int, rivals)
		all := make([]*trial, rivals)
		var together sync.WaitGroup
		for i := range all {
			all[i] = tr.apart(fmt.Sprintf("side-%d-%d", n, i))
			together.Go(func() {
				one := all[i]
				one.layer = (&filetest.Plan{NoSync: true}).Watch
				a := one.app()
				a.Now, a.Random = time.Now, rand.Reader
				codes[i] = runLine(a, context.Background(),
					[]string{"convene", "Shall we?", "--quiet", "--config", tr.config(), "--root", tr.root()})
			})
		}
		together.Wait()
		for i, one := range all {
			one.wants(codes[i], cli.ExitOK)
			id := filepath.Base(strings.TrimSpace(one.out.String()))
			tr.wants(tr.run(nil, "verify", id), cli.ExitOK)
			if calls, again := m.bill(one.key); calls == 0 || len(again) != 0 {
				t.Errorf("%d calls, again %v", calls, again)
			}
		}
		tr.wants(tr.run(nil, "sessions"), cli.ExitOK)
		if got := strings.Count(tr.out.String(), " awaits approval"); got != rivals {
			t.Errorf("%d of %d sessions are listed:\n%s", got, rivals, &tr.out)
		}
		tr.clear()
	}
}
