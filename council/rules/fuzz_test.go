package rules_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// FuzzReplay applies arbitrary sequences of events. A script has one step a line:
//
//	{…}          in the first line only: fields of the charter
//	+c           what is due, or the first open ask answered in the way of the letter c
//	!{…}         the same event with some of its payload's fields changed
//	TYPE a {…}   an event of this type, by this actor, with this payload
//
// Nothing panics; a refused event changes nothing; the events applied can be replayed to the same session.
func FuzzReplay(f *testing.F) {
	f.Add("+y\n+y\n+y\n+y\n+y\n+y\n+c\n+p\n+m\n+y\n+y\n+y\n+y\n+n\n+y\n+y\n+y\n+y\n+y\n+y\n+y\n+y\n+y")
	f.Add("+f\n+f\n+f\n+f\n+f\n+f\n+f\n+f\n+f\n+f\n+f\n+f\n+f\n+f\n+f\n+f\n+f")
	f.Add(
		`{"output":{"type":"documentation"},"documentationReview":{"maxRevisionRounds":1},"deliberation":{"sealedPositions":true}}` +
			strings.Repeat("\n+y", 13) + strings.Repeat("\n+p", 8) + strings.Repeat("\n+n\n+y", 12))
	f.Add("+y\n+y\n+y\n!{\"leader\":\"cyn\"}\n!{\"ranking\":[]}\n+y\n!{}\n+y")
	f.Add(
		"BALLOT_CAST bob {\"ballot\":\"YES\",\"motion\":\"p1.r1.t1\"}\nSESSION_CLOSED  {\"decided\":true}\nSESSION_STARTED " +
			" {\"rules\":1}",
	)
	f.Add("SESSION_ADJOURNED  {\"by\":\"x\",\"reason\":\"y\"}\n+y\n+y\nEXECUTION_APPROVED  " +
		"{\"by\":\"x\",\"briefSha256\":\"\"}\n+y")
	f.Add(
		"+s\nBUDGET_AMENDED  {\"by\":\"x\",\"budget\":{\"tokens\":1}}\n+y\nSESSION_RESUMED  {\"by\":\"x\"}\n+y\n+y\n+y\n+y",
	)
	f.Add("MEMORY_RECALLED  " +
		"{\"query\":\"q\",\"hits\":[{\"id\":\"s0.e4\",\"kind\":\"turn\"," +
		"\"date\":\"2026-05-12\",\"text\":\"t\"}]}\n+y\n+y\n" +
		"MEMORY_RECALLED  " +
		"{\"query\":\"q\",\"hits\":[{\"id\":\"s0.e5\",\"kind\":\"turn\"," +
		"\"date\":\"2026-05-12\",\"text\":\"t\"}]}\n+y\n!{\"hits\":[]}")
	f.Add("+y\nMEMBER_FAULTED bob " +
		"{\"ask\":\"nominate.bob\",\"asOf\":1,\"kind\":\"nominate\"," +
		"\"standing\":\"INVALID\",\"fault\":{\"kind\":\"unparsable\",\"message\":\"m\"}}\n+y\n+y")
	f.Fuzz(func(t *testing.T, script string) {
		steps := strings.Split(script, "\n")
		if len(steps) > 400 || len(script) > 1<<14 {
			return
		}
		c := smallCharter()
		if strings.HasPrefix(steps[0], "{") {
			if json.Unmarshal([]byte(steps[0]), &c) != nil {
				return
			}
			steps = steps[1:]
		}
		started, err := rules.Open("s1", council.Topic{Text: "Shall we?"}, c)
		if err != nil {
			return
		}
		s := check.Get(rules.Replay(rules.Log(started)))(t)
		for _, step := range steps {
			e, ok := eventOf(s, step)
			if !ok {
				continue
			}
			before := len(s.Events())
			err := s.Apply(e)
			if err == nil {
				continue
			}
			check.ErrorIs(t, "a refused event", rules.ErrBadEvent, err)
			if len(s.Events()) != before {
				t.Fatalf("a refused %s is in the log", e.Type())
			}
			sameAsReplayed(t, s)
		}
		sameAsReplayed(t, s)
	})
}

// sameAsReplayed compares a session, every field of it, with one that only ever saw the events of its log.
func sameAsReplayed(t *testing.T, s *rules.Session) {
	t.Helper()
	replayed := check.Get(rules.Replay(rules.Log(s.Events()...)))(t)
	if !reflect.DeepEqual(s, replayed) {
		t.Fatalf("the session is not what its log says:\n%+v\n%+v", s, replayed)
	}
}

// eventOf returns the event that a line of a script means, if it means any.
func eventOf(s *rules.Session, step string) (council.Event, bool) {
	next := council.Event{Seq: council.Seq(len(s.Events()) + 1)}
	switch {
	case strings.HasPrefix(step, "+"):
		return rightEvent(s, strings.TrimPrefix(step, "+"))
	case strings.HasPrefix(step, "!"):
		e, ok := rightEvent(s, "y")
		if !ok {
			return e, false
		}
		p := reflect.New(reflect.TypeOf(e.Payload))
		// A copy of its own: to decode into the session's would change the session from outside.
		own, err := json.Marshal(e.Payload)
		if err != nil || json.Unmarshal(own, p.Interface()) != nil || json.Unmarshal([]byte(step[1:]), p.Interface()) != nil {
			return e, false
		}
		e.Payload = council.Deref(p.Interface())
		return e, true
	}
	words := strings.SplitN(step, " ", 3)
	if len(words) < 3 {
		return next, false
	}
	p := council.NewPayload(council.EventType(words[0]))
	if p == nil || json.Unmarshal([]byte(words[2]), p) != nil {
		return next, false
	}
	next.Actor, next.Payload = council.MemberID(words[1]), council.Deref(p)
	if asks := s.Ready().Asks; len(asks) > 0 { // at the right place, so that it is the payload that counts
		if right, ok := rightEvent(s, "y"); ok {
			next.Phase, next.Round, next.Turn = right.Phase, right.Round, right.Turn
		}
	}
	return next, true
}

// rightEvent returns the event that is due, or an answer.
func rightEvent(s *rules.Session, way string) (council.Event, bool) {
	ready := s.Ready()
	switch {
	case ready.Event != nil:
		return *ready.Event, true
	case len(ready.Asks) == 0:
		return council.Event{}, false
	}
	e, err := s.Answer(replyTo(s.View(ready.Asks[0]), way))
	return e, err == nil
}

// replyTo answers an ask plainly: "p" passes, "m" moves, "n" says no, "f" and "i" cannot answer, "s" cannot for now.
func replyTo(v council.View, way string) council.Reply {
	r := council.Reply{Ask: v.Ask.ID, Body: counciltest.Agree(v), Usage: council.Usage{Calls: 1, OutputTokens: 10}}
	if kind := map[string]council.FaultKind{"f": council.FaultRefusal, "i": council.FaultUnparsable,
		"s": council.FaultRate}[way]; kind != "" {
		return r.Failed(council.Fault{Kind: kind, Message: "m"})
	}
	switch {
	case v.Ask.Kind == council.AskTurn && way == "p":
		r.Body = council.Turn{Action: council.ActionPass, Reason: "R"}
	case v.Ask.Kind == council.AskTurn && way != "m":
		r.Body = council.Turn{Action: council.ActionContribute, Message: "M"}
	case v.Ask.Kind == council.AskSecond && way == "n":
		r.Body = council.Second{Rationale: "R", Stand: council.StandOppose}
	case v.Ask.Kind == council.AskBallot && way == "n":
		r.Body = council.Ballot{Rationale: "R", Ballot: council.ChoiceNo}
	case v.Ask.Kind == council.AskNominate:
		r.Body = council.Nomination{Rationale: "R", CandidateID: v.Ask.Member}
	case v.Ask.Kind == council.AskSummary:
		r.Body = council.Summary{SummaryMarkdown: "S", RequiresExecution: true,
			ExecutionBrief: &council.Brief{Objective: "O"}}
	}
	return r
}

// FuzzCharter opens a session under any charter. None makes Check or Open panic; one that opens ends within maxAsks,
// with any answers.
func FuzzCharter(f *testing.F) {
	f.Add(`{}`, "p")
	f.Add(
		`{"deliberation":{"sealedPositions":true},"output":{"type":"documentation"},"documentationReview":{"maxRevisionRounds":2}}`,
		"mpnfi",
	)
	f.Add(
		`{"sessionPolicy":{"entryPhaseId":"decide","maxPhaseTransitions":3,"phaseContextVerbosity":"full"},"phases":[{"id":"decide","goal":"G",`+
			`"governance":{"majorityThreshold":1},"stopConditions":{"maxRounds":3},"transitions":[{"to":"decide","when":"ALWAYS","priority":-1}],`+
			`"fallback":{"resolution":"R","action":"TRANSITION","transitionToPhaseId":"decide"},"deliverables":[{"id":"d","description":"D","required":true}]}]}`,
		"mymn",
	)
	f.Add(`{"turnOrder":["cyn","cyn","ada"],"members":[{},{},{}]}`, "f")
	f.Add(`{"phases":[{"governance":{"majorityThreshold":-1,"quorum":-9},"stopConditions":{"maxRounds":-5}}]}`, "i")
	f.Add(`{"sessionPolicy":{"maxPhaseTransitions":9223372036854775807},"budget":{"tokens":-1,"minutes":1e308}}`, "y")
	f.Add(`{"phases":null,"members":null}`, "")
	f.Fuzz(func(t *testing.T, doc, ways string) {
		c := smallCharter()
		if json.Unmarshal([]byte(doc), &c) != nil {
			return
		}
		checked := charter.Check(&c)
		started, err := rules.Open("s1", council.Topic{Text: "Shall we?"}, c)
		if (err == nil) != (checked == nil) || err != nil && !errors.Is(err, council.ErrBadCharter) {
			t.Fatalf("Check says %v and Open says %v", checked, err)
		}
		if err != nil || maxAsks(&c) > 2000 || ways == "" {
			return
		}
		bound := maxAsks(&c)
		s := check.Get(rules.Replay(rules.Log(started)))(t)
		answered := 0
		for s.Ready().Outcome == nil {
			if s.Suspended() != nil { // a budget that was spent at once
				apply(t, s)(s.Rule(council.BudgetAmended{By: "test"}))
				apply(t, s)(s.Rule(council.SessionResumed{By: "test"}))
			}
			ready := s.Ready()
			if ready.Event != nil {
				apply(t, s)(*ready.Event, nil)
				continue
			}
			if len(ready.Asks) == 0 {
				t.Fatal("the session wants nothing and is not closed")
			}
			way := strings.ReplaceAll(string(ways[answered%len(ways)]), "s", "f")
			apply(t, s)(s.Answer(replyTo(s.View(ready.Asks[0]), way)))
			if answered++; answered > bound {
				t.Fatalf("%d asks were answered, %d is the bound", answered, bound)
			}
		}
	})
}

func apply(t *testing.T, s *rules.Session) func(council.Event, error) {
	return func(e council.Event, err error) {
		t.Helper()
		if err == nil {
			err = s.Apply(e)
		}
		check.OK(t, err)
	}
}
