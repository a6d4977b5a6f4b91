package rules_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
)

// looking lets ada look things up: three times for a question, five times in all.
func looking(c *council.Charter) {
	c.Members[0].Tools = &council.Tools{Workspace: &council.Workspace{}, MaxCalls: 3, MaxSessionCalls: 5,
		MaxBytes: 1 << 10}
}

func shown(result string) council.ToolUse {
	return council.ToolUse{Tool: council.ToolRead, Arguments: `{"path":"a.md"}`, Result: result,
		SHA256: council.Digest(result)}
}

// asked returns a vote for ada after so many uses.
func asked(member string, uses ...council.ToolUse) council.Reply {
	return council.Reply{Ask: council.AskID("nominate." + member),
		Body: council.Nomination{Rationale: "good", CandidateID: "ada"}, Tools: uses}
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
	turn := council.Reply{Ask: council.AskID(f.turn()), Body: council.Turn{Action: council.ActionPass, Reason: "done"},
		Tools: []council.ToolUse{use, use, use}}
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

// used lists the lookups for the reply that an event records.
func used(e council.Event) []council.ToolUse {
	a, _ := e.Answered()
	return a.Tools
}

// assess has a council of one demanding phase pass on, and its leader assess it with the given citations. It returns
// those that count and those that do not.
func assess(
	t *testing.T,
	c council.Charter,
	docs []council.Document,
	uses map[string][]council.ToolUse,
	cited ...string,
) (good, bad []string) {
	t.Helper()
	demanding(&c)
	for i := range c.Members {
		c.Members[i].Tools = &council.Tools{Workspace: &council.Workspace{}}
	}
	started := check.Get(rules.Open("s1", council.Topic{Text: "Shall we?", Documents: docs}, c))(t)
	s := check.Get(rules.Replay(rules.Log(started)))(t)
	f := &floor{t, s}
	f.elect("ada", "ada", "ada")
	for _, m := range []string{"ada", "bob", "cyn"} {
		f.answer(council.Reply{
			Ask:   council.AskID("p1.r1.t" + map[string]string{"ada": "1", "bob": "2", "cyn": "3"}[m] + ".turn." + m),
			Tools: uses[m], Body: council.Turn{Action: council.ActionPass, Reason: "Nothing."}})
	}
	f.answer(council.Reply{Ask: "p1.assess.ada", Tools: uses["assess"], Body: council.Assessment{
		Deliverables: []council.Claim{{ID: "options", Met: true, Citations: cited}},
	}})
	end := last[council.PhaseEnded](f)
	return end.Deliverables[0].Citations, end.BadCites
}

func looked(file string, from, to int) []council.ToolUse {
	return []council.ToolUse{{Tool: "workspace.read", Arguments: "{}", Result: "x", SHA256: council.Digest("x"),
		Given: []council.FileLines{{File: file, From: from, To: to}}}}
}

func TestAnAssessmentCitesWhatItsAuthorCouldKnow(t *testing.T) {
	cites(t, 92)
	uses := map[string][]council.ToolUse{"bob": looked("a.go", 1, 9), "assess": looked("b.go", 5, 6)}
	cited := []string{"e11", "e12", "a.go:9", "a.go:10", "b.go:5-6", "b.go:4", "c.go:1"}
	marked := smallCharter()
	marked.Deliberation.MarkCitations = true
	// e11 closes the debate; e12 is the assessment itself.
	good, bad := assess(t, marked, nil, uses, cited...)
	same(t, []string{"e11", "a.go:9", "b.go:5-6"}, good)
	same(t, []string{"e12", "a.go:10", "b.go:4", "c.go:1"}, bad)
	// A charter from before is judged as it was.
	if good, _ = assess(t, smallCharter(), nil, nil, "e12", "e13"); cmp.Diff([]string{"e12"}, good) != "" {
		t.Errorf("without marking %v exist", good)
	}
}

func TestADiffGivesTheLinesThatItShows(t *testing.T) {
	cites(t, 93)
	diff :=
		"--- a/main.go\n+++ b/main.go\n@@ -1,2 +11,3 @@\n a\n+b\n c\n--- a/gone.go\n+++ /dev/null\n@@ -1,2 +0,0 @@\n-a\n-b\n"
	doc := council.NewDocument("diff:HEAD", diff)
	doc.Shows = citation.DiffLines(diff)
	good, bad := assess(t, smallCharter(), []council.Document{doc}, nil,
		"main.go:11-13", "gone.go:2", "diff:HEAD:11", "main.go:1", "main.go:14", "gone.go:3", "diff:HEAD:12")
	check.Equal(t, "it", []string{"main.go:11-13", "gone.go:2", "diff:HEAD:11"}, good)
	check.Equal(t, "it", []string{"main.go:1", "main.go:14", "gone.go:3", "diff:HEAD:12"}, bad)
}
