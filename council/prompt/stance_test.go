package prompt_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// Members are asked for stances, given the rule by which a debate ends early, and the leader that it may move at once:
// each where the charter says so, and nowhere else.
func TestStances_AreInThePrompt(t *testing.T) {
	for _, on := range []bool{true, false} {
		c := charter(3, 3)
		c.Deliberation.Stances, c.Deliberation.ContestedOnly = on, on
		s := convene(t, council.Topic{Text: "Shall we?"}, c)
		seen := map[string]int{}
		play(t, s, func(v council.View) council.Reply {
			asked := prompt.NewConversation(prompt.Limits{}).Next(v)
			last := last(asked)
			question := last[strings.LastIndex(last, "\n\n")+1:]
			note := func(name, words string) {
				if strings.Contains(question, words) {
					seen[name+" "+string(v.Ask.Kind)]++
				}
			}
			note("stance", `"stance": <`)
			note("at once", "The sealed positions agree, so you begin as leader")
			if strings.Contains(last, "nobody cites an event or a line that no turn cited before") {
				seen["nothing new"]++
			}
			if on && v.Ask.Kind == council.AskTurn && v.Round == 1 && v.Turn == 1 && v.Ask.Member != "cyn" {
				t.Errorf("%s begins the phase", v.Ask.Member)
			}
			r := council.Reply{Ask: v.Ask.ID}
			switch v.Ask.Kind {
			case council.AskPosition:
				r.Body = council.Position{Position: "P", Confidence: 1, Stance: "yes"}
			case council.AskNominate:
				r.Body = council.Nomination{Rationale: "R", CandidateID: "cyn"}
			case council.AskTurn:
				r.Body = council.Turn{Action: council.ActionCallVote, MotionTitle: "T", MotionText: "X", DecisionIfPass: "D"}
			case council.AskSecond:
				r.Body = council.Second{Rationale: "R", Second: true}
			case council.AskBallot:
				r.Body = council.Ballot{Rationale: "R", Ballot: council.ChoiceYes, Stance: "yes"}
			case council.AskAssess:
				r.Body = council.Assessment{}
			case council.AskSummary:
				r.Body = council.Summary{SummaryMarkdown: "S"}
			case council.AskDraft:
				r.Body = council.Draft{Markdown: "# D"}
			default:
				r.Fault = &council.Fault{Kind: council.FaultRefusal, Message: "no"}
			}
			return r
		})
		if !on && len(seen) > 0 {
			t.Errorf("told without being on: %v", seen)
		}
		// Three positions; in each of two phases one turn of the leader and three ballots; none of the ballots on the
		// draft.
		if on && (seen["stance position"] != 3 || seen["stance ballot"] != 6 || seen["at once turn"] != 2 ||
			seen["nothing new"] == 0) {
			t.Errorf("told %v", seen)
		}
	}
}
