package rehearsal_test

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal"
)

// A rehearsal shows a debate, an amendment that the mover accepts, and one that is voted on.
func TestARehearsalDebatesAndAmends(t *testing.T) {
	c := ready(t, "general")
	for i := range c.Phases {
		c.Phases[i].Governance.Debate, c.Phases[i].Governance.MaxAmendments = true, 2
	}
	s := hold(t, rehearsal.New(), c, topicOf(t, topics[0].text, topics[0].documents))
	accepted, put := 0, 0
	for _, p := range payloads[council.AmendmentsWeighed](s) {
		accepted, put = accepted+len(p.Accepted), put+len(p.Put)
	}
	if stands := payloads[council.SecondAnswered](s); len(stands) == 0 || stands[0].Stand == "" {
		t.Error("nobody says where it stands")
	}
	if accepted == 0 || put == 0 || len(payloads[council.MotionAmended](s)) < 2 {
		t.Errorf("%d amendments are accepted, %d put, %d taken in", accepted, put, len(payloads[council.MotionAmended](s)))
	}
}
