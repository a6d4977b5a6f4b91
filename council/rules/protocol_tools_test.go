package rules_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

// looking lets ada look things up: three times for a question, five times in all.
func looking(c *council.Charter) {
	c.Members[0].Tools = &council.Tools{
		Workspace:       &council.Workspace{},
		MaxCalls:        3,
		MaxSessionCalls: 5,
		MaxBytes:        1 << 10,
	}
}

func shown(result string) council.ToolUse {
	return council.ToolUse{
		Tool:      council.ToolRead,
		Arguments: `{"path":"a.md"}`,
		Result:    result,
		SHA256:    council.Digest(result),
	}
}

// asked returns a vote for ada after so many uses.
func asked(member string, uses ...council.ToolUse) council.Reply {
	return council.Reply{
		Ask:   council.AskID("nominate." + member),
		Body:  council.Nomination{Rationale: "good", CandidateID: "ada"},
		Tools: uses,
	}
}

func TestOnlyWhatTheCharterLetsAMemberLookUpIsRecorded(t *testing.T) {
	cites(t, 94)
	f := convene(t, looking)
	use := shown("1| a")
	forged := use
	forged.Result = "1| b"
	for name, r := range map[string]council.Reply{
		"a member without tools": asked("bob", use),
		"too many calls":         asked("ada", use, use, use, use),
		"too long a result":      asked("ada", shown(strings.Repeat("x", 1<<10+1))),
		"another result":         asked("ada", forged),
	} {
		check.ErrorIs(t, name, council.ErrBadReply, check.Err(f.s.Answer(r)))
		if e, err := f.s.Answer(council.Reply{Ask: r.Ask, Body: r.Body}); err != nil {
			t.Errorf("%s: the reply itself is refused: %v", name, err)
		} else {
			forge := e
			ballot := e.Payload.(council.LeaderBallotCast)
			ballot.Tools = r.Tools
			forge.Payload = ballot
			check.ErrorIs(t, name, rules.ErrBadEvent, f.s.Apply(forge))
		}
	}
	f.answer(asked("ada", use, use, use))
	f.say("nominate.bob", council.Nomination{Rationale: "good", CandidateID: "ada"})
	f.say("nominate.cyn", council.Nomination{Rationale: "good", CandidateID: "ada"})
	turn := council.Reply{
		Ask:   council.AskID(f.turn()),
		Body:  council.Turn{Action: council.ActionPass, Reason: "done"},
		Tools: []council.ToolUse{use, use, use},
	}
	check.ErrorIs(t, "a sixth call in the session", council.ErrBadReply, check.Err(f.s.Answer(turn)))
	turn.Tools = turn.Tools[:2]
	f.answer(turn)
}

func TestWhatWasLookedUpIsRecordedWithTheReply(t *testing.T) {
	cites(t, 95)
	f := convene(t, looking)
	stopped := asked("ada", shown("1| a"))
	stopped.Body, stopped.Fault = nil, &council.Fault{Kind: council.FaultTransport, Message: "down"}
	f.answer(stopped)
	last := f.s.Events()[len(f.s.Events())-1]
	if _, ok := last.Payload.(council.SessionSuspended); !ok || len(used(last)) != 0 {
		t.Errorf("%+v", last)
	}
	f.rule(council.SessionResumed{By: "me"})
	uses := []council.ToolUse{shown("1| a"), shown("2| b")}
	f.answer(asked("ada", uses...))
	last = f.s.Events()[len(f.s.Events())-1]
	if diff := cmp.Diff(uses, used(last)); diff != "" || last.Actor != "ada" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	refused := asked("bob")
	refused.Body, refused.Fault = nil, &council.Fault{Kind: council.FaultRefusal, Message: "no"}
	f.answer(refused)
}

func TestWhatAMemberWasShownIsToldToNobodyElse(t *testing.T) {
	cites(t, 96)
	f := convene(t, looking)
	f.answer(asked("ada", shown("1| only ada was shown this")))
	f.say("nominate.bob", council.Nomination{Rationale: "good", CandidateID: "ada"})
	f.say("nominate.cyn", council.Nomination{Rationale: "good", CandidateID: "ada"})
	for range 3 {
		a := f.s.Ready().Asks[0]
		p := prompt.NewConversation(prompt.Limits{}).Next(f.s.View(a))
		told := p.System.Shared + p.System.Persona
		for _, m := range p.Messages {
			told += m.Content
		}
		if got := strings.Contains(told, "only ada was shown this"); got != (a.Member == "ada") {
			t.Errorf("%s is told: %v", a.Member, got)
		}
		if got := strings.Contains(told, "What you can look up"); got != (a.Member == "ada") {
			t.Errorf("%s is told of tools: %v", a.Member, got)
		}
		f.pass()
	}
}

// used lists the lookups for the reply that an event records.
func used(e council.Event) []council.ToolUse {
	a, _ := e.Answered()
	return a.Tools
}
