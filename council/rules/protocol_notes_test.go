package rules_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

func TestANoteIsToldWithTheQuestionAfterIt(t *testing.T) {
	cites(t, 160, 161)
	f := inRound(t, nil)
	for _, wrong := range []string{"", " \n", strings.Repeat("x", council.MaxNote+1)} {
		f.refuses(council.NoteGiven{By: "me", Text: wrong})
	}
	open := f.turn()
	asked := f.ask(open)
	shown := len(f.s.View(asked).Events)
	f.rule(council.NoteGiven{By: "me", Text: "The budget was cut by half."})
	f.wantOpen(open)
	if now := f.ask(open); now != asked || len(f.s.View(now).Events) != shown {
		t.Errorf("the open question changed from %+v to %+v", asked, now)
	}
	f.contribute()
	view := f.s.View(f.ask(f.turn()))
	if note, ok := view.Events[shown].Payload.(council.NoteGiven); !ok || note.By != "me" {
		t.Errorf("the next question shows %T after %d events", view.Events[shown].Payload, shown)
	}
	f.rule(council.SessionSuspended{Fault: council.Fault{Kind: council.FaultCancelled}})
	f.rule(council.NoteGiven{By: "me", Text: strings.Repeat("é", council.MaxNote)})
	if f.s.Suspended() == nil {
		t.Error("a note ends the suspension")
	}
	if _, err := rules.Replay(rules.Log(f.s.Events()...)); err != nil {
		t.Error(err)
	}
}

func TestANoteIsToldWithQuestionsThatWereNotPutYet(t *testing.T) {
	cites(t, 162, 163)
	f := inRound(t, nil)
	asked := f.ask(f.turn())
	shown := len(f.s.View(asked).Events)
	f.rule(council.NoteGiven{By: "me", Text: "It is cut.", ID: "n1", Ahead: true})
	now := f.ask(f.turn())
	if view := f.s.View(now); now.ID != asked.ID || len(view.Events) != shown+1 {
		t.Errorf("%+v became %+v, which shows %d events, and not %d", asked, now, len(view.Events), shown+1)
	}
	f.refuses(council.NoteGiven{By: "me", Text: "It is cut.", ID: "n1"})
	f.rule(council.NoteGiven{By: "me", Text: "It is cut.", ID: "n2"})
	f.contribute()
	if _, err := rules.Replay(rules.Log(f.s.Events()...)); err != nil {
		t.Error(err)
	}
}

func TestANoteIsNotToldAheadOnceOneOfTheQuestionsIsAnswered(t *testing.T) {
	cites(t, 162)
	f := convene(t, nil)
	f.elect("ada")
	f.refuses(council.NoteGiven{By: "me", Text: "Late.", Ahead: true})
	f.rule(council.NoteGiven{By: "me", Text: "Late."})
}

func TestOwnNotesAreFrozenInTheOpening(t *testing.T) {
	cites(t, 165)
	topic := council.Topic{Text: "How?", Documents: []council.Document{council.NewDocument("memory/MEMORY.md", "We pay.")}}
	topic.Documents[0].Note = &council.OwnNote{Left: 3}
	opening := check.Get(rules.Open("s", topic, smallCharter()))(t)
	s := check.Get(rules.Replay(rules.Log(opening)))(t)
	for _, ask := range s.Ready().Asks {
		if shown := s.View(ask).Topic.Documents; len(shown) != 1 || shown[0].Note == nil || shown[0].Note.Left != 3 {
			t.Errorf("%s is shown %+v", ask.Member, shown)
		}
	}
	topic.Documents[0].Text = "We pay more."
	if _, err := rules.Open("s", topic, smallCharter()); err == nil {
		t.Error("a note that is not what its SHA-256 says opens a session")
	}
}
