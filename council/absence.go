package council

// takeFault goes on without the member that gave no usable answer.
func (s *Session) takeFault(p MemberFaulted, m MemberID) {
	invalid := p.Standing == StandingInvalid
	switch p.Kind {
	case AskPosition:
		s.settlePosition(m)
	case AskNominate:
		if invalid {
			s.badBallots++
		} else {
			s.noBallots++
		}
		s.settleNomination(m)
	case AskTurn:
		s.nextTurn()
	case AskSecond:
		s.settleSecond(m, false)
	case AskBallot:
		if invalid {
			s.vote.count.Invalid++
		} else {
			s.vote.count.Absent++
		}
		s.settleBallot(m)
	case AskReview:
		s.settleReview(m)
	case AskDissent:
		s.settleDissent(m)
	case AskAssess, AskSummary, AskDraft:
		s.takeLeaderFault(p)
	}
}

// takeLeaderFault hands the question to the next in the line of succession. When nobody is left, the session goes on
// and records as missing what nobody wrote.
func (s *Session) takeLeaderFault(p MemberFaulted) {
	s.handover = p.Kind
	if s.succeed(p.Ask) {
		return
	}
	switch p.Kind {
	case AskAssess:
		s.owe(s.endPhase())
	case AskSummary:
		s.callDocument()
	case AskDraft:
		s.callDissent()
	}
}
