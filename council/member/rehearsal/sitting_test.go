package rehearsal_test

import (
	"context"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member/rehearsal"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/templates"
)

// sitting is a session that the rehearsal has played from its opening to its close.
type sitting struct {
	topic   council.Topic
	session *rules.Session
	replies map[council.AskID]string // as they were given, before parsing
}

// hold plays a whole session: every ask goes to the model, and every reply through the parser that real models meet.
func hold(t testing.TB, m *rehearsal.Model, c council.Charter, topic council.Topic,
	memory ...council.Reminder) *sitting {
	t.Helper()
	started := check.Get(rules.Open("s1", topic, c, memory...))(t)
	s := check.Get(rules.Replay(rules.Log(started)))(t)
	sit := &sitting{topic, s, map[council.AskID]string{}}
	for {
		ready := s.Ready()
		switch {
		case ready.Outcome != nil:
			return sit
		case ready.Event != nil:
			sit.apply(t, *ready.Event)
		default:
			sit.answer(t, m, ready.Asks[0])
		}
	}
}

func (s *sitting) apply(t testing.TB, e council.Event) {
	t.Helper()
	check.OK(t, s.session.Apply(e))
}

func (s *sitting) answer(t testing.TB, m *rehearsal.Model, a council.Ask) {
	t.Helper()
	v := s.session.View(a)
	c, err := m.Complete(context.Background(), &prompt.Prompt{View: v, Try: 1})
	if err != nil {
		t.Fatalf("%s: %v", a.ID, err)
	}
	s.replies[a.ID] = c.Text
	body, err := prompt.Parse(v, c.Text)
	if err != nil {
		t.Fatalf("%s: %v\n%s", a.ID, err, c.Text)
	}
	e, err := s.session.Answer(council.Reply{Ask: a.ID, Body: body, Usage: c.Usage})
	if err != nil {
		t.Fatalf("%s: %v\n%s", a.ID, err, c.Text)
	}
	s.apply(t, e)
}

func ready(t testing.TB, name string) council.Charter {
	t.Helper()
	doc, ok := templates.Council(name)
	if !ok {
		t.Fatalf("there is no council %s", name)
	}
	c := check.Get(config.Parse(doc))(t)
	return c
}

// spoken lists the members' words in debate and votes, with their events. Documents and summaries are left out:
// they repeat these words, as they should.
func (s *sitting) spoken() map[council.Seq]string {
	said := map[council.Seq]string{}
	for _, e := range s.session.Events() {
		switch p := e.Payload.(type) {
		case council.PositionSealed:
			said[e.Seq] = p.Position.Position
		case council.LeaderBallotCast:
			said[e.Seq] = p.Rationale
		case council.ContributionMade:
			said[e.Seq] = p.Message
		case council.TurnPassed:
			said[e.Seq] = p.Reason
		case council.SecondAnswered:
			said[e.Seq] = p.Rationale
		case council.BallotCast:
			said[e.Seq] = p.Rationale
		case council.DissentWritten:
			said[e.Seq] = p.Dissent.Dissent
		}
	}
	return said
}

// written lists everything that members wrote, whatever it was for.
func (s *sitting) written() map[council.Seq]string {
	said := s.spoken()
	for _, e := range s.session.Events() {
		switch p := e.Payload.(type) {
		case council.PositionSealed:
			said[e.Seq] += " " + strings.Join(p.Overlooked, " ")
		case council.MotionMade:
			said[e.Seq] = p.MotionText + " " + p.DecisionIfPass
		case council.SummaryWritten:
			said[e.Seq] = p.SummaryMarkdown
		case council.DraftWritten:
			said[e.Seq] = p.Markdown
		case council.ReviewGiven:
			for _, b := range p.CriticalBlockers {
				said[e.Seq] += " " + b.RequiredChange
			}
			said[e.Seq] += " " + strings.Join(p.SuggestedChanges, " ")
		}
	}
	return said
}

func payloads[P council.Payload](s *sitting) []P {
	var all []P
	for _, e := range s.session.Events() {
		if p, ok := e.Payload.(P); ok {
			all = append(all, p)
		}
	}
	return all
}
