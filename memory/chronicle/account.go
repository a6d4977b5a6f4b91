package chronicle

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
)

// account tells the minutes of a session as an episode does: episode.tmpl asks it.
type account struct{ minutes.Minutes }

// IsClosed reports whether the session has closed.
func (a *account) IsClosed() bool { return !a.Closed.IsZero() }

// Ended returns what the session came to, or nothing while it is open.
func (a *account) Ended() council.Outcome {
	if a.Outcome == nil {
		return council.Outcome{}
	}
	return *a.Outcome
}

// LedBy names who led last, or nobody.
func (a *account) LedBy() string {
	id := a.Ended().Leader
	if id == "" && a.Leader != nil {
		id = a.Leader.Member
	}
	return a.name(id)
}

// Carried lists the motions that were carried; the last is the one that holds.
func (a *account) Carried() []*minutes.Motion {
	return slices.DeleteFunc(slices.Clone(a.Motions),
		func(m *minutes.Motion) bool { return m.Status != minutes.MotionCarried })
}

// Last returns the last motion that was carried.
func (a *account) Last() *minutes.Motion {
	carried := a.Carried()
	return carried[len(carried)-1]
}

// Fallback returns the charter's words for a phase without a resolution, of the phase that ended last.
func (a *account) Fallback() string {
	for _, v := range slices.Backward(a.Visits) {
		if v.End != nil {
			return v.End.Fallback
		}
	}
	return ""
}

// stands says how an execution stands, but for one that is withheld, for which there are reasons.
var stands = map[council.ExecutionStatus]string{
	council.ExecutionAwaitingApproval: "Execution awaits approval",
	council.ExecutionCleared:          "To be carried out",
	council.ExecutionPermitted:        "To be carried out",
	council.ExecutionRefused:          "Not to be carried out",
	council.ExecutionUnderWay:         "Being carried out",
	council.ExecutionSucceeded:        "Carried out",
	council.ExecutionFailed:           "Execution failed",
}

// Execution tells how the execution stands; nothing where none is required.
func (a *account) Execution() string {
	h := a.Handoff
	if h.Status == council.ExecutionWithheld {
		return h.Withheld.Why()
	}
	text := stands[h.Status]
	if text != "" && h.Brief != nil && strings.TrimSpace(h.Brief.Objective) != "" {
		text += ": " + h.Brief.Objective
	}
	return text
}

// LastRuling tells the last ruling on the brief: by whom, and in which words.
func (a *account) LastRuling() string {
	h := a.Handoff
	ruling, verb := h.Finish, yes(h.Status == council.ExecutionSucceeded, "finished", "gave up")
	switch {
	case ruling != nil:
	case h.Start != nil:
		ruling, verb = h.Start, "began"
	case h.Rejection != nil:
		ruling, verb = h.Rejection, "rejected it"
	case h.Approval != nil:
		ruling, verb = h.Approval, yes(h.Approval.InAdvance, "approved in advance", "approved")
	default:
		return ""
	}
	return yes(ruling.Note == "", ruling.By+" "+verb+".", sentence(ruling.By+" "+verb+": "+ruling.Note))
}

// name returns what a member is called.
func (a *account) name(id council.MemberID) string {
	if m := a.Started.Charter.Asked(id); m != nil && strings.TrimSpace(m.Name) != "" {
		return m.Name
	}
	return string(id)
}

// Dissenters names those who wrote a dissent, each once.
func (a *account) Dissenters() string {
	var all []string
	for _, e := range a.Dissents {
		if n := a.name(e.Actor); !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return strings.Join(all, ", ")
}
