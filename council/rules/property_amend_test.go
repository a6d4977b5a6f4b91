package rules_test

import (
	"strconv"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
)

// fresh returns words that no motion before had: one that was lost is not moved again.
func (w *witness) fresh(words string) string { return words + " " + strconv.Itoa(w.answered) }

// second supports, opposes or amends, and proposes now and then to strike words that another amendment may strike too.
func (w *witness) second(a council.Ask, yes bool) council.Body {
	v := w.s.View(a)
	b := council.Second{Rationale: "R", Second: yes}
	if !v.Phase.Governance.Debate {
		return b
	}
	b.Stand = rapid.SampledFrom([]council.Stand{council.StandSupport, council.StandOppose, council.StandAmend,
		council.StandAmend}).Draw(w.T, "stand")
	if !v.Phase.Governance.Amends() || len(v.Motion.Options) > 0 {
		b.Stand = council.StandOppose
	} else if b.Stand == council.StandAmend {
		b.Amendment = rapid.SampledFrom([]*council.Amendment{
			{Strike: "May", Insert: "July"}, {Strike: "June"}, {Strike: "in May or June"},
			{Substitute: &council.Wording{MotionTitle: "S", MotionText: w.fresh("not at all"), DecisionIfPass: "D"}},
		}).Draw(w.T, "amendment")
	}
	return b
}

func (w *witness) amend(a council.Ask) council.Body {
	v := w.s.View(a)
	b := council.Amend{Rationale: "R", Withdraw: rapid.IntRange(0, 4).Draw(w.T, "withdraw") == 0}
	for _, p := range v.Proposed {
		if p.By != a.Member && rapid.Bool().Draw(w.T, "amended") {
			b.Amendments = append(b.Amendments, p.ID)
		}
	}
	return b
}

// debatesBlind checks that a member does not see the others' answers before its own.
func (w *witness) debatesBlind(v council.View, e council.Event) {
	if p, ok := e.Payload.(council.SecondAnswered); ok && v.Ask.Kind == council.AskSecond && p.Motion == v.Motion.ID {
		w.Fatalf("%s sees where %s stands", v.Ask.ID, e.Actor)
	}
	if p, ok := e.Payload.(council.AmendmentsAnswered); ok && v.Ask.Kind == council.AskAmend && p.Motion == v.Motion.ID {
		w.Fatalf("%s sees what %s accepts", v.Ask.ID, e.Actor)
	}
}
