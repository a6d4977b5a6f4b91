package rules

import (
	"reflect"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// poll decides a session at the pace auto: by one ballot on the answers, and another after each round on the difference
// between them. The last ballot of a member counts.
type poll struct {
	*record
	visit    *visit
	proposal council.Event                       // ANSWERS_PROPOSED; zero where options are given
	answers  []string                            // on the ballot
	added    bool                                // missing answers are on it
	spares   bool                                // were asked
	gone     []council.MemberID                  // that are not asked for ballots any more
	repeats  repeats                             // ballots that earlier replies hold
	before   map[council.MemberID]quorum.Ranking // the ballots before those of the round
	last     council.MotionDecided
}

// repeats are events that repeat what a member said before, in the order in which they are due.
type repeats []step

// next returns the next of them, or the step after all.
func (q *repeats) next(then func() step) step {
	if len(*q) == 0 {
		return then()
	}
	first := (*q)[0]
	*q = (*q)[1:]
	return first
}

// begin puts the options to the vote by the rankings of the positions, or has the leader propose the answers.
func (p *poll) begin() step {
	if p.answers = p.charter.Options; len(p.answers) > 0 {
		return p.put("")
	}
	return p.ask(council.AskPropose, p.visit.place(), p.leader)
}

func answersOf(held []council.Held) []string {
	return council.Map(held, func(one council.Held) string { return one.Answer })
}

// putStances puts the stances of the positions where no member could propose answers: those that most hold first.
func (p *poll) putStances() step {
	named := p.namedStances()
	slices.SortStableFunc(named, func(a, b council.Held) int { return len(b.HeldBy) - len(a.HeldBy) })
	if p.answers = answersOf(named[:min(len(named), council.MaxOptions)]); len(p.answers) == 0 {
		return p.visit.closeDebate(council.EndUnanswered)
	}
	return p.put("")
}

func (p *poll) put(place string) step {
	return due(council.ChoicePut{Motion: council.MotionID(p.visit.place() + place + "choice"), Options: p.answers})
}

// collect asks for ballots, or repeats those that positions hold.
func (p *poll) collect() step {
	p.vote = newVote()
	switch {
	case p.spares:
		opening := council.Seq(1)
		if _, recalled := p.log[1].Payload.(council.MemoryRecalled); recalled {
			opening = 2
		}
		asks := p.ask(council.AskPosition, p.visit.place()+"spares.", p.charter.Deliberation.Spares...)
		for i := range asks.asks {
			asks.asks[i].AsOf = opening
		}
		return asks
	case p.proposal.Seq == 0 && len(p.charter.Options) > 0 && p.visit.round == 0 && !p.added:
		return p.repeatBallots()
	}
	return p.askForBallots(council.AskRank, string(p.visit.matter.motion.ID)+".", p.count)
}

// askForBallots asks the members that are not gone for ballots; where none is left, all are absent, and then goes on.
func (p *poll) askForBallots(kind council.AskKind, place string, then func() step) step {
	p.vote = newVote()
	voters := p.membersWhere(func(m council.MemberID) bool { return !slices.Contains(p.gone, m) })
	if len(voters) == 0 {
		return then()
	}
	return p.ask(kind, place, voters...)
}

// repeatBallots casts the rankings of the last replies of all seats asked.
func (p *poll) repeatBallots() step {
	p.repeats = nil
	for _, m := range p.voters() {
		byPosition := !p.spares || !slices.Contains(p.seats, m)
		var said council.Event
		var ranking council.Ranks
		for _, e := range p.log {
			switch b := e.Payload.(type) {
			case council.PositionSealed:
				if e.Actor == m && byPosition {
					said, ranking = e, b.Ranking
				}
			case council.RankingCast:
				if e.Actor == m && !byPosition && b.Motion == p.last.Motion {
					said, ranking = e, b.Ranking
				}
			}
		}
		if len(ranking) > 0 {
			p.repeats = append(p.repeats, step{by: m, due: council.RankingCast{Answered: p.from(said),
				Motion: p.visit.matter.motion.ID, Ranked: council.Ranked{Ranking: ranking}}})
		} else if byPosition && said.Seq > 0 {
			p.vote.count.Invalid++
		}
	}
	return p.repeats.next(p.count)
}

// count decides the choice by the ballots of all seats asked.
func (p *poll) count() step {
	d, chosen := countRankings(p.visit.phase.Governance, p.voters(), p.answers, p.vote.ranks, p.vote.count.Invalid)
	return due(council.MotionDecided{Motion: p.visit.matter.motion.ID, Decision: d, Choice: &chosen})
}

// reason returns why a member voted as it did in the last ballot: its reasons there, or those of its position.
func (p *poll) reason(m council.MemberID) (said council.Event, words string) {
	for _, e := range p.log {
		if b, ranked := e.Payload.(council.RankingCast); ranked && b.From == 0 && e.Actor == m {
			said, words = e, b.Rationale
		} else if b, position := e.Payload.(council.PositionSealed); position && e.Actor == m {
			said, words = e, b.Position.Position
		}
	}
	return said, words
}

// voters lists the seats asked: the members that sit, and the spares once they were asked.
func (p *poll) voters() []council.MemberID {
	if p.spares {
		return slices.Concat(p.seats, p.charter.Deliberation.Spares)
	}
	return p.seats
}

// next closes the debate once the council agrees, or has decided after a round; else it goes on with what is missing.
func (p *poll) next(d council.MotionDecided) step {
	carried, rounds, before := d.Result == quorum.Carried, p.visit.phase.StopConditions.MaxRounds, p.before
	p.last, p.before = d, p.vote.ranks
	changed := slices.ContainsFunc(p.voters(), func(m council.MemberID) bool {
		now, voted := p.before[m]
		return voted && !reflect.DeepEqual(before[m], now)
	})
	switch {
	case p.agrees(d):
		return p.visit.closeDebate(council.EndUncontested)
	case p.visit.round == 0 && p.addMissing():
		return p.put("added.")
	case p.visit.round == 0, p.visit.round < rounds && !carried && changed && !p.spares:
		p.visit.round++
		return due(council.RoundStarted{Round: p.visit.round, Of: rounds})
	case carried:
		return p.visit.closeDebate(council.EndMajorityVote)
	case !p.spares && len(p.charter.Deliberation.Spares) > 0:
		p.spares = true
		return p.put("spares.")
	}
	return p.visit.closeDebate(council.EndRoundLimit)
}

// agrees reports whether an answer was carried that is alone first on the ballot of every seat asked.
func (p *poll) agrees(d council.MotionDecided) bool {
	return d.Result == quorum.Carried && !slices.ContainsFunc(p.voters(), func(m council.MemberID) bool {
		ranking := p.vote.ranks[m]
		return len(ranking) == 0 || len(ranking[0]) != 1 || ranking[0][0] != *d.Choice.Chosen
	})
}

// addMissing adds, once, at most two answers that a third of the seats, and at least two, name in the same words.
func (p *poll) addMissing() bool {
	if p.added {
		return false
	}
	p.added = true
	named, first := map[council.Stance]int{"": -len(p.log)}, map[council.Stance]string{}
	for _, answer := range p.answers {
		named[council.StanceOf(answer)] = -len(p.log) // on the list already
	}
	answers := slices.Clone(p.answers)
	for _, e := range p.log {
		missing := ""
		switch b := e.Payload.(type) {
		case council.PositionSealed:
			missing = b.Missing
		case council.RankingCast:
			missing = b.Missing
		}
		stance := council.StanceOf(missing)
		if named[stance]++; named[stance] == 1 {
			first[stance] = missing
		}
		room := len(answers) < min(len(p.answers)+maxAdded, council.MaxOptions)
		if _, problem := council.AnswerProblem([]string{missing}); room && problem == "" &&
			named[stance] == max(2, (len(p.seats)+2)/3) {
			answers = append(answers, first[stance])
		}
	}
	more := len(answers) > len(p.answers)
	p.answers = answers
	return more
}

// callSummary asks for the summary, or takes the one that the proposal holds for its first answer where that was
// carried last. Its brief carries out the choice.
func (p *poll) callSummary() step {
	proposed, ok := p.proposal.Payload.(council.AnswersProposed)
	if c := p.last.Choice; !ok || c == nil || c.Chosen == nil || *c.Chosen != 0 {
		return p.ask(council.AskSummary, "", p.leader)
	}
	s := council.SummaryWritten{Answered: p.from(p.proposal), Summary: proposed.Summary}
	if s.ExecutionBrief != nil {
		brief := *s.ExecutionBrief
		brief.Motions = []string{string(p.last.Motion)}
		s.ExecutionBrief, s.BriefSHA256 = &brief, brief.SHA256()
	}
	return step{due: s, by: p.proposal.Actor}
}

// proposalPayload checks the answers that a leader proposes: each position belongs to one, and most to the first.
func (p *poll) proposalPayload(answered council.Answered, b council.Answers) (council.Payload, error) {
	if problem := b.Problem(p.positions(), func(m council.MemberID) string { return string(m) }); problem != "" {
		return nil, badReply("%s", problem)
	}
	if b.Undecided = nil; b.RequiresExecution && b.ExecutionBrief == nil {
		return nil, badReply("a resolution that requires execution needs an executionBrief")
	} else if !b.RequiresExecution {
		b.ExecutionBrief = nil
	}
	if err := requireText("summaryMarkdown", b.SummaryMarkdown); err != nil {
		return nil, err
	}
	b.Answers = council.Map(b.Answers, func(one council.Held) council.Held {
		return council.Held{Answer: one.Answer, HeldBy: append([]council.MemberID{}, one.HeldBy...)} // a list, even if empty
	})
	return council.AnswersProposed{Answered: answered, Answers: b}, requireText("text", b.Text)
}

const maxAdded = 2 // answers that are missing

// positions lists the members that sealed a position, in seat order, or where positions have numbers in that of these.
func (p *poll) positions() []council.MemberID {
	if p.charter.HidesPeers() {
		numbered := p.charter.NumberedPositions(p.id, p.log)
		return council.Map(numbered, func(e council.Event) council.MemberID { return e.Actor })
	}
	sealed := map[council.MemberID]bool{}
	for e := range council.Payloads[council.PositionSealed](p.log) {
		sealed[e.Actor] = true
	}
	return p.membersWhere(func(m council.MemberID) bool { return sealed[m] })
}
