package rules

import "github.com/council-engine/council/council"

// takeFault goes on without the member that gave no usable answer.
func (s *Session) takeFault(p council.MemberFaulted, m council.MemberID) {
	count := func(invalid, absent *int) {
		if p.Standing != council.StandingInvalid {
			invalid = absent
		}
		*invalid++
	}
	switch p.Kind {
	case council.AskPosition:
		s.noBallots++ // where positions elect
		s.settlePosition(m)
	case council.AskNominate:
		count(&s.badBallots, &s.noBallots)
		s.settle(m, s.countElection)
	case council.AskTurn:
		s.settleTurn(m)
	case council.AskReply:
		s.nextTurn()
	case council.AskSecond:
		s.settleSecond(m, false)
	case council.AskAmend:
		s.settleAmend(m, council.Amend{})
	case council.AskBallot, council.AskRank:
		count(&s.vote.count.Invalid, &s.vote.count.Absent)
		s.settleBallot(m)
	case council.AskReview:
		s.settle(m, s.callRevision)
	case council.AskDissent:
		s.settle(m, s.close)
	case council.AskAssess, council.AskSummary, council.AskDraft:
		s.takeLeaderFault(p, m)
	}
}

// takeLeaderFault has the next in the ranking answer in the leader's place. When none is left, the session goes on and
// records as missing what was not written.
func (s *Session) takeLeaderFault(p council.MemberFaulted, m council.MemberID) {
	s.handover = p.Kind
	if s.standIn(m, p.Ask) {
		return
	}
	switch p.Kind {
	case council.AskAssess:
		s.owe(s.endPhase())
	case council.AskSummary:
		s.callDocument()
	case council.AskDraft:
		s.callDissent()
	}
}
