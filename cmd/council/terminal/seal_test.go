package terminal

import (
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// vote returns a session in which m1 has moved, and the ballots of m1 and m2 are in, but not that of m3.
func vote(t *testing.T) *rules.Session {
	t.Helper()
	c := counciltest.Charter(3, 1, "")
	c.Deliberation.SealedPositions = false
	started := check.Get(rules.Open("s1", council.Topic{Text: "Shall we?"}, c))(t)
	s := check.Get(rules.Replay(rules.Log(started)))(t)
	for len(s.Events()) < 12 {
		next := s.Ready().Event
		if next == nil {
			next = reply(t, s)
		}
		check.OK(t, s.Apply(*next))
	}
	return s
}

// reply answers the first question that is open.
func reply(t *testing.T, s *rules.Session) *council.Event {
	t.Helper()
	a := s.Ready().Asks[0]
	body := map[council.AskKind]council.Body{
		council.AskNominate: council.Nomination{Rationale: "Why not?", CandidateID: "m1"},
		council.AskTurn: council.Turn{Action: council.ActionCallVote, MotionTitle: "Keep", MotionText: "Keep it.",
			DecisionIfPass: "Kept."},
		council.AskSecond: council.Second{Rationale: "Now.", Second: true},
		council.AskBallot: council.Ballot{Rationale: "My secret " + string(a.Member), Ballot: council.ChoiceYes},
	}[a.Kind]
	e := check.Get(s.Answer(council.Reply{Ask: a.ID, Body: body}))(t)
	return &e
}

// watch shows the rest of a vote after what it has shown before.
func watch(t *testing.T, s *rules.Session, v *View) (before, after string) {
	t.Helper()
	var out strings.Builder
	v.Out, v.Now = &out, func() time.Time { return time.Unix(0, 0) }
	stop := v.Begin(s.Events())
	for s.Ready().Event == nil {
		e := reply(t, s)
		check.OK(t, s.Apply(*e))
		v.Observe(*e)
	}
	stop()
	before = out.String()
	e := s.Ready().Event
	check.OK(t, s.Apply(*e))
	v.Observe(*e)
	return before, strings.TrimPrefix(out.String(), before)
}

func TestNobodyWhoWatchesSeesABallotBeforeAllAreIn(t *testing.T) {
	before, after := watch(t, vote(t), &View{})
	check.NeverSays(t, before, "secret")
	// The ballots before a session went on are shown too.
	if strings.Count(after, "My secret") != 3 ||
		!strings.HasSuffix(after, "The motion: carried, 3 YES, 0 NO (2 needed).\n") {
		t.Errorf("when all are in, this is shown:\n%s", after)
	}
}

func TestSinceTellsOnlyWhatTheMemberMayKnow(t *testing.T) {
	s := vote(t)
	view := s.View(s.Ready().Asks[0])
	view.Events = s.Events() // more than it may: the ballots are sealed all the same
	if got := Since(view, 0); strings.Contains(got, "secret") || !strings.Contains(got, "Member m1 moves: Keep") {
		t.Errorf("m3 is told:\n%s", got)
	}
	if got := Since(view, 8); strings.Contains(got, "moves") {
		t.Errorf("m3 is told again:\n%s", got)
	}
}
