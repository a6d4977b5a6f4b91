package rules_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// afterAnother has another phase lead to the one that decides.
func afterAnother(c *council.Charter) {
	before := phase("before")
	before.Transitions = []council.Transition{{To: c.Phases[0].ID, When: council.TriggerAlways}}
	c.Phases, c.SessionPolicy.EntryPhaseID = append([]council.Phase{before}, c.Phases...), before.ID
}

func TestTurn_MovesNothingWhereOptionsAreRanked(t *testing.T) {
	cites(t, 171, 225)
	f := inRound(t, func(c *council.Charter) { choosing(c); c.Phases[0].Governance.Choices = true })
	f.refused("p1.r1.t1.turn.ada", council.Turn{Action: council.ActionCallVote, MotionTitle: "T", MotionText: "T",
		DecisionIfPass: "Redis"})
	f.refused("p1.r1.t1.turn.ada", council.Turn{Action: council.ActionCallChoice, MotionTitle: "T",
		Options: []string{"A", "B"}})
	f.allPass()
	f.rank("NATS", "NATS", "NATS")
	check.Is(t, "no motion", 0, count(f, council.TypeOf[council.MotionMade]()))
	g := inRound(t, func(c *council.Charter) { choosing(c); afterAnother(c) })
	g.carry() // an earlier phase may move its findings
}

// adds has the member whose turn it is add an option.
func (f *floor) adds(id, option string) {
	f.Helper()
	f.say(id, council.Turn{Action: council.ActionAddOption, Message: "It is simpler.", Option: option})
}

func TestTurn_AddsOneOption(t *testing.T) {
	cites(t, 225, 226)
	f := inRound(t, func(c *council.Charter) { choosing(c); c.Phases[0].StopConditions.MaxRounds = 2 })
	add := council.Turn{Action: council.ActionAddOption, Message: "It is simpler."}
	for _, option := range []string{"", "nats.", "none of these", "<x>", strings.Repeat("x", 101), "a\nb"} {
		add.Option = option
		f.refused("p1.r1.t1.turn.ada", add)
	}
	add.Option, add.Message = "Redis", ""
	f.refused("p1.r1.t1.turn.ada", add)
	f.adds("p1.r1.t1.turn.ada", "Redis")
	add.Option, add.Message = "REDIS!", "It is simpler."
	f.refused("p1.r1.t2.turn.bob", add)
	v := f.s.View(f.ask("p1.r1.t2.turn.bob"))
	if want := append(slices.Clone(queues), "Redis"); !slices.Equal(v.Options, want) || !v.MayAdd {
		t.Errorf("want %q to rank, and one more by bob, got %q, %t", want, v.Options, v.MayAdd)
	}
	f.adds("p1.r1.t2.turn.bob", "RabbitMQ")
	f.pass()
	add.Option = "SQS"
	f.refused("p1.r2.t1.turn.ada", add)
	f.allPass()
	put := last[council.ChoicePut](f)
	if want := append(slices.Clone(queues), "Redis", "RabbitMQ"); !slices.Equal(put.Options, want) {
		t.Errorf("want %q put to the vote, got %q", want, put.Options)
	}
	f.rank("Redis > NATS", "Redis", "RabbitMQ")
	f.summarise()
	f.say("dissent.cyn", council.Dissent{})
	if o := f.outcome(); !o.Decided || o.Last().Decision != "Redis" {
		t.Errorf("want Redis chosen, got %+v", o)
	}

	g := inRound(t, func(c *council.Charter) {
		c.Options = []string{"1", "2", "3", "4", "5", "6"}
		afterAnother(c)
	})
	g.refused(g.turn(), add) // not in the deciding phase
	g.allPass()
	g.adds(g.turn(), "7")
	g.refused(g.turn(), add) // seven in all
}

func TestTurn_OptionsAddedAtOnceAreCountedOnce(t *testing.T) {
	cites(t, 226)
	f := inRound(t, func(c *council.Charter) {
		turning(council.TurnsTogether)(c)
		c.Options = []string{"1", "2", "3", "4", "5"}
	})
	f.adds("p1.r1.t1.turn.ada", "Redis")
	f.adds("p1.r1.t2.turn.bob", "redis.")
	f.adds("p1.r1.t3.turn.cyn", "Kafka")
	if v := f.s.View(f.ask(f.open()[0])); f.s.Ready().Asks[0].Kind == council.AskTurn && v.MayAdd {
		t.Errorf("ada may add another: %+v", v.Options)
	}
	for f.s.Ready().Asks[0].Kind == council.AskTurn {
		f.say(f.open()[0], council.Turn{Action: council.ActionPass, Reason: "R"})
	}
	want := []string{"1", "2", "3", "4", "5", "Redis", "Kafka"}
	if put := last[council.ChoicePut](f); !slices.Equal(put.Options, want) {
		t.Errorf("want %q put to the vote, got %q", want, put.Options)
	}
}

func (w *witness) ranking(options []string) council.Ranks {
	var r council.Ranks
	if len(options) == 0 {
		return nil
	}
	for _, o := range rapid.Permutation(append(slices.Clone(options), council.NoneOfThese)).Draw(w.T, "ranking") {
		if len(r) > 0 && rapid.IntRange(0, 3).Draw(w.T, "equal") == 0 {
			r[len(r)-1] = append(r[len(r)-1], o)
		} else if rapid.IntRange(0, 3).Draw(w.T, "left out") > 0 {
			r = append(r, []string{o})
		}
	}
	return r
}
