package rules

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/quorum"
)

// advance takes in an event that follows from the log, and sets the next step.
func (s *Session) advance(e council.Event) {
	s.addUsage(e)
	s.handoff.Apply(e)
	switch p := e.Payload.(type) {
	// Opening.
	case council.SessionStarted:
		s.id, s.topic, s.charter, s.memory = p.Session, p.Topic, p.Charter, p.Memory
		s.seats, s.budget, s.reached = s.charter.Seats(), s.charter.Budget, s.charter
		s.callOpening()
	case council.MemoryRecalled:
		s.callOpening()
	case council.PositionSealed:
		s.sealed++
		stance := council.StanceOf(p.Stance)
		if s.sealed == 1 {
			s.early.stance = stance
		}
		s.early.differ = s.early.differ || stance == "" || stance != s.early.stance || p.Confidence < MinConfidence
		if p.CandidateID == "" {
			s.badBallots++
		} else {
			s.votes[p.CandidateID]++
		}
		s.afterPosition(e.Actor)
	case council.PositionsOpened:
		s.early.agreed = p.Agreed
		if b := s.newBaseline(); b != nil {
			s.setDue(b)
			return
		}
		s.callElection()
	case council.Baseline:
		s.callElection()
	case council.LeaderBallotCast:
		s.votes[p.CandidateID]++
		s.afterLast(e.Actor, s.countElection)
	case council.LeaderElected:
		s.leader, s.ranking = p.Leader, p.Ranking
		s.enterPhase(s.charter.SessionPolicy.EntryPhaseID, "")
	case council.LeaderSucceeded:
		s.openAsks(s.handover, p.To)

	// Phases.
	case council.PhaseStarted:
		s.callRound()
	case council.RoundStarted:
		if s.together {
			s.openAsks(council.AskTurn, s.seats...)
			return
		}
		s.nextTurn()
	case council.ContributionMade:
		s.spoke++
		if p.Option != "" {
			s.moved++
		}
		s.added = council.WithAdded(s.added, e)
		s.noteCited(p.Cites)
		s.afterTurn(e.Actor)
	case council.TurnPassed:
		s.passed++
		s.noteCited(p.Cites)
		s.afterTurn(e.Actor)
	case council.QuestionPut:
		s.openQuestion(e, p)
	case council.QuestionAnswered:
		s.nextTurn()
	case council.MotionMade:
		s.receiveMotion(e, p)
	case council.TurnsOpened:
		s.resolveTabledMotions()
	case council.SecondAnswered:
		if p.Amendment != nil {
			s.amending.proposed = append(s.amending.proposed,
				council.Proposal{ID: council.AmendmentID(e.Seq.ID()), By: e.Actor, Amendment: *p.Amendment})
		}
		s.afterSecond(e.Actor, p.Second.Second)
	case council.MotionSeconded:
		s.callAmendments()
	case council.AmendmentsAnswered:
		s.afterAmend(e.Actor, p.Amend)
	case council.AmendmentsWeighed:
		s.amending.accepted, s.amending.put = p.Accepted, p.Put
		s.nextAmendment()
	case council.AmendmentDecided:
		if p.Vote != nil && p.Vote.Result == quorum.Carried {
			s.setDue(s.amendedEvent(s.amending.find(p.Amendment)))
			return
		}
		s.nextAmendment()
	case council.MotionAmended:
		motion := *s.motion // a copy: views hold the one before
		motion.Title, motion.Text, motion.Decision = p.MotionTitle, p.MotionText, p.DecisionIfPass
		s.motion = &motion
		s.nextAmendment()
	case council.MotionDied:
		s.early.agreed = false
		s.nextTurn()
	case council.ChoicePut:
		s.ending = p.Reason
		s.motion = &council.Motion{ID: p.Motion, Title: s.topic.Text, Options: p.Options, Seq: e.Seq, Of: p.Motions}
		s.callVote()
	case council.BallotCast:
		s.vote.choices[e.Actor] = p.Ballot.Ballot
		switch p.Ballot.Ballot {
		case council.ChoiceYes:
			s.vote.count.Yes++
		case council.ChoiceNo:
			s.vote.count.No++
		case council.ChoiceAbstain:
			s.vote.count.Abstain++
		}
		s.afterBallot(e.Actor)
	case council.RankingCast:
		s.vote.ranks[e.Actor], _ = p.Ranking.Of(s.motion.Options) // Answer has checked it
		s.afterBallot(e.Actor)
	case council.MotionDecided:
		s.applyDecision(p)
	case council.DebateClosed:
		s.debate = p
		if assesses(s.phase) {
			s.askLeader(council.AskAssess)
			return
		}
		s.setDue(s.endPhase())
	case council.PhaseAssessed:
		s.assessment = &p.Assessment
		s.setDue(s.endPhase())
	case council.PhaseEnded:
		s.phase = nil
		if p.Next != "" {
			s.transitions++
			s.enterPhase(p.Next, p.NextReason)
			return
		}
		s.askLeader(council.AskSummary)

	// Closing.
	case council.SummaryWritten:
		s.undecided = p.Undecided
		s.callDocument()
	case council.DraftWritten:
		s.draft = &p
		s.openAsks(council.AskBallot, s.seats...)
	case council.DraftDecided:
		s.vote.result = p.Result
		if p.Result != quorum.NoQuorum {
			s.draftVote = s.vote
		}
		if s.approved = p.Result == quorum.Carried; s.approved {
			s.callDissent()
			return
		}
		s.callReview()
	case council.ReviewGiven:
		s.blockers = append(s.blockers[:len(s.blockers):len(s.blockers)], p.CriticalBlockers...)
		s.afterLast(e.Actor, s.callRevision)
	case council.DissentWritten:
		s.afterLast(e.Actor, s.closeSession)
	case council.SessionClosed:
		s.outcome = &p.Outcome
		s.open = group{}

	// Faults.
	case council.MemberFaulted:
		s.applyFault(p, e.Actor)
	case council.SessionSuspended:
		s.suspended = &p.Fault

	// Rulings. Those on the execution are the handoff's.
	case council.SessionResumed:
		s.suspended = nil
		if len(s.open.asks) == 0 { // no position was usable: all are asked again
			s.positionRetries++
			s.callOpening()
		}
		if fault := s.overBudget(); fault != nil {
			s.due = council.SessionSuspended{Fault: *fault}
		}
	case council.SessionAdjourned:
		s.adjourned, s.suspended = true, nil
		s.closeSession()
	case council.NoteGiven:
		for i := range s.open.asks {
			if p.Ahead {
				s.open.asks[i].AsOf = e.Seq
			}
		}
	case council.BudgetAmended:
		s.budget = p.Budget
	case council.ServerMoved:
		s.reached, _ = charter.MoveServer(s.reached, p.Member, p.BaseURL) // expectedEvent has tried it
	}
}
