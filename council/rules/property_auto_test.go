package rules_test

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// A session at the pace auto, under any charter and with any replies, decides nothing that does not beat every other
// answer over all seats asked, ends within its bound, and goes on after a crash as if there had been none.
func TestAnyAutoSession_IsBoundedAndDecidesByAllSeatsAsked(t *testing.T) {
	cites(t, 240, 243, 244, 247, 248)
	rapid.Check(t, func(t *rapid.T) {
		w := beginAuto(t, randomAutoCharter(t))
		w.faults = rapid.SampledFrom([]int{0, 1, 5}).Draw(t, "faults")
		for w.s.Ready().Outcome == nil {
			replayed := check.Get(rules.Replay(rules.Log(w.s.Events()...)))(t)
			check.Equal(t, "Ready after a replay", w.s.Ready(), replayed.Ready())
			check.Equal(t, "Spent after a replay", w.s.Spent(), replayed.Spent())
			w.s = replayed
			if !w.leaves() {
				w.step()
			}
		}
		if most := w.mostAsks(); w.answered > most {
			t.Fatalf("%d asks were answered, %d is the bound", w.answered, most)
		}
		recountChoices(t, w.s)
	})
}

// leaves leaves a ballot out that could change nothing, one time in two, and reports whether it did. Whatever the
// members that are out would have voted, the same is carried.
func (w *witness) leaves() bool {
	ready := w.s.Ready()
	if ready.Event != nil || !w.s.Settled(nil) || rapid.Bool().Draw(w.T, "await") {
		return false
	}
	carries := func(reply func(council.Ask) council.Reply) string {
		s := check.Get(rules.Replay(rules.Log(w.s.Events()...)))(w)
		for _, a := range ready.Asks {
			check.OK(w, s.Apply(check.Get(s.Answer(reply(a)))(w)))
		}
		due := s.Ready().Event
		switch p := due.Payload.(type) {
		case council.MotionDecided:
			return council.Chosen(s.View(ready.Asks[0]).Motion.Options, p.Choice)
		case council.DraftDecided:
			return string(p.Result)
		}
		w.Fatalf("after the last ballot %s is due", due.Type())
		return ""
	}
	heard := carries(func(a council.Ask) council.Reply { return council.Reply{Ask: a.ID, Body: w.body(a)} })
	left := carries(func(a council.Ask) council.Reply { return notAwaited(string(a.ID)) })
	check.Is(w, "carried without the ballots that are out", heard, left)
	a := rapid.SampledFrom(ready.Asks).Draw(w.T, "left")
	e := check.Get(w.s.Answer(notAwaited(string(a.ID))))(w)
	w.answered++
	w.apply(e)
	return true
}

func beginAuto(t *rapid.T, c council.Charter) *witness {
	s := counciltest.Open(t, "s1", council.Topic{Text: "Shall we?"}, c)
	return &witness{T: t, s: s, views: map[council.AskID]council.View{}}
}

func randomAutoCharter(t *rapid.T) council.Charter {
	c := smallCharter()
	for i := range 2 * rapid.IntRange(0, 2).Draw(t, "pairs") {
		c.Members = append(c.Members, counciltest.Seats(council.MemberID("m"+strconv.Itoa(i)))...)
		c.Members[len(c.Members)-1].Model.Model = rapid.SampledFrom([]string{"script", "other"}).Draw(t, "model")
	}
	c.TurnOrder = rapid.Permutation(c.Seats()).Draw(t, "turnOrder")
	if rapid.Bool().Draw(t, "options") {
		c.Options = queues
	}
	if rapid.Bool().Draw(t, "documentation") {
		c.Output.Type = council.OutputDocumentation
		c.DocumentationReview.MaxRevisionRounds = rapid.IntRange(0, 2).Draw(t, "revisions")
	}
	p := &c.Phases[0]
	p.Governance.MajorityThreshold = rapid.SampledFrom(shares()).Draw(t, "threshold")
	p.Governance.Quorum = rapid.IntRange(0, len(c.Members)).Draw(t, "quorum")
	p.StopConditions.MaxRounds = rapid.IntRange(1, 3).Draw(t, "rounds")
	c.Deliberation.Pace = council.PaceAuto
	if seats := rapid.IntRange(1, len(c.Members)).Draw(t, "seats"); seats > 1 {
		c.Deliberation.Seats = seats
	}
	charter.SetPace(&c)
	check.OK(t, charter.Check(&c))
	return c
}

// mostAsks returns the bound of docs/costs.md, with a document and with the leaders that succeed one another.
func (w *witness) mostAsks() int {
	c := w.s.Charter()
	n, spares := len(c.Seats()), len(c.Deliberation.Spares)
	most := 5*n + spares + 3
	questions := 2 // to a leader: the proposal and the summary
	if c.Output.Type == council.OutputDocumentation {
		drafts := c.DocumentationReview.MaxRevisionRounds + 1
		most, questions = most+drafts*(1+n), questions+drafts
	}
	if w.faults > 0 {
		most += questions * (n - 1)
	}
	for _, e := range w.s.Events() {
		if p, ok := e.Payload.(council.SessionSuspended); ok && p.Fault.Kind == council.FaultUnusable {
			most += n // all positions are asked for again
		}
	}
	return most
}

// fractions are the shares of [shares], by numerator and denominator.
var fractions = map[quorum.Share][2]int{"0.3": {3, 10}, "0.5": {1, 2}, "2/3": {2, 3}, "1": {1, 1}}

func shares() []quorum.Share { return []quorum.Share{"0.3", "0.5", "0.5", "0.5", "2/3", "1"} }

// recountChoices counts every choice of a log again, pair by pair, and compares the outcome with the last.
func recountChoices(t *rapid.T, s *rules.Session) {
	c := s.Charter()
	governance := c.DecidingPhase().Governance
	var put council.ChoicePut
	var ballots []council.Ranks
	asked := len(c.Seats())
	winner, decided := "", false
	for _, e := range s.Events() {
		switch p := e.Payload.(type) {
		case council.ChoicePut:
			put, ballots, winner, decided = p, nil, "", false
			if strings.Contains(string(p.Motion), "spares") {
				asked = len(c.Seats()) + len(c.Deliberation.Spares)
			}
		case council.RankingCast:
			check.Is(t, "a ballot is on", put.Motion, p.Motion)
			ballots = append(ballots, p.Ranking)
		case council.MotionDecided:
			decided = true
			winner = beatsAll(governance, put.Options, ballots, asked)
			if (p.Result == quorum.Carried) != (winner != "") || council.Chosen(put.Options, p.Choice) != winner {
				t.Fatalf("want %q chosen of %q by %d seats with the ballots %q, got %s %q", winner, put.Options, asked, ballots,
					p.Result, council.Chosen(put.Options, p.Choice))
			}
			check.Is(t, "counted seats", asked, p.Of)
			check.Is(t, "seats of the rule", asked, p.Rule.Members)
		}
	}
	o := s.Ready().Outcome
	if o.Decided != (decided && winner != "") {
		t.Fatalf("want decided: %t, got %t", winner != "", o.Decided)
	}
	if o.Decided && (len(o.Resolutions) != 1 || o.Resolutions[0].Decision != winner ||
		o.Resolutions[0].Motion != put.Motion) {
		t.Fatalf("want %q resolved by %s alone, got %+v", winner, put.Motion, o.Resolutions)
	}
}

// beatsAll returns the answer that has enough ballots of all seats against every other one and none of these, or "".
func beatsAll(g council.Governance, options []string, ballots []council.Ranks, asked int) string {
	above := func(x, y string) (n int) {
		for _, b := range ballots {
			place := func(o string) int {
				if at := slices.IndexFunc(b, func(group []string) bool { return slices.Contains(group, o) }); at >= 0 {
					return at
				}
				return len(b)
			}
			if place(x) < place(y) {
				n++
			}
		}
		return n
	}
	needed := g.Quorum
	if needed == 0 {
		needed = asked/2 + 1
	}
	if len(ballots) < needed {
		return ""
	}
	share := fractions[g.MajorityThreshold]
	for _, x := range options {
		beats := true
		for _, y := range append(slices.Clone(options), council.NoneOfThese) {
			yes := above(x, y)
			beats = beats && (x == y || 2*yes > asked && yes*share[1] >= share[0]*asked && yes > above(y, x))
		}
		if beats {
			return x
		}
	}
	return ""
}

// A ballot of the last round that is lost never makes an undecided council decide.
func TestAnyAutoSession_DecidesNothingForWantOfABallot(t *testing.T) {
	cites(t, 244)
	rapid.Check(t, func(t *rapid.T) {
		c := randomAutoCharter(t)
		c.Output.Type = council.OutputNone
		w := beginAuto(t, c)
		given := map[council.AskID]council.Reply{}
		var last []council.AskID // the asks for the ballots of the last round, and of spares
		place := ""
		w.finish(func(a council.Ask) council.Reply {
			r := council.Reply{Ask: a.ID, Body: w.body(a)}
			given[a.ID] = r
			if before, _, ok := strings.Cut(string(a.ID), "."+string(a.Kind)+"."); ok && a.Kind.Blind() {
				if place != before && !strings.Contains(before, "spares") {
					place, last = before, nil
				}
				last = append(last, a.ID)
			}
			return r
		})
		if w.s.Ready().Outcome == nil || w.s.Ready().Outcome.Decided || len(last) == 0 {
			return
		}
		lost := rapid.SampledFrom(last).Draw(t, "lost")
		kind := rapid.SampledFrom([]council.FaultKind{council.FaultRefusal, council.FaultUnparsable, council.FaultRate}).
			Draw(t, "kind")
		again := beginAuto(t, c)
		again.finish(func(a council.Ask) council.Reply {
			if a.ID == lost {
				return council.Reply{Ask: a.ID, Fault: &council.Fault{Kind: kind, Message: "lost"}}
			}
			r, ok := given[a.ID]
			if r.Ask = a.ID; !ok && a.Kind == council.AskRank { // in a round that follows as a ballot changed
				r.Body = again.lastBallot(a)
			} else if !ok {
				r.Body = counciltest.Agree(again.s.View(a))
			}
			return r
		})
		if o := again.s.Ready().Outcome; o != nil && o.Decided {
			t.Fatalf("without %s the council decides %+v", lost, o.Resolutions)
		}
	})
}

// finish answers all asks in their order, until the session is closed or suspended.
func (w *witness) finish(reply func(council.Ask) council.Reply) {
	for w.s.Ready().Outcome == nil && w.s.Suspended() == nil {
		if due := w.s.Ready().Event; due != nil {
			w.apply(*due)
			continue
		}
		a := w.s.Ready().Asks[0]
		e, err := w.s.Answer(reply(a))
		if err != nil {
			w.Fatalf("%s: %v", a.ID, err)
		}
		w.apply(e)
	}
}

// lastBallot repeats the last ballot of a member, or ranks nothing above none of these if it has none.
func (w *witness) lastBallot(a council.Ask) council.Ranked {
	b := council.Ranked{Rationale: "R", Ranking: ranks(council.NoneOfThese)}
	for _, e := range w.s.Events() {
		if p, ok := e.Payload.(council.RankingCast); ok && e.Actor == a.Member {
			b.Ranking = p.Ranking
		}
	}
	return b
}

// propose groups the positions at random; the answers are those of most positions first.
func (w *witness) propose(v council.View) council.Answers {
	b := proposal()
	for _, m := range v.Positions {
		answer := rapid.SampledFrom([]string{"NATS", "Kafka", "keep Postgres"}).Draw(w.T, "answer")
		at := slices.IndexFunc(b.Answers, func(one council.Held) bool { return one.Answer == answer })
		if at < 0 {
			at, b.Answers = len(b.Answers), append(b.Answers, council.Held{Answer: answer})
		}
		b.Answers[at].HeldBy = append(b.Answers[at].HeldBy, m)
	}
	slices.SortStableFunc(b.Answers, func(one, other council.Held) int { return len(other.HeldBy) - len(one.HeldBy) })
	return b
}

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
