package chronicle

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
)

// account tells the minutes of a session as an episode does.
type account struct{ minutes.Minutes }

// leader returns who led last, or "".
func (a *account) leader() council.MemberID {
	if a.Outcome != nil && a.Outcome.Leader != "" {
		return a.Outcome.Leader
	}
	if a.Leader != nil {
		return a.Leader.Member
	}
	return ""
}

// outcome returns what the session came to, or nothing while it is open.
func (a *account) outcome() council.Outcome {
	if a.Outcome == nil {
		return council.Outcome{}
	}
	return *a.Outcome
}

// carried lists the motions that were carried.
func (a *account) carried() []*minutes.Motion {
	return slices.DeleteFunc(slices.Clone(a.Motions),
		func(m *minutes.Motion) bool { return m.Status != minutes.MotionCarried })
}

// fallback returns the charter's words for a phase without a resolution, of the phase that ended last.
func (a *account) fallback() string {
	for _, v := range slices.Backward(a.Visits) {
		if v.End != nil {
			return v.End.Fallback
		}
	}
	return ""
}

// name returns what a member is called.
func (a *account) name(id council.MemberID) string {
	if m := a.Started.Charter.Asked(id); m != nil && strings.TrimSpace(m.Name) != "" {
		return m.Name
	}
	return string(id)
}

// dissenters names those who wrote a dissent, each once.
func (a *account) dissenters() string {
	var all []string
	for _, e := range a.Dissents {
		if n := a.name(e.Actor); !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return strings.Join(all, ", ")
}
