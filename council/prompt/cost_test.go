package prompt_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/prompt/form"
	"github.com/council-engine/council/internal/check"
)

// cost counts the prompts of a session, where a provider bills a tenth for the extension of an earlier prompt of
// the same member.
type cost struct {
	calls, fresh, repeated, restarts int
}

func (c cost) billed() float64 { return float64(c.fresh) + 0.1*float64(c.repeated) }
func (c cost) share() float64  { return float64(c.repeated) / float64(c.fresh+c.repeated) }

// flat returns a prompt as the pieces that a provider sees one after another.
func flat(p *prompt.Prompt) []string {
	pieces := []string{p.System.Shared, p.System.Persona}
	for _, m := range p.Messages {
		pieces = append(pieces, m.Content)
	}
	return pieces
}

// extends counts the characters of b that extend a, and those of b in all.
func extends(a, b []string) (repeated, all int) {
	same := true
	for i, piece := range b {
		all += len(piece)
		if !same || i >= len(a) {
			same = false
			continue
		}
		n := 0
		for n < len(piece) && n < len(a[i]) && piece[n] == a[i][n] {
			n++
		}
		repeated += n
		same = n == len(piece) && n == len(a[i])
	}
	return repeated, all
}

func measure(t testing.TB, members, rounds, chars int, memory ...council.Reminder) cost {
	t.Helper()
	conf := charter(members, rounds)
	for i := range conf.Phases {
		conf.Phases[i].MemoryPolicy.ReadMemberMemory = true
	}
	s := convene(t, council.Topic{Text: "How should the bridge be renewed?"}, conf, memory...)
	before := map[council.MemberID][]string{}
	var c cost
	answer := steady(chars)
	converse(t, s, prompt.Limits{}, func(v council.View, p *prompt.Prompt) council.Reply {
		pieces := flat(p)
		repeated, total := extends(before[v.Ask.Member], pieces)
		before[v.Ask.Member] = pieces
		c.calls++
		c.repeated += repeated
		c.fresh += total - repeated
		if v.Ask.Kind == council.AskSummary {
			c.restarts = p.Restart
		}
		return answer(v)
	})
	return c
}

// The sizes of the two sessions that the figures are promised for.
var sessions = []struct {
	members, rounds int
	billed          float64 // characters, at most
	share           float64 // at least
}{{3, 5, 379_000, 0.85}, {9, 60, 39_000_000, 0}}

func TestCost_PromptsStayWithinTheirCost(t *testing.T) {
	for _, size := range sessions {
		t.Run(fmt.Sprintf("%dx%dx2", size.members, size.rounds), func(t *testing.T) {
			c := measure(t, size.members, size.rounds, 1250)
			if c.billed() > size.billed || c.share() < size.share {
				t.Errorf("%.0f characters billed (at most %.0f), %.3f of all repeated (at least %.3f)",
					c.billed(), size.billed, c.share(), size.share)
			}
		})
	}
}

// Memory is paid for once by each member and then by the tenth, where all phases let members read theirs: it never
// makes a conversation start again.
func TestCost_MemoryIsPaidForOnce(t *testing.T) {
	var memory []council.Reminder
	size := 0
	for _, of := range []council.MemberID{"", "ada", "bob", "cyn"} {
		r := council.Reminder{Member: of}
		for i := range 12 {
			r.Records = append(r.Records, council.Remembered{
				ID: fmt.Sprintf("r-%s%d", of, i), Kind: "lesson", Summary: strings.Repeat("s", council.MaxRememberedSummary),
				Detail: strings.Repeat("d", 280), Date: "2026-05-12",
			})
		}
		memory = append(memory, r)
		size = len(r.Records) * (council.MaxRememberedSummary + 280 + 60) // one memory in a prompt, and more
	}
	without, with := measure(t, 3, 5, 1250), measure(t, 3, 5, 1250, memory...)
	told := 2 * float64(size+600) // with the words around it
	if more := with.billed() - without.billed(); more > told*(3+0.1*float64(with.calls)) ||
		with.restarts != without.restarts {
		t.Errorf("memory of %.0f characters a member costs %.0f in %d calls, with %d restarts", told, more, with.calls,
			with.restarts)
	}
	t.Logf("billed: %.0f characters without memory, %.0f with two digests of 6,000 characters a member", without.billed(),
		with.billed())
}

// TestCost_EarlyStopsSavePrompts counts the prompts of five members of one mind, with and without.
// Contributions have 1,200 characters, and the leader, who sits last, moves when it has the floor.
func TestCost_EarlyStopsSavePrompts(t *testing.T) {
	run := func(stop bool) (questions int, sent int64) {
		c := charter(5, 3)
		c.Output.Type = council.OutputNone
		c.Deliberation.Stances, c.Deliberation.ContestedOnly = true, stop
		s := convene(t, council.Topic{Text: "Shall we?"}, c)
		converse(t, s, prompt.Limits{}, func(v council.View, asked *prompt.Prompt) council.Reply {
			questions++
			sent += asked.Bytes()
			r := steady(1200)(v)
			switch v.Ask.Kind {
			case council.AskPosition:
				r.Body = council.Position{Position: strings.Repeat("word ", 240), Confidence: 1, Stance: "yes"}
			case council.AskNominate:
				r.Body = council.Nomination{Rationale: "R", CandidateID: c.Members[4].ID}
			case council.AskTurn:
				if v.Ask.Member == c.Members[4].ID { // all elect it
					r.Body = council.Turn{Action: council.ActionCallVote, MotionTitle: "T", MotionText: "X", DecisionIfPass: "D"}
				}
			case council.AskBallot:
				r.Body = council.Ballot{Rationale: strings.Repeat("word ", 60), Ballot: council.ChoiceYes, Stance: "yes"}
			}
			return r
		})
		return questions, sent
	}
	with, sent := run(true)
	without, sentWithout := run(false)
	t.Logf("%d questions and %d bytes instead of %d and %d", with, sent, without, sentWithout)
	check.That(t, with < without && sent < sentWithout, "nothing is saved")
}

// A conversation starts anew before it outgrows the context of its model, and is the same whenever it is laid out.
func TestCost_AConversationStaysWithinTheContextOfItsModel(t *testing.T) {
	const window, perToken = 8192, 3
	c := charter(5, 4)
	for i := range c.Members {
		c.Members[i].Model.ContextWindow = window
	}
	s := convene(t, council.Topic{Text: "How?"}, c)
	restarts, longest := 0, int64(0)
	converse(t, s, prompt.Limits{}, func(v council.View, p *prompt.Prompt) council.Reply {
		longest = max(longest, p.Bytes())
		if p.Restart > 0 && p.Fresh == 0 {
			restarts++
		}
		if fresh := prompt.NewConversation(prompt.Limits{}).Next(v); fresh.Digest != p.Digest {
			t.Fatalf("%s is another prompt when it is laid out again", v.Ask.ID)
		}
		return steady(600)(v)
	})
	room := int64(window-prompt.ReplyTokens(c.Members[0].Model)) * perToken
	check.That(t, longest <= room && restarts >= 5, "the longest prompt has %d bytes, %d have room; %d restarts", longest,
		room, restarts)
}

func TestCost_TheRoomForAReplyIsKeptFree(t *testing.T) {
	for want, m := range map[int]council.Model{
		4096: {}, 1024: {ContextWindow: 4096}, 300: {ContextWindow: 4096, MaxTokens: 300}, 4095: {ContextWindow: 16380},
	} {
		check.Is(t, fmt.Sprint(m), want, prompt.ReplyTokens(m))
	}
}

func TestRunaway_RepliesThatNeverEnd(t *testing.T) {
	ballot := &prompt.Prompt{Contract: &prompt.Contract{Forms: []form.Form{{
		{Name: "rationale", Type: form.Text, Words: 60}, {Name: "ballot", Type: form.Text, May: []string{"YES", "NO"}}}}}}
	document := &prompt.Prompt{}
	var varied strings.Builder
	for i := range 4_000 {
		fmt.Fprintf(&varied, "line %d\n", i)
	}
	table := "| queue | cost |\n|---|---|\n" + strings.Repeat("| NATS | low |\n", 60)
	for _, test := range []struct {
		name string
		p    *prompt.Prompt
		text string
		want bool
	}{
		{"one letter for ever", document, strings.Repeat("a", 1_600), true},
		{"a sentence for ever", document, "# Design\n\n" + strings.Repeat("The Council Should Decide. ", 60), true},
		{"a long passage six times", document, strings.Repeat(varied.String()[:500], 7), true},
		{"a list in JSON", ballot, `{"rationale": "` + strings.Repeat(`The Council Should Decide", "`, 60), true},
		{"a long document", document, varied.String(), false},
		{"a table with equal rows", document, table, false},
		{"a rule of dashes", document, "# Design\n\n" + strings.Repeat("-", 400), false},
		{"a short answer", ballot, `{"rationale": "It is cheap.", "ballot": "YES"}`, false},
		{"a ballot as long as a book", ballot, varied.String(), true},
		{"a ballot after a long thought", ballot, "<think>" + varied.String(), false},
		{"a thought that repeats itself", ballot, "<think>" + strings.Repeat("Wait. ", 400), true},
	} {
		check.Is(t, test.name, test.want, test.p.Runaway(test.text, 4<<10))
	}
}
