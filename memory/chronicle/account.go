package chronicle

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/recorder/wire"
)

// account is what an episode tells of a session, gathered event by event.
type account struct {
	charter council.Charter
	topic   string
	leader  council.MemberID
	walk    []visit

	titles   map[council.MotionID]string
	motions  int
	resolved []string        // what was carried, in words
	carried  map[string]bool // by what turns call a motion
	drafts   int
	dissents []council.MemberID
	faults   int
	erased   bool // some of the log was forgotten

	fallback  string
	summary   string // the leader's own resolution
	adjourned string // by whom and why
	closed    time.Time
	outcome   council.Outcome
	handoff   council.Handoff
}

// visit is one phase that the session went through.
type visit struct {
	phase  council.PhaseID
	rounds int
}

// take takes in one event. What was erased says nothing.
func (a *account) take(e wire.Entry) {
	a.handoff.Take(e.Event)
	switch p := e.Payload.(type) {
	case nil:
		a.erased = true
	case council.SessionStarted:
		a.charter, a.topic = p.Charter, p.Topic.Text
	case council.LeaderElected:
		a.leader = p.Leader
	case council.PhaseStarted:
		a.walk = append(a.walk, visit{phase: p.Phase})
	case council.RoundStarted:
		if n := len(a.walk); n > 0 {
			a.walk[n-1].rounds++
		}
	case council.MotionMade:
		if a.titles == nil {
			a.titles = map[council.MotionID]string{}
		}
		a.motions++
		a.titles[p.Motion] = p.MotionTitle
	case council.MotionDecided:
		a.decided(p)
	case council.PhaseEnded:
		a.fallback = p.Fallback
	case council.SummaryWritten:
		a.summary = p.FinalResolution
	case council.DraftWritten:
		a.drafts++
	case council.DissentWritten:
		if p.Dissent.Dissent != "" {
			a.dissents = append(a.dissents, e.Actor)
		}
	case council.MemberFaulted:
		a.faults++
	case council.SessionAdjourned:
		a.adjourned = sentence(led(p.By+" adjourned the session", p.Reason))
	case council.SessionClosed:
		a.close(e.Time.UTC(), p.Outcome)
	}
}

func (a *account) decided(p council.MotionDecided) {
	if p.Result != quorum.Carried {
		return
	}
	if a.carried == nil {
		a.carried = map[string]bool{}
	}
	a.carried[motion(p.Motion)] = true
	split := fmt.Sprintf("%d YES, %d NO", p.Count.Yes, p.Count.No)
	a.resolved = append(a.resolved, fmt.Sprintf("carried “%s” (%s)", a.titles[p.Motion], split))
}

func (a *account) close(at time.Time, o council.Outcome) {
	a.closed, a.outcome = at, o
	if o.Leader != "" {
		a.leader = o.Leader
	}
}

// name is how a member is called, for people.
func (a *account) name(id council.MemberID) string {
	if m := a.charter.Member(id); m != nil && strings.TrimSpace(m.Name) != "" {
		return m.Name
	}
	return string(id)
}

// names lists members once each, in the order in which they come.
func (a *account) names(ids []council.MemberID) string {
	var all []string
	for _, id := range ids {
		if n := a.name(id); !slices.Contains(all, n) {
			all = append(all, n)
		}
	}
	return strings.Join(all, ", ")
}
