package rules_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// cites names the sentences of docs/protocol.md that a test shows. A policy test reads these calls.
func cites(t *testing.T, sentences ...int) {
	t.Helper()
	if len(sentences) == 0 {
		t.Fatal("cites names no sentence")
	}
}

// smallCharter has three members, one phase of two rounds and no frills.
func smallCharter() council.Charter { return counciltest.Small("ada", "bob", "cyn") }

func phase(id council.PhaseID) council.Phase { return counciltest.Phase(id, 2) }

// floor is a session with a test around it. Consequences are recorded as soon as they are due.
type floor struct {
	*testing.T
	s *rules.Session
}

func convene(t *testing.T, edit func(*council.Charter)) *floor {
	t.Helper()
	c := smallCharter()
	if edit != nil {
		edit(&c)
	}
	f := begun(t, "s1", c)
	f.settle()
	return f
}

// inRound returns a session whose leader ada is elected and whose first turn is open.
func inRound(t *testing.T, edit func(*council.Charter)) *floor {
	t.Helper()
	f := convene(t, edit)
	f.elect("ada", "ada", "ada")
	return f
}

// elect has the seats vote in order; an empty name is an absence, "?" an invalid vote.
func (f *floor) elect(votes ...council.MemberID) {
	f.Helper()
	for i, candidate := range votes {
		switch ask := "nominate." + string(f.s.Charter().Seats()[i]); candidate {
		case "":
			f.fault(ask, council.FaultRefusal)
		case "?":
			f.fault(ask, council.FaultUnparsable)
		default:
			f.say(ask, council.Nomination{Rationale: "good", CandidateID: candidate})
		}
	}
}

func (f *floor) apply(e council.Event) {
	f.Helper()
	check.OK(f, f.s.Apply(e))
	f.settle()
}

// settle records all due events, as far as a suspension.
func (f *floor) settle() {
	f.Helper()
	for {
		due := f.s.Ready().Event
		if due == nil {
			return
		}
		check.OK(f, f.s.Apply(*due))
	}
}

func (f *floor) say(id string, b council.Body) {
	f.Helper()
	f.answer(council.Reply{Ask: council.AskID(id), Body: b})
}

func (f *floor) fault(id string, kind council.FaultKind) {
	f.Helper()
	f.answer(council.Reply{Ask: council.AskID(id), Fault: &council.Fault{Kind: kind, Message: "in a test"}})
}

func (f *floor) answer(r council.Reply) {
	f.Helper()
	e, err := f.s.Answer(r)
	if err != nil {
		f.Fatalf("%s: %v (open: %v)", r.Ask, err, f.open())
	}
	f.apply(e)
}

func (f *floor) rule(r council.Ruling) {
	f.Helper()
	e := check.Get(f.s.Rule(r))(f)
	f.apply(e)
}

// contribute, pass and move take the open turn.
func (f *floor) contribute() {
	f.Helper()
	f.say(f.turn(), council.Turn{Action: council.ActionContribute, Message: "I think so."})
}

func (f *floor) pass() {
	f.Helper()
	f.say(f.turn(), council.Turn{Action: council.ActionPass, Reason: "nothing to add"})
}

func (f *floor) move() {
	f.Helper()
	f.moveTo("T", "That we do, as moved in "+f.turn()+".", "We do.") // no motion that was lost is moved again
}

func (f *floor) turn() string {
	f.Helper()
	open := f.open()
	if len(open) != 1 || !strings.Contains(open[0], ".turn.") {
		f.Fatalf("no turn is open, but %v", open)
	}
	return open[0]
}

// second answers the open call for seconds, in seat order: 'y' and 'n' are answers, '-' an absence.
func (f *floor) second(answers string) {
	f.Helper()
	for _, a := range answers {
		id := f.open()[0]
		if a == '-' {
			f.fault(id, council.FaultRefusal)
			continue
		}
		f.say(id, council.Second{Rationale: "because", Second: a == 'y'})
	}
}

// ballots votes in seat order: 'y', 'n', 'a' for abstain, '?' for invalid, '-' for absent.
func (f *floor) ballots(votes string) {
	f.Helper()
	choices := map[rune]council.Choice{'y': council.ChoiceYes, 'n': council.ChoiceNo, 'a': council.ChoiceAbstain}
	for _, v := range votes {
		id := f.open()[0]
		switch v {
		case '?':
			f.fault(id, council.FaultUnparsable)
		case '-':
			f.fault(id, council.FaultRefusal)
		default:
			f.say(id, council.Ballot{Rationale: "because", Ballot: choices[v]})
		}
	}
}

// moveAndVote has the open turn move a motion that is seconded and voted on.
func (f *floor) moveAndVote(ballots string) {
	f.Helper()
	f.move()
	f.second("y")
	f.ballots(ballots)
}

func (f *floor) summarise() {
	f.Helper()
	f.say(f.open()[0], council.Summary{SummaryMarkdown: "We talked."})
}

func (f *floor) draft(text string, responses ...council.BlockerResponse) {
	f.Helper()
	f.say(f.open()[0], council.Draft{Markdown: text, Responses: responses})
}

// open lists the ids of the open asks.
func (f *floor) open() []string {
	var ids []string
	for _, a := range f.s.Ready().Asks {
		ids = append(ids, string(a.ID))
	}
	return ids
}

func (f *floor) wantOpen(ids ...string) {
	f.Helper()
	check.Equal(f, "open asks", ids, f.open())
}

// ask returns the open ask with the given id.
func (f *floor) ask(id string) council.Ask {
	f.Helper()
	for _, a := range f.s.Ready().Asks {
		if string(a.ID) == id {
			return a
		}
	}
	f.Fatalf("%s is not open, but %v", id, f.open())
	return council.Ask{}
}

func (f *floor) outcome() council.Outcome {
	f.Helper()
	o := f.s.Ready().Outcome
	if o == nil {
		f.Fatalf("the session is not closed; open: %v", f.open())
	}
	return *o
}

// last returns the last payload of type P.
func last[P council.Payload](f *floor) P {
	f.Helper()
	for _, e := range slices.Backward(f.s.Events()) {
		if p, ok := e.Payload.(P); ok {
			return p
		}
	}
	var none P
	f.Fatalf("there is no %s in the log", none.Row().Type)
	return none
}

// same compares a value.
func same(t testing.TB, want, got any) {
	t.Helper()
	check.Equal(t, "it", want, got)
}

// wantLast compares the last payload of its type.
func wantLast[P council.Payload](f *floor, want P) {
	f.Helper()
	check.Equal(f, want.Row().Type, want, last[P](f))
}

func count(f *floor, t council.EventType) int {
	n := 0
	for _, e := range f.s.Events() {
		if e.Type() == t {
			n++
		}
	}
	return n
}

// begun returns a session of the charter before its first answer.
func begun(t *testing.T, id council.SessionID, c council.Charter, memory ...council.Reminder) *floor {
	t.Helper()
	return &floor{t, counciltest.Open(t, id, council.Topic{Text: "Shall we?"}, c, memory...)}
}
