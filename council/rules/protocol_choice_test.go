package rules_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
)

var queues = []string{"NATS", "Kafka", "keep Postgres"}

func choosing(c *council.Charter) { c.Options = queues }

// ranks reads "NATS > Kafka = keep Postgres".
func ranks(text string) (r council.Ranks) {
	for group := range strings.SplitSeq(text, " > ") {
		r = append(r, strings.Split(group, " = "))
	}
	return r
}

// rank has the seats rank in order; an empty ranking is an absence, and "?" one that stays unusable.
func (f *floor) rank(rankings ...string) {
	f.Helper()
	for i, text := range rankings {
		id := string(f.s.Ready().Asks[0].ID)
		if want := "rank." + string(f.s.Charter().Seats()[i]); !strings.HasSuffix(id, want) {
			f.Fatalf("%s is open, not one that ends in %s", id, want)
		}
		switch text {
		case "":
			f.fault(id, council.FaultRefusal)
		case "?":
			f.fault(id, council.FaultUnparsable)
		default:
			f.say(id, council.Ranked{Rationale: "So.", Ranking: ranks(text)})
		}
	}
}

// refused holds that an answer to the open ask with the given id is refused as unusable.
func (f *floor) refused(id string, b council.Body) {
	f.Helper()
	check.ErrorIs(f, "the reply", council.ErrBadReply, check.Err(f.s.Answer(council.Reply{Ask: council.AskID(id),
		Body: b})))
}

func TestProtocolChoice_OptionsAreHeldAgainstTheirBounds(t *testing.T) {
	cites(t, 170)
	for problem, options := range map[string][]string{
		"2 to 7":         {"NATS"},
		"not 8":          {"1", "2", "3", "4", "5", "6", "7", "8"},
		`same as "NATS"`: {"NATS", "  nats. "},
		"names nothing":  {"NATS", " - "},
		"at most 200":    {"NATS", strings.Repeat("x", 201)},
		"placeholder":    {"NATS", "<a=b>"},
		"one line":       {"NATS", "Kafka\nor not"},
		"stands beside":  {"NATS", "None of these"},
	} {
		_, got := council.OptionProblem(options)
		check.That(t, strings.Contains(got, problem), "%q: %q", options, got)
	}
	if _, got := council.OptionProblem(queues); got != "" {
		t.Error(got)
	}
	c := smallCharter()
	c.Options = queues
	check.Equal(t, "options", queues, c.OptionsOf(&c.Phases[0]))
	c.Phases = append(c.Phases, phase("plan"))
	if got := c.OptionsOf(&c.Phases[0]); got != nil {
		t.Errorf("a phase before the last chooses between %q", got)
	}
	check.Equal(t, "options", queues, c.OptionsOf(&c.Phases[1]))
	c.Phases[0].Decides = true
	check.Equal(t, "options", queues, c.OptionsOf(&c.Phases[0]))
	got := c.OptionsOf(&c.Phases[1])
	check.That(t, got == nil, "a phase after the deciding one chooses between %q", got)
}

func TestProtocolChoice_ATurnMayProposeAChoice(t *testing.T) {
	cites(t, 171)
	f := inRound(t, func(c *council.Charter) { c.Phases[0].Governance.Choices = true })
	choice := council.Turn{Action: council.ActionCallChoice, MotionTitle: "Which queue?", Options: queues}
	single := choice
	single.Options = queues[:1]
	f.refused("p1.r1.t1.turn.ada", single)
	f.say("p1.r1.t1.turn.ada", choice)
	f.wantOpen("p1.r1.t1.second.bob", "p1.r1.t1.second.cyn")
	f.second("y")
	f.wantOpen("p1.r1.t1.rank.ada", "p1.r1.t1.rank.bob", "p1.r1.t1.rank.cyn")
	f.rank("Kafka > NATS", "Kafka", "Kafka = NATS")
	check.Is(t, "end", council.EndMajorityVote, last[council.DebateClosed](f).Reason)
	f.summarise()
	o := f.outcome()
	got := o.Last()
	check.That(t, got != nil && got.Decision == "Kafka" && got.Title == "Which queue?" && got.Yes == 2 && got.Abstain == 1,
		"resolved %+v", got)
	g := inRound(t, nil)
	g.refused("p1.r1.t1.turn.ada", choice)
}

func TestProtocolChoice_PositionsRankTheOptions(t *testing.T) {
	cites(t, 172)
	f := convene(t, func(c *council.Charter) { choosing(c); c.Deliberation.SealedPositions = true })
	position := func(r council.Ranks) council.Position {
		return council.Position{Position: "So.", Confidence: 0.5, Stance: "its own words", Ranking: r}
	}
	f.refused("position.ada", position(ranks("NATS > nats")))
	f.say("position.ada", position(ranks("NATS > Kafka")))
	check.Is(t, "its stance is", "NATS", last[council.PositionSealed](f).Stance)
	f.say("position.bob", position(ranks("NATS = Kafka")))
	check.Is(t, "the stance of a tie is", "", last[council.PositionSealed](f).Stance)
}

func TestProtocolChoice_OptionsArePutWhenTheDebateEnds(t *testing.T) {
	cites(t, 173, 174, 180)
	f := inRound(t, choosing)
	f.allPass()
	wantLast(f, council.ChoicePut{Motion: "p1.choice", Options: queues, Reason: council.EndAllPassed})
	f.wantOpen("p1.choice.rank.ada", "p1.choice.rank.bob", "p1.choice.rank.cyn")
	asks := f.s.Ready().Asks
	check.Is(t, "they may see up to", asks[0].AsOf, asks[2].AsOf)
	f.refused("p1.choice.rank.ada", council.Ranked{Rationale: "So.", Ranking: ranks("Redis")})
	f.refused("p1.choice.rank.ada", council.Ranked{Rationale: "So.", Ranking: ranks("NATS > Kafka > NATS")})
	f.rank("NATS > none of these", "NATS", "Kafka = NATS")
	if got := last[council.DebateClosed](f); got.Reason != council.EndMajorityVote ||
		!slices.Equal(got.Resolutions, []council.MotionID{"p1.choice"}) {
		t.Errorf("%+v", got)
	}
	f.summarise()
	if got := f.outcome(); !got.Decided || got.Last().Decision != "NATS" {
		t.Errorf("%+v", got)
	}

	g := inRound(t, choosing)
	g.allPass()
	g.rank("none of these", "none of these", "NATS")
	got := last[council.DebateClosed](g)
	check.That(t, got.Reason == council.EndAllPassed && got.Resolutions == nil, "%+v", got)

	h := inRound(t, choosing)
	for _, m := range []string{"1.turn.ada", "2.turn.bob", "3.turn.cyn"} {
		h.fault("p1.r1.t"+m, council.FaultRefusal)
	}
	check.Is(t, "end", council.EndUnanswered, last[council.DebateClosed](h).Reason)

}

func TestProtocolChoice_ARankingMayHaveEqualsAndLeaveOptionsOut(t *testing.T) {
	cites(t, 175)
	f := inRound(t, choosing)
	f.allPass()
	f.rank("Kafka = NATS", "Kafka", "Kafka")
	want := [][]int{{0, 0, 1, 1}, {2, 0, 3, 3}, {0, 0, 0, 0}, {0, 0, 0, 0}}
	same(t, want, last[council.MotionDecided](f).Choice.Prefers)
}

// A ranking that names something else besides is none: nothing of it counts, and its entries are on record.
func TestProtocolChoice_ARankingThatStaysUnclearIsInvalid(t *testing.T) {
	cites(t, 28, 172, 175)
	f := inRound(t, choosing)
	f.allPass()
	view := f.s.View(f.ask("p1.choice.rank.ada"))
	for _, text := range []string{`{"ranking": ["Redis", "NATS"]}`, `{"ranking": ["2. NATS", "1. Kafka"]}`} {
		check.ErrorIs(t, text, prompt.ErrUnclear, check.Err(prompt.Parse(view, text)))
	}
	f.rank("?", "Kafka", "Kafka")
	check.Is(t, "count", quorum.Count{Yes: 2, Invalid: 1}, last[council.MotionDecided](f).Count)

	sealed := convene(t, func(c *council.Charter) {
		choosing(c)
		c.Options, c.Deliberation.SealedPositions = queues, true
	})
	sealed.reads("position.ada", `{"position": "P", "confidence": 0.5, "ranking": ["Redis", "NATS"]}`)
	got := last[council.PositionSealed](sealed)
	check.That(t, got.Stance == "" && got.Ranking == nil && slices.Equal(got.UnreadRanking, []string{"Redis", "NATS"}),
		"want a position without a ranking, got %+v", got.Position)
}

func TestChoice_BeatsNoneOfTheseAndEveryOtherOption(t *testing.T) {
	cites(t, 176, 177, 179)
	tests := map[string]struct {
		votes   []string
		result  quorum.Result
		count   quorum.Count
		pair    []int
		leaning string
	}{
		"closest to another option": {
			[]string{"NATS > Kafka > none of these > keep Postgres", "NATS > Kafka", "Kafka > NATS"},
			quorum.Carried, quorum.Count{Yes: 2, No: 1}, []int{0, 1}, ""},
		"closest to none of these": {[]string{"NATS", "Kafka = NATS > none of these", "none of these > NATS"},
			quorum.Carried, quorum.Count{Yes: 2, No: 1}, []int{0, 3}, ""},
		"as many below none of these": {[]string{"NATS > none of these", "none of these > NATS", "?"},
			quorum.Lost, quorum.Count{Yes: 1, No: 1, Invalid: 1}, []int{0, 3}, "NATS"},
		"most want none of these": {[]string{"NATS", "none of these", "none of these"},
			quorum.Lost, quorum.Count{Yes: 1, No: 2}, []int{0, 3}, ""},
		"too few ballots": {[]string{"NATS", "", ""}, quorum.NoQuorum, quorum.Count{Yes: 1, Absent: 2}, []int{0, 3}, "NATS"},
		"no ballot":       {[]string{"", "?", ""}, quorum.NoQuorum, quorum.Count{Absent: 2, Invalid: 1}, nil, ""},
	}
	for name, test := range tests {
		f := inRound(t, choosing)
		f.allPass()
		f.rank(test.votes...)
		d := last[council.MotionDecided](f)
		check.That(t, d.Result == test.result && d.Count == test.count && slices.Equal(d.Choice.Pair, test.pair),
			"%s: want %s by %v with %+v, got %+v by %v", name, test.result, test.pair, test.count, d.Decision, d.Choice.Pair)
		if got := council.Leaning(queues, d.Choice); got != test.leaning || d.Needed != d.Rule.Needed(d.Of) {
			t.Errorf("%s: want the leaning %q, got %q; %+v", name, test.leaning, got, d.Decision)
		}
	}
}

// Seen: first preferences A, B, C of three seats: "chosen, above none of these by 3 of 3", exit 0, by lot.
func TestFirstPreferencesABCOfThreeSeats_ChosenByLot(t *testing.T) {
	cites(t, 178)
	for _, id := range []council.SessionID{"s1", "s2", "s3", "s4", "s5", "s6"} {
		c := smallCharter()
		choosing(&c)
		f := begun(t, id, c)
		f.settle()
		f.elect("ada", "ada", "ada")
		f.allPass()
		f.rank("Kafka > keep Postgres > NATS", "NATS > Kafka > keep Postgres", "keep Postgres > NATS > Kafka")
		d := last[council.MotionDecided](f)
		if d.Result != quorum.Lost || d.Choice.Chosen != nil {
			t.Fatalf("want nothing chosen, got %+v", d)
		}
		check.Is(t, "the first seat's answer as the leaning", "Kafka", council.Leaning(queues, d.Choice))
		f.summarise()
		for len(f.open()) > 0 {
			f.say(f.open()[0], council.Dissent{})
		}
		o := f.outcome()
		check.That(t, !o.Decided && len(o.Resolutions) == 0 && !o.RequiresExecution, "want an undecided session, got %+v", o)
	}
}

func TestProtocolChoice_WhoDidNotPrevailInAChoiceMayDissent(t *testing.T) {
	cites(t, 181)
	f := inRound(t, choosing)
	f.allPass()
	f.rank("NATS", "NATS = keep Postgres", "Kafka > NATS")
	f.summarise()
	f.wantOpen("dissent.cyn")

	g := inRound(t, choosing)
	g.allPass()
	g.rank("none of these", "none of these > NATS", "NATS")
	g.summarise()
	g.wantOpen("dissent.cyn")
}

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
	for _, option := range []string{"", "nats.", "none of these", "<x>", strings.Repeat("x", 201), "a\nb"} {
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
	check.Equal(t, "options", append(slices.Clone(queues), "Redis", "RabbitMQ"), last[council.ChoicePut](f).Options)
	f.rank("Redis > NATS", "Redis", "RabbitMQ")
	f.summarise()
	f.say("dissent.cyn", council.Dissent{})
	o := f.outcome()
	check.That(t, o.Decided && o.Last().Decision == "Redis", "want Redis chosen, got %+v", o)

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
	check.Equal(t, "options", []string{"1", "2", "3", "4", "5", "Redis", "Kafka"}, last[council.ChoicePut](f).Options)
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
