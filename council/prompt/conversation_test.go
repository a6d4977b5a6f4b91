package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/internal/check"
)

// sent is everything of a prompt that is sent or kept; the view is its cause.
func sent(p *prompt.Prompt) *prompt.Prompt {
	q := *p
	q.View = council.View{}
	return &q
}

// unruly answers like steady, but some members refuse, some are away for a while and some pass or move motions at
// will.
func unruly(rt *rapid.T) func(council.View) council.Reply {
	answer := steady(rapid.IntRange(1, 400).Draw(rt, "characters"))
	return func(v council.View) council.Reply {
		r := answer(v)
		switch fate := rapid.IntRange(0, 19).Draw(rt, "fate"); {
		case fate == 0:
			return council.Reply{Ask: r.Ask, Fault: &council.Fault{Kind: council.FaultRefusal, Message: "no"}}
		case fate == 1:
			return council.Reply{Ask: r.Ask,
				Fault: &council.Fault{Kind: council.FaultUnparsable, Message: "vendormodel said nonsense"}}
		case fate == 2:
			return council.Reply{Ask: r.Ask,
				Fault: &council.Fault{Kind: council.FaultTransport, Message: "vendorprovider is down"}}
		case fate < 6 && v.Ask.Kind == council.AskTurn:
			r.Body = council.Turn{Action: council.ActionPass, Reason: "Nothing to add.", Note: "Mind the ice."}
		case fate < 9 && v.Ask.Kind == council.AskTurn:
			r.Body = council.Turn{Action: council.ActionCallVote, MotionTitle: "Now",
				MotionText: "That we stop, " + string(v.Ask.ID), DecisionIfPass: "We stop."}
		case fate < 12 && v.Ask.Kind == council.AskSecond:
			r.Body = council.Second{Rationale: "Too early.", Stand: council.StandOppose, Second: false}
		case fate < 12 && v.Ask.Kind == council.AskBallot:
			r.Body = council.Ballot{Rationale: "I cannot tell.", Ballot: council.ChoiceAbstain}
		}
		return r
	}
}

// unrulyCharter returns a charter with rules drawn at random.
func unrulyCharter(rt *rapid.T) council.Charter {
	c := charter(3, rapid.IntRange(1, 3).Draw(rt, "rounds"))
	c.SessionPolicy.PhaseContextVerbosity = rapid.SampledFrom([]council.Verbosity{
		council.VerbosityMinimal, council.VerbosityStandard, council.VerbosityFull}).Draw(rt, "verbosity")
	c.Deliberation.SealedPositions = rapid.Bool().Draw(rt, "sealed")
	for i := range c.Phases {
		c.Phases[i].Governance.RequireSeconding = rapid.Bool().Draw(rt, "seconding")
		c.Phases[i].Governance.Debate = rapid.Bool().Draw(rt, "debate")
		c.Phases[i].Governance.MaxAmendments = 2
		c.Phases[i].StopConditions.EndOnMajorityVote = rapid.Bool().Draw(rt, "endOnMajority")
		c.Phases[i].MemoryPolicy.IncludePriorPhaseSummary = rapid.Bool().Draw(rt, "prior")
		c.Phases[i].MemoryPolicy.ReadMemberMemory = rapid.Bool().Draw(rt, "readMemory")
	}
	return c
}

// Two conversations, one asked everything and one asked only now, send the same bytes, restarts included; and a later
// prompt begins with the part that it marks as seen, whether that was answered or not.
func TestConversation_PromptsAreAFunctionOfTheLog(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		limits := prompt.Limits{MaxBytes: rapid.IntRange(3_000, 60_000).Draw(rt, "max")}
		s := reminded(t, council.Topic{Text: "How?"}, unrulyCharter(rt), unrulyPast(rt)...)
		seats := map[council.MemberID]*prompt.Conversation{}
		before := map[council.MemberID]prompt.Prompt{}
		answer := unruly(rt)
		play(t, s, func(v council.View) council.Reply {
			m := v.Ask.Member
			if seats[m] == nil {
				seats[m] = prompt.NewConversation(limits)
			}
			live := seats[m].Next(v)
			fresh := prompt.NewConversation(limits).Next(v)
			check.Equal(rt, fmt.Sprintf("%s: fresh and live differ", v.Ask.ID), sent(fresh), sent(live),
				cmpopts.IgnoreUnexported(prompt.Prompt{}))
			if again := seats[m].Next(v); again.Digest != live.Digest {
				rt.Fatalf("%s: asked again, another prompt", v.Ask.ID)
			}
			compare(rt, before[m], live)
			before[m] = *live
			return answer(v)
		})
	})
}

// check holds the rules of every prompt.
func compare(rt *rapid.T, before prompt.Prompt, p *prompt.Prompt) {
	check.Is(rt, p.View.Ask.ID, prompt.Digest(p.System, p.Messages), p.Digest)
	if len(p.Messages)%2 == 0 {
		rt.Fatalf("%s: %d messages", p.View.Ask.ID, len(p.Messages))
	}
	for i, m := range p.Messages {
		if want := []prompt.Role{prompt.User, prompt.Assistant}[i%2]; m.Role != want || strings.TrimSpace(m.Content) == "" {
			rt.Fatalf("%s: message %d is %q of role %s", p.View.Ask.ID, i, m.Content, m.Role)
		}
	}
	for i := range p.Fresh {
		if i >= len(before.Messages) || before.Messages[i] != p.Messages[i] {
			rt.Fatalf("%s: message %d is said to be known and is not", p.View.Ask.ID, i)
		}
	}
	checkMemory(rt, p)
	question := last(p)
	switch v := p.View; {
	case v.Motion != nil && !strings.Contains(strings.ToLower(question), "motion "+v.Motion.Seq.ID()+" by ") &&
		v.Ask.Kind != council.AskTurn:
		rt.Fatalf("%s: the motion is not named: %s", v.Ask.ID, question)
	case v.Ask.Kind == council.AskBallot && v.Motion == nil &&
		!strings.Contains(question, fmt.Sprintf("version %d of", v.Draft.Version)):
		rt.Fatalf("%s: the draft is not named: %s", v.Ask.ID, question)
	case v.Ask.Kind == council.AskTurn && !strings.Contains(question,
		fmt.Sprintf("round %d of %d, turn %d of", v.Round, v.Phase.StopConditions.MaxRounds, v.Turn)):
		rt.Fatalf("%s: the turn is not named: %s", v.Ask.ID, question)
	}
	for _, b := range p.View.Blockers {
		check.Says(rt, question, `"`+b.ID+`": "`)
	}
	for _, text := range flat(p) {
		check.NeverSays(rt, text, "vendor")
	}
}

func TestConversation_ARestartKeepsThePromptBounded(t *testing.T) {
	limits := prompt.Limits{MaxBytes: 40_000, KeepBytes: 10_000}
	s := convene(t, council.Topic{Text: "How?"}, charter(9, 6))
	restarts := 0
	converse(t, s, limits, func(v council.View, p *prompt.Prompt) council.Reply {
		n := 0
		for _, message := range p.Messages {
			n += len(message.Content)
		}
		check.That(t, n <= limits.MaxBytes, "%s: %d characters", v.Ask.ID, n)
		if p.Restart > 0 && p.Fresh == 0 {
			restarts++
			first := p.Messages[0].Content
			check.That(t, len(p.Messages) == 1 && strings.Contains(first, "starts again here"),
				"%s: a restart of %d messages: %.200s", v.Ask.ID, len(p.Messages), first)
			check.That(t, len(first) >= limits.KeepBytes/2 && len(first) <= 2*limits.KeepBytes, "%s: a restart of %d characters",
				v.Ask.ID, len(first))
			if v.Motion != nil && !strings.Contains(first, "["+v.Motion.Seq.ID()+"]") {
				t.Errorf("%s: the motion is not in the new start", v.Ask.ID)
			}
			if v.Ask.Kind != council.AskPosition && !strings.Contains(first, "you contributed: <<peer") &&
				!strings.Contains(first, "] you: <<peer") {
				t.Errorf("%s: the member's own words are lost", v.Ask.ID)
			}
		}
		return steady(1250)(v)
	})
	check.That(t, restarts >= 9, "%d restarts; the test is to see more", restarts)
}

func TestConversation_TheSharedPartIsTheSameForAll(t *testing.T) {
	topic := council.Topic{Text: "How?", Documents: []council.Document{council.NewDocument("a.md", "x\r\ny\r\n")}}
	s := convene(t, topic, charter(9, 1))
	shared := map[string]int{}
	personas := map[string]int{}
	for _, a := range s.Ready().Asks {
		p := prompt.NewConversation(prompt.Limits{}).Next(s.View(a))
		shared[p.System.Shared]++
		personas[p.System.Persona]++
	}
	check.Is(t, "shared parts", 1, len(shared))
	check.Is(t, "personas", 9, len(personas))
	for text := range shared {
		check.That(t, strings.Contains(text, "\na.md, 2 lines, numbered:\n<<data ") &&
			strings.Contains(text, "\n1| x\n2| y\n"), "the document is not quoted with its lines:\n%s", text)
	}
}

func TestConversation_RepairExtendsThePrompt(t *testing.T) {
	s := convene(t, council.Topic{Text: "How?"}, charter(3, 1))
	p := prompt.NewConversation(prompt.Limits{}).Next(s.View(s.Ready().Asks[0]))
	kept := sent(p)
	r := p.Repair("{\"position\":\u202e 1}"+strings.Repeat("x", 50_000),
		"unusable reply: At /position: It must be a string.\nNow.")
	check.Equal(t, "the first prompt was changed", kept, sent(p), cmpopts.IgnoreUnexported(prompt.Prompt{}))
	check.That(t, r.Try == 2 && r.Fresh == 1 && len(r.Messages) == 3 && r.Digest == prompt.Digest(r.System, r.Messages) &&
		r.Digest != p.Digest, "try %d, fresh %d, %d messages", r.Try, r.Fresh, len(r.Messages))
	if text := r.Messages[1].Content; strings.Contains(text, "\u202e") || len(text) > 9000 {
		t.Errorf("the bad reply is shown as it was, with %d bytes", len(text))
	}
	want := "Your reply cannot be used. At /position: It must be a string. Now.\nAnswer the same question again.\n" +
		"Answer with this JSON object alone:\n" + form.Show(p.Contract.Forms)
	check.Equal(t, "it", want, r.Messages[2].Content)
	empty := p.Repair(" \n", "It is empty.")
	check.That(t, strings.TrimSpace(empty.Messages[1].Content) != "", "an empty message would be sent")
	if two, three := r.Repair("a", "b"), r.Repair("c", "d"); two.Digest == three.Digest ||
		two.Messages[3] == three.Messages[3] {
		t.Error("two repairs of one prompt share their messages")
	}
}
