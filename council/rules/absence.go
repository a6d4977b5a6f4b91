package rules

import "github.com/council-engine/council/council"

// takeFault goes on without the member that gave no usable answer.
func (s *Session) takeFault(p council.MemberFaulted, m council.MemberID) {
	invalid := p.Standing == council.StandingInvalid
	switch p.Kind {
	case council.AskPosition:
		s.noBallots++ // where positions elect
		s.settlePosition(m)
	case council.AskNominate:
		if invalid {
			s.badBallots++
		} else {
			s.noBallots++
		}
		s.settleNomination(m)
	case council.AskTurn:
		s.settleTurn(m)
	case council.AskReply:
		s.nextTurn()
	case council.AskSecond:
		s.settleSecond(m, false)
	case council.AskAmend:
		s.settleAmend(m, council.Amend{})
	case council.AskBallot, council.AskRank:
		if invalid {
			s.vote.count.Invalid++
		} else {
			s.vote.count.Absent++
		}
		s.settleBallot(m)
	case council.AskReview:
		s.settleReview(m)
	case council.AskDissent:
		s.settleDissent(m)
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
