package prompt_test

import (
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// TestEarlyStopsSavePrompts counts the prompts of five members of one mind, with and without.
// Contributions have 1,200 characters, and the leader, who sits last, moves when it has the floor.
func TestEarlyStopsSavePrompts(t *testing.T) {
	run := func(stop bool) (questions int, sent int64) {
		c := charter(5, 3)
		c.Output.Type = council.OutputNone
		c.Deliberation.Stances, c.Deliberation.ContestedOnly = true, stop
		s := convene(t, council.Topic{Text: "Shall we?"}, c)
		converse(t, s, prompt.Limits{}, func(v council.View, asked *prompt.Prompt) council.Reply {
			questions++
			sent += asked.Bytes()
			r := council.Reply{Ask: v.Ask.ID}
			switch v.Ask.Kind {
			case council.AskPosition:
				r.Body = council.Position{Position: strings.Repeat("word ", 240), Confidence: 1, Stance: "yes"}
			case council.AskNominate:
				r.Body = council.Nomination{Rationale: "R", CandidateID: c.Members[4].ID}
			case council.AskTurn:
				r.Body = council.Turn{Action: council.ActionContribute, Message: strings.Repeat("word ", 240)}
				if v.Ask.Member == c.Members[4].ID { // all elect it
					r.Body = council.Turn{Action: council.ActionCallVote, MotionTitle: "T", MotionText: "X", DecisionIfPass: "D"}
				}
			case council.AskSecond:
				r.Body = council.Second{Rationale: "R", Second: true}
			case council.AskBallot:
				r.Body = council.Ballot{Rationale: strings.Repeat("word ", 60), Ballot: council.ChoiceYes, Stance: "yes"}
			case council.AskAssess:
				r.Body = council.Assessment{}
			default:
				r.Body = council.Summary{SummaryMarkdown: "S"}
			}
			return r
		})
		return questions, sent
	}
	with, sent := run(true)
	without, sentWithout := run(false)
	t.Logf("%d questions and %d bytes instead of %d and %d", with, sent, without, sentWithout)
	if with >= without || sent >= sentWithout {
		t.Error("nothing is saved")
	}
}
