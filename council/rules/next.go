package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/quorum"
)

// group is a set of asks that were opened together and share one AsOf.
type group struct {
	asks     []council.Ask           // in seat order, but for seconds: in the order of the lot
	out      []council.Ask           // of these, those that are not answered
	deferred []council.MemberFaulted // of ballots that a later try may bring
}

// without returns asks without those of a member.
func without(asks []council.Ask, m council.MemberID) []council.Ask {
	return slices.DeleteFunc(slices.Clone(asks), func(a council.Ask) bool { return a.Member == m })
}

// next takes in an event that follows from the log, and returns the next step.
func (s *Session) next(e council.Event) step {
	if _, answers := e.Answered(); answers {
		s.open.out = without(s.open.out, e.Actor)
	}
	if fault, faulted := e.Payload.(council.MemberFaulted); faulted && fault.Fault.Kind == council.FaultExcluded {
		s.open.asks = without(s.open.asks, e.Actor)
	}
	s.spent.add(&s.charter, e)
	s.closing.handoff.Apply(e)
	election, visit, matter, closing := &s.election, &s.visit, &s.visit.matter, &s.closing
	switch p := e.Payload.(type) {
	// Opening.
	case council.SessionStarted:
		s.id, s.topic, s.charter, s.memory = p.Session, p.Topic, p.Charter, p.Memory
		s.seats, s.spent.budget, s.reached = s.charter.Seats(), s.charter.Budget, s.charter
		return election.begin()
	case council.MemoryRecalled:
		return election.begin()
	case council.PositionSealed:
		return s.afterLast(council.AskPosition)
	case council.PositionsOpened:
		visit.agreed = p.Agreed
		return election.countBaseline()
	case council.Baseline:
		return election.call()
	case council.LeaderBallotCast:
		return s.afterLast(council.AskNominate)
	case council.LeaderElected:
		s.leader, election.ranking = p.Leader, p.Ranking
		return visit.enter(s.charter.SessionPolicy.EntryPhaseID, "")
	case council.LeaderSucceeded:
		return s.ask(p.Because.Kind(), strings.TrimSuffix(string(p.Because), string(p.Because.Kind())+"."+string(p.From)),
			p.To)

	// Phases.
	case council.PhaseStarted:
		if s.charter.IsAuto() {
			return s.poll.begin()
		}
		return visit.callRound()
	case council.AnswersProposed:
		s.poll.proposal, s.poll.answers = e, answersOf(p.Answers.Answers)
		return s.poll.put("")
	case council.RoundStarted:
		if s.charter.IsAuto() {
			return s.poll.put("r" + strconv.Itoa(p.Round) + ".")
		}
		return visit.callTurns()
	case council.ContributionMade:
		if visit.spoke++; p.Option != "" {
			visit.moved++
		}
		visit.added = council.WithAdded(visit.added, e)
		visit.addCited(p.Cites)
		return visit.afterTurn()
	case council.TurnPassed:
		visit.passed++
		visit.addCited(p.Cites)
		return visit.afterTurn()
	case council.QuestionPut:
		return visit.takeQuestion(e, p)
	case council.QuestionAnswered:
		return visit.nextTurn()
	case council.MotionMade:
		return visit.takeMotion(e, p)
	case council.TurnsOpened:
		return visit.putTable()
	case council.SecondAnswered:
		if p.Amendment != nil {
			matter.proposed = append(matter.proposed,
				council.Proposal{ID: council.AmendmentID(e.Seq.ID()), By: e.Actor, Amendment: *p.Amendment})
		}
		matter.seconds[e.Actor] = p.Second.Second
		return matter.afterSecond()
	case council.MotionSeconded:
		return matter.callAmendments()
	case council.AmendmentsAnswered:
		return s.afterLast(council.AskAmend)
	case council.AmendmentsWeighed:
		matter.accepted, matter.put = p.Accepted, p.Put
		return matter.nextAmendment()
	case council.AmendmentDecided:
		if p.Vote != nil && p.Vote.Result == quorum.Carried {
			return matter.amend(matter.find(p.Amendment))
		}
		return matter.nextAmendment()
	case council.MotionAmended:
		motion := *matter.motion // a copy: views hold the one before
		motion.Title, motion.Text, motion.Decision = p.MotionTitle, p.MotionText, p.DecisionIfPass
		matter.motion = &motion
		return matter.nextAmendment()
	case council.MotionDied:
		visit.agreed = false
		return visit.nextTurn()
	case council.ChoicePut:
		return visit.callChoice(e, p)
	case council.BallotCast:
		s.vote.cast(e.Actor, p.Ballot.Ballot)
		return s.afterLast(council.AskBallot)
	case council.RankingCast:
		s.vote.ranks[e.Actor], _ = p.Ranking.Of(matter.motion.Options) // Answer has checked it
		if p.From > 0 {
			return s.poll.repeats.next(s.poll.count)
		}
		return s.afterLast(council.AskRank)
	case council.MotionDecided:
		return visit.takeDecision(p)
	case council.DebateClosed:
		return visit.afterDebate(p)
	case council.PhaseAssessed:
		visit.assessment = &p.Assessment
		return visit.end()
	case council.PhaseEnded:
		if visit.phase = nil; p.Next == "" {
			return s.poll.callSummary()
		}
		visit.transitions++
		return visit.enter(p.Next, p.NextReason)

	// Closing.
	case council.SummaryWritten:
		closing.undecided, closing.covered = p.Undecided, p.From > 0
		return closing.begin()
	case council.DraftWritten:
		return closing.callVote(p)
	case council.DraftDecided:
		return closing.takeDecision(p)
	case council.ReviewGiven:
		closing.blockers = append(slices.Clip(closing.blockers), p.CriticalBlockers...)
		return closing.repeats.next(func() step { return s.afterLast(council.AskReview) })
	case council.DissentWritten:
		return closing.repeats.next(func() step { return s.afterLast(council.AskDissent) })
	case council.SessionClosed:
		closing.outcome, s.open = &p.Outcome, group{}

	// Faults.
	case council.MemberFaulted:
		return s.afterFault(p, e.Actor)
	case council.SessionSuspended:
		s.suspended = &p.Fault

	// Rulings. Those on the execution are the handoff's.
	case council.SessionResumed:
		if s.suspended = nil; len(s.open.asks) == 0 { // no position was usable: all are asked again
			election.retries++
			return election.begin()
		}
		s.due = s.spent.suspension()
	case council.SessionAdjourned:
		closing.adjourned, s.suspended = true, nil
		return closing.end()
	case council.NoteGiven:
		if p.Ahead { // none of them is answered
			s.open.out = slices.Clone(s.open.asks)
			for i := range s.open.out {
				s.open.out[i].AsOf = e.Seq
			}
			s.open.asks = s.open.out
		}
	case council.BudgetAmended:
		s.spent.budget = p.Budget
	case council.MembersExcluded:
		s.excluded = append(s.excluded, p.Members...)
	case council.ServerMoved:
		s.reached, _ = charter.MoveServer(s.reached, p.Member, p.BaseURL) // expectedEvent has tried it
	}
	return step{}
}

// afterLast goes on once the last question of a kind that several members are asked is answered, or has a fault.
func (s *Session) afterLast(kind council.AskKind) step {
	if len(s.open.out) > 0 {
		return step{}
	}
	if suspended := s.closeOpen(); suspended.due != nil {
		return suspended
	}
	switch spare, matter := s.visit.phase != nil, &s.visit.matter; {
	case kind == council.AskPosition && spare:
		return s.poll.repeatBallots()
	case kind == council.AskPosition:
		return s.election.openPositions()
	case kind == council.AskNominate:
		return s.election.countVotes()
	case kind == council.AskAmend:
		return matter.weigh()
	case kind == council.AskReview:
		return s.closing.callRevision()
	case kind == council.AskDissent:
		return s.closing.end()
	case matter.motion == nil:
		return s.closing.count()
	case s.charter.IsAuto():
		return s.poll.count()
	default:
		return matter.count()
	}
}

// afterFault goes on without the member that gave no usable answer.
func (s *Session) afterFault(p council.MemberFaulted, m council.MemberID) step {
	if p.Standing == council.StandingOpen {
		s.open.deferred = append(s.open.deferred, p)
		return s.afterLast(p.Kind)
	}
	election, visit, closing := &s.election, &s.visit, &s.closing
	switch p.Kind {
	case council.AskPosition, council.AskNominate, council.AskAmend, council.AskReview, council.AskDissent:
		return s.afterLast(p.Kind)
	case council.AskTurn:
		return visit.afterTurn()
	case council.AskReply:
		return visit.nextTurn()
	case council.AskSecond:
		return visit.matter.afterSecond()
	case council.AskBallot, council.AskRank:
		if p.Standing == council.StandingInvalid {
			s.vote.count.Invalid++
		}
		return s.afterLast(p.Kind)
	}
	// The next in the ranking answers in the leader's place. When none is left, the session goes on without the answer.
	if next := slices.Index(election.ranking, m) + 1; next < len(election.ranking) {
		return due(council.LeaderSucceeded{From: m, To: election.ranking[next], Because: p.Ask})
	}
	switch p.Kind {
	case council.AskPropose:
		return s.poll.putStances()
	case council.AskAssess:
		return visit.end()
	case council.AskSummary:
		return closing.begin()
	}
	return closing.callDissent() // without a document
}
