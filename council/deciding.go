package council

// DecidingPhase returns the phase whose votes decide the session: the one that says so, else the last listed. A
// charter without phases has none, and nil is returned.
func (c *Charter) DecidingPhase() *Phase {
	for i := range c.Phases {
		if c.Phases[i].Decides || i == len(c.Phases)-1 {
			return &c.Phases[i]
		}
	}
	return nil
}

// DecidesIn reports whether a phase is the one whose votes decide the session. Without any phase it is true, since a
// charter whose words were erased has none.
func (c *Charter) DecidesIn(phase PhaseID) bool {
	deciding := c.DecidingPhase()
	return deciding == nil || deciding.ID == phase
}

// DraftGovernance returns the rule for votes on drafts: that of the review, else that of the deciding phase.
func (c *Charter) DraftGovernance() Governance {
	if g := c.DocumentationReview.Governance; g != nil {
		return *g
	}
	if p := c.DecidingPhase(); p != nil {
		return p.Governance
	}
	return Governance{}
}
