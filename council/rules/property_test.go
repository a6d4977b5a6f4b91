package rules_test

import (
	"fmt"
	"slices"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// TestProperty_AnySessionKeepsTheRules deliberates with random charters, replies, orders and faults, and throws the
// session away before a third of its steps.
func TestProperty_AnySessionKeepsTheRules(t *testing.T) {
	cites(t, 17, 26, 28, 34, 66, 73, 74, 75, 193, 201)
	rapid.Check(t, func(t *rapid.T) {
		c := randomCharter(t)
		s := counciltest.Open(t, "s1", council.Topic{Text: "Shall we?"}, c, randomMemory(t, &c)...)
		w := &witness{T: t, s: s, views: map[council.AskID]council.View{}, faults: 1}
		if rapid.Bool().Draw(t, "recall") {
			w.rule(hits("s0.e4"))
		}
		bound := maxAsks(&c)
		for w.s.Ready().Outcome == nil {
			w.maybeForget()
			w.step()
			if w.answered > bound {
				t.Fatalf("%d asks were answered, %d is the bound", w.answered, bound)
			}
		}
		recount(t, w.s)
	})
}

// witness drives a session at random and remembers the view of each open ask.
type witness struct {
	*rapid.T
	s        *rules.Session
	views    map[council.AskID]council.View
	answered int
	faults   int // of ten replies
}

// maybeForget throws the session away, one time in three, and rebuilds it from its log.
func (w *witness) maybeForget() {
	if rapid.IntRange(0, 2).Draw(w.T, "forget") > 0 {
		return
	}
	replayed := check.Get(rules.Replay(rules.Log(w.s.Events()...)))(w)
	check.Equal(w, "a replay wants something else", w.s.Ready(), replayed.Ready())
	check.Equal(w, "a replay has spent something else", w.s.Spent(), replayed.Spent())
	w.s = replayed
}

func (w *witness) step() {
	ready := w.s.Ready()
	if ready.Event != nil {
		w.apply(*ready.Event)
		return
	}
	if rapid.IntRange(0, 99).Draw(w.T, "exclude") == 0 {
		m := rapid.SampledFrom(w.s.Charter().Members).Draw(w.T, "excluded").ID
		if e, err := w.s.Rule(council.MembersExcluded{By: "test", Members: []council.MemberID{m}}); err == nil {
			w.apply(e)
			return
		}
	}
	if w.s.Suspended() != nil {
		w.rule(council.BudgetAmended{By: "test"})
		w.rule(council.SessionResumed{By: "test"})
		return
	}
	if len(ready.Asks) == 0 {
		w.Fatal("the session wants nothing and is not closed")
	}
	if rapid.IntRange(0, 199).Draw(w.T, "adjourn") == 0 {
		w.rule(council.SessionAdjourned{By: "test", Reason: "chance"})
		return
	}
	for _, a := range ready.Asks {
		w.look(a)
	}
	a := rapid.SampledFrom(ready.Asks).Draw(w.T, "ask")
	e, err := w.s.Answer(w.reply(a))
	if err != nil {
		w.Fatalf("%s: %v", a.ID, err)
	}
	fault, _ := e.Payload.(council.MemberFaulted)
	if e.Type() != council.TypeOf[council.SessionSuspended]() && fault.Standing != council.StandingOpen {
		w.answered++
		delete(w.views, a.ID)
	}
	w.apply(e)
}

func (w *witness) apply(e council.Event) {
	check.OK(w, w.s.Apply(e))
}

func (w *witness) rule(r council.Ruling) {
	e := check.Get(w.s.Rule(r))(w)
	w.apply(e)
}

// look compares an open ask's view with the one before, and checks its blindness.
func (w *witness) look(a council.Ask) {
	v := w.s.View(a)
	if w.s.Excluded(a.Member) {
		w.Fatalf("%s is excluded and is asked %s", a.Member, a.ID)
	}
	if before, ok := w.views[a.ID]; ok {
		check.Equal(w, fmt.Sprintf("the view of %s changed", a.ID), before, v)
	}
	w.views[a.ID] = v
	if form := askForms()[a.Kind]; form == nil || !form.MatchString(string(a.ID)) {
		w.Fatalf("the id %s is not in the table of docs/events.md", a.ID)
	}
	for _, r := range v.Memory {
		if r.Member != "" && (r.Member != a.Member || v.Phase != nil && !v.Phase.MemoryPolicy.ReadMemberMemory) {
			w.Fatalf("%s is told the memory of %s", a.ID, r.Member)
		}
	}
	check.Is(w, a.ID, int(a.AsOf), len(v.Events))
	if v.Question != nil && (a.Kind != council.AskReply || v.Question.To != a.Member) {
		w.Fatalf("%s is shown a question to %s", a.ID, v.Question.To)
	}
	for i, e := range v.Events {
		if _, turn := e.Body().(council.Turn); turn && v.Blind() && a.Kind == council.AskTurn &&
			!slices.ContainsFunc(v.Events[i:], func(e council.Event) bool { return e.Type() == "TURNS_OPENED" }) &&
			e.Turn == 0 {
			w.Fatalf("%s sees the turn of %s", a.ID, e.Actor)
		}
		w.debatesBlind(v, e)
		if r, ok := e.Payload.(council.RankingCast); ok && a.Kind == council.AskRank && r.Motion == v.Motion.ID {
			w.Fatalf("%s sees the ranking of %s", a.ID, e.Actor)
		}
		if b, ok := e.Payload.(council.BallotCast); ok && a.Kind == council.AskBallot {
			amendment := v.Motion != nil && len(v.Proposed) > 0
			sameMotion := v.Motion != nil && !amendment && b.Motion == v.Motion.ID ||
				amendment && b.Amendment == v.Proposed[0].ID
			sameDraft := v.Motion == nil && b.Draft != nil && *b.Draft == v.Draft.DraftRef
			if sameMotion || sameDraft {
				w.Fatalf("%s sees the ballot of %s", a.ID, e.Actor)
			}
		}
	}
}

func (w *witness) reply(a council.Ask) council.Reply {
	r := council.Reply{Ask: a.ID, Usage: council.Usage{Calls: 1,
		OutputTokens: int64(rapid.IntRange(0, 50).Draw(w.T, "tokens")),
		ElapsedMS:    int64(rapid.IntRange(0, 50).Draw(w.T, "ms"))}}
	if rapid.IntRange(0, 9).Draw(w.T, "fault") >= 10-w.faults {
		kinds := slices.DeleteFunc(council.FaultKinds(), council.FaultKind.Unheard)
		r.Fault = &council.Fault{Kind: rapid.SampledFrom(kinds).Draw(w.T, "kind"), Message: "by chance"}
		return r
	}
	r.Body = w.body(a)
	return r
}

func (w *witness) body(a council.Ask) council.Body {
	yes := rapid.Bool().Draw(w.T, "yes")
	switch a.Kind {
	case council.AskPosition:
		options := w.s.Charter().Options
		if v := w.s.View(a); v.Phase != nil { // of a spare
			options = v.Options
		}
		return council.Position{
			Position:   "P",
			Missing:    rapid.SampledFrom([]string{"", "Redis", "redis"}).Draw(w.T, "missing"),
			Confidence: rapid.SampledFrom([]float64{0.5, 0.8, 1, 1, 1}).Draw(w.T, "confidence"),
			Stance:     rapid.SampledFrom([]string{"yes", "Yes.", "yes", "no"}).Draw(w.T, "stance"),
			Ranking:    w.ranking(options),
			CandidateID: rapid.SampledFrom(append([]council.MemberID{"nobody"}, w.s.Charter().Seats()...)).
				Draw(w.T, "candidate"),
		}
	case council.AskNominate:
		return council.Nomination{CandidateID: rapid.SampledFrom(w.s.Charter().Seats()).Draw(w.T, "candidate")}
	case council.AskPropose:
		return w.propose(w.s.View(a))
	case council.AskTurn:
		return rapid.SampledFrom(append([]council.Turn{
			{Action: council.ActionContribute, Message: "M"}, {Action: council.ActionPass, Reason: "R"},
			{Action: council.ActionContribute,
				Message: "See (e" + strconv.Itoa(rapid.IntRange(1, 30).Draw(w.T, "evidence")) + ")."},
		}, w.more(a)...)).Draw(w.T, "turn")
	case council.AskRank:
		return council.Ranked{Rationale: "R", Ranking: w.ranking(w.s.View(a).Motion.Options),
			Missing: rapid.SampledFrom([]string{"", "Redis", "redis"}).Draw(w.T, "missing")}
	case council.AskSecond:
		return w.second(a, yes)
	case council.AskAmend:
		return w.amend(a)
	case council.AskBallot:
		return council.Ballot{Rationale: "R", Ballot: rapid.SampledFrom(
			[]council.Choice{council.ChoiceYes, council.ChoiceNo, council.ChoiceAbstain}).Draw(w.T, "choice")}
	case council.AskAssess:
		cite := "e" + strconv.Itoa(rapid.IntRange(0, 40).Draw(w.T, "cite"))
		return council.Assessment{Deliverables: []council.Claim{{ID: "thing", Met: yes, Citations: []string{cite}}}}
	case council.AskSummary:
		summary := council.Summary{SummaryMarkdown: "S", RequiresExecution: yes}
		if rapid.Bool().Draw(w.T, "settle") {
			summary.Settles = []council.Settlement{{Record: "r-1", How: council.SettledResolved}}
		}
		if yes {
			summary.ExecutionBrief = &council.Brief{Objective: "O"}
		}
		return summary
	}
	return counciltest.Agree(w.s.View(a))
}

// more lists the turns that only some charters allow, or some moments.
func (w *witness) more(a council.Ask) (turns []council.Turn) {
	v := w.s.View(a)
	if v.Options == nil {
		motion := council.Turn{Action: council.ActionCallVote, MotionTitle: "T", DecisionIfPass: "D",
			MotionText: w.fresh("adopt it in May or June")}
		replacing := motion
		replacing.MotionText, replacing.Supersedes = w.fresh("in May or June"), w.some(a)
		turns = append(turns, motion, replacing)
	}
	if v.MayAdd {
		turns = append(turns, council.Turn{Action: council.ActionAddOption, Message: "M",
			Option: rapid.SampledFrom([]string{"Redis ", "redis: "}).Draw(w.T, "option") + strconv.Itoa(len(v.Options))})
	}
	if v.Phase.Governance.Choices && !v.Blind() && v.Options == nil {
		turns = append(turns, council.Turn{Action: council.ActionCallChoice, MotionTitle: "T",
			Options: []string{"NATS", "Kafka", w.fresh("keep it")}})
	}
	if v.MayAsk {
		others := append(slices.Clone(v.Seats), council.Convener)
		others = slices.DeleteFunc(others, func(m council.MemberID) bool { return m == a.Member })
		turns = append(turns, council.Turn{Action: council.ActionAsk, Question: "Q?",
			To: rapid.SampledFrom(others).Draw(w.T, "to")})
	}
	return turns
}

// some draws from the motions in force.
func (w *witness) some(a council.Ask) (of []council.MotionID) {
	for _, m := range w.s.View(a).Standing {
		if rapid.Bool().Draw(w.T, "replaced") {
			of = append(of, m)
		}
	}
	return of
}

func randomCharter(t *rapid.T) council.Charter {
	c := smallCharter()
	for members := 3 + 2*rapid.IntRange(0, 2).Draw(t, "pairs"); len(c.Members) < members; {
		c.Members = append(c.Members, counciltest.Seats(council.MemberID("m"+strconv.Itoa(len(c.Members))))...)
	}
	c.TurnOrder = rapid.Permutation(c.Seats()).Draw(t, "turnOrder")
	c.Deliberation.SealedPositions = rapid.Bool().Draw(t, "sealed")
	if c.Deliberation.SealedPositions && rapid.Bool().Draw(t, "contestedOnly") {
		c.Deliberation.Stances, c.Deliberation.ContestedOnly = true, true
	}
	if rapid.Bool().Draw(t, "options") {
		c.Options = queues
	}
	c.Deliberation.Convener = rapid.Bool().Draw(t, "convener")
	c.Deliberation.ElectWithPositions = c.Deliberation.SealedPositions && rapid.Bool().Draw(t, "electWithPositions")
	c.SessionPolicy.MaxPhaseTransitions = rapid.IntRange(1, 3).Draw(t, "maxTransitions")
	c.Budget = council.Budget{Tokens: int64(rapid.IntRange(0, 2_000).Draw(t, "budget"))}
	if rapid.Bool().Draw(t, "documentation") {
		c.Output.Type = council.OutputDocumentation
		c.DocumentationReview.MaxRevisionRounds = rapid.IntRange(0, 2).Draw(t, "revisions")
	}
	ids := []council.PhaseID{"decide", "second", "third"}[:rapid.IntRange(1, 3).Draw(t, "phases")]
	c.Phases = nil
	for i, id := range ids {
		p := phase(id)
		p.Governance = council.Governance{
			RequireSeconding:  rapid.Bool().Draw(t, "seconding"),
			MajorityThreshold: rapid.SampledFrom([]quorum.Share{"0.3", "0.5", "2/3", "1"}).Draw(t, "threshold"),
			CountOf: rapid.SampledFrom([]quorum.CountOf{quorum.Members, quorum.Present, quorum.Cast}).
				Draw(t, "countOf"),
			Quorum:  rapid.IntRange(0, len(c.Members)).Draw(t, "quorum"),
			Choices: rapid.Bool().Draw(t, "choices"),
			Debate:  rapid.Bool().Draw(t, "debate"), MaxAmendments: rapid.IntRange(0, 3).Draw(t, "amendments"),
		}
		p.Turns = rapid.SampledFrom([]council.Turns{"", council.TurnsOrdered, council.TurnsRotate, council.TurnsTogether}).
			Draw(t, "turns")
		p.MemoryPolicy.ReadMemberMemory = rapid.Bool().Draw(t, "readMemory")
		p.StopConditions = council.StopConditions{
			MaxRounds: rapid.IntRange(1, 3).Draw(t, "rounds"), EndOnMajorityVote: rapid.Bool().Draw(t, "endOnMajority"),
			MaxQuestions: rapid.IntRange(0, 3).Draw(t, "questions"),
		}
		if rapid.Bool().Draw(t, "deliverables") {
			p.Deliverables = []council.Deliverable{{ID: "thing", Description: "A thing", Required: true}}
		}
		// The chain of fallbacks keeps every phase reachable.
		p.Fallback = council.Fallback{Resolution: "R", Action: council.FallbackTransition,
			TransitionToPhaseID: ids[(i+1)%len(ids)]}
		if rapid.Bool().Draw(t, "transition") {
			p.Transitions = []council.Transition{{
				To: rapid.SampledFrom(ids).Draw(t, "to"),
				When: rapid.SampledFrom([]council.Trigger{council.TriggerMajorityVote, council.TriggerRoundLimit,
					council.TriggerAlways}).Draw(t, "when"),
			}}
		}
		c.Phases = append(c.Phases, p)
	}
	return c
}

// randomMemory reminds the council, some members, or none.
func randomMemory(t *rapid.T, c *council.Charter) []council.Reminder {
	var memory []council.Reminder
	for _, of := range append([]council.MemberID{""}, c.Seats()...) {
		if rapid.Bool().Draw(t, "reminded") {
			memory = append(memory, reminder(of, "r-1", "r-2"))
		}
	}
	return memory
}

// recount adds up every vote of a log from its ballots and faults alone.
func recount(t *rapid.T, s *rules.Session) {
	var n quorum.Count
	ranked := 0
	for _, e := range s.Events() {
		switch p := e.Payload.(type) {
		case council.RankingCast:
			ranked++
		case council.BallotCast:
			switch p.Ballot.Ballot {
			case council.ChoiceYes:
				n.Yes++
			case council.ChoiceNo:
				n.No++
			case council.ChoiceAbstain:
				n.Abstain++
			}
		case council.MemberFaulted:
			if (p.Kind == council.AskBallot || p.Kind == council.AskRank) && p.Standing == council.StandingInvalid {
				n.Invalid++
			} else if p.Kind == council.AskBallot || p.Kind == council.AskRank {
				n.Absent++
			}
		case council.MotionDecided:
			if p.Choice != nil {
				if p.Count.Valid() != ranked || p.Count.Invalid != n.Invalid || p.Count.Absent != n.Absent {
					t.Fatalf("%+v was chosen on %d rankings and %+v", p.Decision, ranked, n)
				}
			} else {
				checkCount(t, s, p.Decision, n)
			}
			n, ranked = quorum.Count{}, 0
		case council.AmendmentDecided:
			if p.Vote != nil {
				checkCount(t, s, *p.Vote, n)
			}
			n = quorum.Count{}
		case council.DraftDecided:
			checkCount(t, s, p.Decision, n)
			n = quorum.Count{}
		}
	}
}

func checkCount(t *rapid.T, s *rules.Session, d council.Decision, n quorum.Count) {
	if d.Count != n || d.Rule.Members != len(s.Charter().Seats()) || d.Result != d.Rule.Decide(n) || !slices.Contains(
		[]quorum.Result{quorum.Carried, quorum.Lost, quorum.NoQuorum}, d.Result) {
		t.Fatalf("%+v was decided on the ballots %+v", d, n)
	}
}
