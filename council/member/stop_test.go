package member

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/time/rate"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// of returns a question to a member.
func of(id council.MemberID, shared string) *prompt.Prompt {
	return &prompt.Prompt{
		Digest: string(id), System: prompt.System{Shared: shared},
		View: council.View{Ask: council.Ask{ID: council.AskID("nominate." + id), Member: id}},
	}
}

// A session that waited out a Retry-After, its own rate limit or another member's first word went on waiting after
// Ctrl-C.
func TestStop_AStopEndsACallThatWaits(t *testing.T) {
	shared := strings.Repeat("x", minSharedBytes)
	for name, test := range map[string]struct {
		model func(*fake) Model
		calls int
	}{
		"for another try": {func(f *fake) Model { return Retry(TrackCalls(f), DefaultRetryPolicy()) }, 1},
		"for its turn": {func(f *fake) Model {
			l := rate.NewLimiter(rate.Every(time.Minute), 1)
			l.Allow()
			return Limit(TrackCalls(f), l, time.Now)
		}, 0},
		"for a first word": {func(f *fake) Model {
			p := &Prefixes{Now: time.Now}
			p.known.Store([2]string{"here", shared}, &prefix{now: time.Now, lead: make(chan struct{})})
			return p.Share(TrackCalls(f), "here")
		}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := &fake{steps: []step{fails(council.FaultRate, true, 2*time.Minute)}}
				stop, start := NewStop(), time.Now()
				asked := make(chan []council.MemberID, 1)
				time.AfterFunc(time.Second, func() { asked <- stop.Ask() })
				_, err := test.model(f).Complete(stop.In(t.Context()), of("ada", shared))
				if kindOf(err) != council.FaultCancelled || !strings.Contains(err.Error(), "interrupted") {
					t.Errorf("it ended with %v", err)
				}
				inHand := <-asked
				if took := time.Since(start); took != time.Second || len(f.asked) != test.calls || len(inHand) > 0 {
					t.Errorf("%d calls in %s, and %v in hand", len(f.asked), took, inHand)
				}
				if test.calls > 0 && callErrorOf(err).Usage.InputTokens != 2 {
					t.Errorf("what the first try cost is lost: %+v", callErrorOf(err).Usage)
				}
			})
		})
	}
}

func TestStop_AStopWaitsForACallThatWasSentAndSendsNoOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{steps: []step{{text: "not a vote", takes: time.Minute}}}
		tape, stop := &tape{}, NewStop()
		ctx := stop.In(t.Context())
		asked := make(chan []council.MemberID, 1)
		time.AfterFunc(time.Second, func() { asked <- stop.Ask() })
		m := WithCallLog(Retry(TrackCalls(f), DefaultRetryPolicy()), tape)
		if c, err := m.Complete(ctx, of("ada", "")); err != nil || c.Text == "" {
			t.Errorf("the call that was sent: %q, %v", c.Text, err)
		}
		if inHand := <-asked; !slices.Equal(inHand, []council.MemberID{"ada"}) {
			t.Errorf("in hand: %v", inHand)
		}
		if _, err := m.Complete(ctx, of("bob", "")); kindOf(err) != council.FaultCancelled || len(f.asked) != 1 {
			t.Errorf("another was put: %v", err)
		}
		if c, err := m.Complete(ctx, of("ada", "")); err != nil || c.Text == "" {
			t.Errorf("what is on the tape is not used: %v", err)
		}
		want := []string{"looked for ada", "asked ada", "answered ada", "looked for bob", "recalled ada"}
		if !slices.Equal(tape.notes, want) || len(stop.Ask()) > 0 {
			t.Errorf("%v", tape.notes)
		}
	})
}

func TestStop_ACancelledContextIsNoStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(NewStop().In(t.Context()))
		time.AfterFunc(time.Second, cancel)
		f := &fake{steps: []step{fails(council.FaultRate, true, 2*time.Minute)}}
		_, err := Retry(TrackCalls(f), DefaultRetryPolicy()).Complete(ctx, of("ada", ""))
		check.ErrorIs(t, "it", context.Canceled, err)
	})
}

func TestAbandon_EndsUnansweredQuestions(t *testing.T) {
	ask := func(id council.AskID) *prompt.Prompt {
		return &prompt.Prompt{Digest: string(id), View: council.View{Ask: council.Ask{ID: id}}}
	}
	known := map[string]prompt.Completion{"answered": {Text: "from the tape"}}
	f := &fake{steps: []step{{text: "x"}}}
	tp := &tape{replies: known}
	m := WithCallLog(Abandon(f, map[council.AskID]bool{"put": true, "answered": true}), tp)
	for id, want := range map[council.AskID]struct {
		text string
		kind council.FaultKind
	}{"put": {"", council.FaultAbandoned}, "answered": {"from the tape", ""}, "other": {"x", ""}} {
		c, err := m.Complete(t.Context(), ask(id))
		if c.Text != want.text || kindOf(err) != want.kind {
			t.Errorf("%s: %q, %v", id, c.Text, err)
		}
	}
	check.Is(t, "calls, one", 1, len(f.asked))
	if council.FaultAbandoned.Curable() {
		t.Error("it would suspend the session again and again")
	}
}
