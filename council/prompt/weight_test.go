package prompt_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
)

// balloting is a session with a vote open: on a motion, weighed or not, or on a draft.
func balloting(t *testing.T, weighted, draft bool) (view council.View, asked prompt.Prompt) {
	t.Helper()
	c := charter(3, 1)
	if weighted {
		for i := range c.Phases {
			c.Phases[i].Governance = council.Governance{MajorityThreshold: 0.5, Weighting: council.WeightingConfidence}
		}
	}
	s := convene(t, council.Topic{Text: "Shall we?"}, c)
	answer := steady(20)
	found := false
	play(t, s, func(v council.View) council.Reply {
		if v.Ask.Kind == council.AskBallot && !found && (v.Motion == nil) == draft {
			found, view, asked = true, v, prompt.NewConversation(prompt.Limits{}).Next(v)
		}
		r := answer(v)
		if b, ok := r.Body.(council.Ballot); ok {
			b.Confidence = new(0.75)
			r.Body = b
		}
		return r
	})
	if !found {
		t.Fatal("nobody voted")
	}
	return view, asked
}

func TestAConfidenceIsAskedForWhereItWeighs(t *testing.T) {
	for name, test := range map[string]struct {
		weighted, draft bool
		contract        string
	}{
		"a motion that is weighed": {true, false, "reply.weighed-ballot"},
		"a draft":                  {true, true, "reply.ballot"},
		"one member, one vote":     {false, false, "reply.ballot"},
		"a draft of the same":      {false, true, "reply.ballot"},
	} {
		t.Run(name, func(t *testing.T) {
			v, asked := balloting(t, test.weighted, test.draft)
			weighs := test.contract != "reply.ballot"
			if asked.Contract.Name != test.contract || strings.Contains(string(asked.Contract.Schema), "confidence") != weighs {
				t.Errorf("the contract is %s", asked.Contract.Name)
			}
			question := asked.Messages[len(asked.Messages)-1].Content
			if strings.Contains(question, `"confidence": <`) != weighs {
				t.Errorf("asked:\n%s", question)
			}
			_, err := prompt.Parse(v, `{"rationale": "R", "ballot": "YES"}`)
			if errors.Is(err, council.ErrBadReply) != weighs {
				t.Errorf("without a confidence: %v", err)
			}
			body, err := prompt.Parse(v, `{"rationale": "R", "ballot": "no", "confidence": 0.75}`)
			if (err == nil) != weighs {
				t.Errorf("with a confidence: %v", err)
			}
			if want := (council.Ballot{Rationale: "R", Ballot: council.ChoiceNo, Confidence: new(0.75)}); weighs {
				if diff := cmp.Diff(council.Body(want), body); diff != "" {
					t.Error(diff)
				}
				if again, err := prompt.Parse(v, prompt.Text(body)); err != nil || !cmp.Equal(again, body) {
					t.Errorf("what is shown of it cannot be read back: %v", err)
				}
			}
			if _, err := prompt.Parse(v, `{"rationale": "R", "ballot": "ABSTAIN"}`); err != nil {
				t.Errorf("an abstention: %v", err)
			}
		})
	}
}
