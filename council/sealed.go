package council

// Blind reports whether answers to asks of the kind are kept back until all of them are in: members that are yet to answer
// must not see them.
func (k AskKind) Blind() bool {
	switch k {
	case AskPosition, AskNominate, AskSecond, AskBallot:
		return true
	}
	return false
}

// Sealed reports whether an event records an answer that was given blind, or the lack of one: it is kept back until an
// event that opens it.
func (e Event) Sealed() bool {
	if p, ok := e.Payload.(MemberFaulted); ok {
		return p.Kind.Blind()
	}
	said := e.Said()
	return said != nil && said.AskKind().Blind()
}

// Opens reports whether an event shows what was kept back.
func (e Event) Opens() bool {
	switch e.Payload.(type) {
	case PositionsOpened, LeaderElected, MotionSeconded, MotionDied, MotionDecided, DraftDecided:
		return true
	}
	return false
}
