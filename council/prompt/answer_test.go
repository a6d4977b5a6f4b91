package prompt_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

// An answer as a member is shown it later is one that would be taken again: it teaches no wrong form.
func TestAnswers_HaveTheFormOfTheirContract(t *testing.T) {
	type exchange struct {
		view council.View
		body council.Body
	}
	s := convene(t, council.Topic{Text: "How?"}, debating(choosing(asking(charter(3, 2)))))
	before := map[council.MemberID]exchange{}
	seen := map[council.AskKind]bool{}
	answer := steady(100)
	converse(t, s, prompt.Limits{}, func(v council.View, p *prompt.Prompt) council.Reply {
		m := v.Ask.Member
		if last, ok := before[m]; ok {
			got, err := prompt.Parse(last.view, p.Messages[p.Fresh].Content)
			if err != nil {
				t.Fatalf("%s: %v", last.view.Ask.ID, err)
			}
			// The session gives blockers ids of its own.
			options := cmp.Options{cmpopts.EquateEmpty(), cmpopts.IgnoreFields(council.Blocker{}, "ID")}
			check.Equal(t, last.view.Ask.ID, last.body, got, options)
			seen[last.view.Ask.Kind] = true
		}
		r := answer(v)
		if v.Ask.Kind == council.AskTurn && v.Round == 1 && v.Turn == 1 {
			r.Body = council.Turn{Action: council.ActionPass, Reason: "Nothing <yet> & more.",
				Note: "\"Quoted\"\n```\ncode\n```"}
		}
		before[m] = exchange{v, r.Body}
		return r
	})
	for _, kind := range council.AskKinds() {
		if !seen[kind] && kind != council.AskDissent { // nothing is asked after a dissent
			t.Errorf("no answer to a %s was shown again", kind)
		}
	}
}

func TestEveryJSONAnswerHasItsContract(t *testing.T) {
	s := convene(t, council.Topic{Text: "How?"}, debating(choosing(asking(charter(3, 1)))))
	seen := map[council.AskKind]bool{}
	play(t, s, func(v council.View) council.Reply {
		p := prompt.NewConversation(prompt.Limits{}).Next(v)
		seen[v.Ask.Kind] = true
		switch {
		case v.Ask.Kind == council.AskDraft && p.Contract != nil:
			t.Errorf("a draft has the contract %s", p.Contract.Name)
		case v.Ask.Kind != council.AskDraft &&
			(p.Contract == nil || p.Contract.Name != "reply."+string(v.Ask.Kind) || len(p.Contract.Forms) == 0):
			t.Errorf("%s: the contract %v", v.Ask.Kind, p.Contract)
		}
		return steady(50)(v)
	})
	if len(seen) != len(council.AskKinds()) {
		t.Errorf("only %v was asked", seen)
	}
}

// The examples of the questions are no answers: a model that repeats one has not answered.
func TestTheExamplesAreNoAnswers(t *testing.T) {
	s := convene(t, council.Topic{Text: "How?"}, debating(choosing(charter(3, 1))))
	play(t, s, func(v council.View) council.Reply {
		p := prompt.NewConversation(prompt.Limits{}).Next(v)
		question := last(p)
		if v.Ask.Kind != council.AskDraft {
			if body, err := prompt.Parse(v, question); err == nil {
				t.Errorf("%s: the question itself was taken as %v", v.Ask.ID, body)
			}
		}
		return steady(50)(v)
	})
}

// A turn may ask only while a question may be put, and replace motions only while some are carried.
func TestTurn_ListsPossibleActionsOnly(t *testing.T) {
	for _, turns := range []council.Turns{council.TurnsOrdered, council.TurnsTogether} {
		c := asking(charter(3, 2))
		c.Phases[0].Turns, c.Phases[0].StopConditions.EndOnMajorityVote = turns, false
		told := map[bool]int{}
		play(t, convene(t, council.Topic{Text: "How?"}, c), func(v council.View) council.Reply {
			p := prompt.NewConversation(prompt.Limits{}).Next(v)
			question := last(p)
			if v.Ask.Kind == council.AskTurn {
				told[v.MayAsk]++
				if strings.Contains(question, `"ASK"`) != v.MayAsk {
					t.Errorf("%s: may ask %v, and is told\n%s", v.Ask.ID, v.MayAsk, question)
				}
				if strings.Contains(question, `"supersedes"`) != (len(v.Standing) > 0) {
					t.Errorf("%s: %v stand, and it is told\n%s", v.Ask.ID, v.Standing, question)
				}
			}
			return steady(50)(v)
		})
		if told[false] == 0 {
			t.Errorf("%s: %v", turns, told)
		}
	}
}

// A turn of a phase that ranks options is offered no motion, and to add an option once; what others added is fenced.
func TestTurn_OfAPhaseThatRanksOptions(t *testing.T) {
	c := choosing(charter(3, 2))
	told, fenced := map[bool]int{}, 0
	play(t, convene(t, council.Topic{Text: "How?"}, c), func(v council.View) council.Reply {
		p := prompt.NewConversation(prompt.Limits{}).Next(v)
		question := last(p)
		r := steady(50)(v)
		if v.Ask.Kind != council.AskTurn || v.Options == nil {
			return r
		}
		told[v.MayAdd]++
		if strings.Contains(question, `"CALL_VOTE"`) || strings.Contains(question, `"ADD_OPTION"`) != v.MayAdd {
			t.Errorf("%s: may add %t, and is told\n%s", v.Ask.ID, v.MayAdd, question)
		}
		list := question[strings.Index(question, "rank these answers"):]
		if at := strings.Index(list, "In spring"); at > 0 {
			fenced++
			if before := list[max(0, at-40):at]; !strings.Contains(before, "<<") {
				t.Errorf("%s: an added option stands unfenced after %q", v.Ask.ID, before)
			}
		}
		if v.MayAdd && v.Turn == 1 {
			r.Body = council.Turn{Action: council.ActionAddOption, Message: "It is dry then.", Option: "In spring"}
		}
		return r
	})
	if told[true] == 0 || told[false] == 0 || fenced == 0 {
		t.Errorf("want turns that may add and others, and an added option, got %v and %d", told, fenced)
	}
}
