package minutes

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// MotionStatus is the state of a motion.
type MotionStatus string

// The statuses of a motion. An open one waits for a second or for ballots; a joined one was put with others of its
// round as one choice, which has the result.
const (
	MotionOpen      MotionStatus = "OPEN"
	MotionDied      MotionStatus = "DIED"
	MotionWithdrawn MotionStatus = "WITHDRAWN"
	MotionJoined    MotionStatus = "JOINED"
	MotionCarried   MotionStatus = "CARRIED"
	MotionLost      MotionStatus = "LOST"
	MotionNoQuorum  MotionStatus = "NO_QUORUM"
)

// Moved is a motion's mover, place and words, amendments included.
type Moved struct {
	ID       council.MotionID `json:"motionId"`
	Title    string           `json:"motionTitle"`
	Text     string           `json:"motionText"`
	Decision string           `json:"decisionIfPass"`
	Mover    council.MemberID `json:"calledBy"` // empty: options were put by the rules, and no motion of a member was chosen
	Round    int              `json:"round"`
	Turn     int              `json:"turnIndex"`
}

// Motion is a motion with its vote.
type Motion struct {
	Moved
	Event      string             `json:"event"`
	Phase      council.PhaseID    `json:"phaseId"`
	Seconder   council.MemberID   `json:"secondedBy,omitempty"`
	Options    []string           `json:"options,omitempty"`    // of a choice, whose question is the title
	Of         []council.MotionID `json:"motions,omitempty"`    // put as its options; the one chosen gives it its words
	Leaning    string             `json:"leaning,omitempty"`    // the option to which a council leans that chose none
	Supersedes []council.MotionID `json:"supersedes,omitempty"` // those that it replaces if it carries
	Status     MotionStatus       `json:"status"`
	Vote       *council.Decision  `json:"vote,omitempty"`
	Decided    string             `json:"decidedAt,omitempty"`
	DecidedIn  string             `json:"decidedIn,omitempty"` // the event
	Ballots    []Ballot           `json:"ballots,omitempty"`
	Amendments []*Amendment       `json:"amendments,omitempty"` // in seat order of those who proposed them
	Seq        council.Seq        `json:"-"`                    // of the event that made it
	Choice     *quorum.Choice     `json:"-"`                    // of a choice that was counted
	Weighed    bool               `json:"-"`                    // the amendments were weighed
}

func (m *Minutes) decide(p council.MotionDecided, in council.Seq, at time.Time) {
	charter, won := &m.Started.Charter, p.Result == quorum.Carried
	m.Agreed = m.Agreed && won && p.Count.Yes == len(charter.Seats())
	on := m.Motion(p.Motion)
	if on == nil {
		return
	}
	on.Status, on.Vote, on.Ballots = MotionStatus(p.Result), &p.Decision, m.ballots()
	on.Decided, on.DecidedIn = stamp(at), in.ID()
	if on.Choice = p.Choice; p.Choice != nil {
		on.Decision, on.Leaning = council.Chosen(on.Options, p.Choice), council.Leaning(on.Options, p.Choice)
		if m.Proposed != nil && won && *p.Choice.Chosen == 0 {
			on.Text = m.Proposed.Text
		}
	}
	if won && len(on.Of) > 0 {
		if chosen := m.Motion(on.Of[*p.Choice.Chosen]); chosen != nil {
			on.Title, on.Text, on.Decision, on.Mover = chosen.Title, chosen.Text, chosen.Decision, chosen.Mover
			on.Supersedes = chosen.Supersedes
		}
	}
	v := m.Visit()
	if v == nil {
		return
	}
	switch decides := charter.DecidesIn(v.Phase); {
	case won:
		replaced := func(earlier *Motion) bool { return slices.Contains(on.Supersedes, earlier.ID) }
		v.Standing = append(slices.DeleteFunc(slices.Clone(v.Standing), replaced), on)
		if decides {
			m.Deciding = v.Standing
		}
	case len(v.Standing) == 0 && decides:
		m.Deciding = []*Motion{on}
	}
}

// Motion returns the motion with the given id, or nil. The one asked for is nearly always the last.
func (m *Minutes) Motion(id council.MotionID) *Motion {
	for _, motion := range slices.Backward(m.Motions) {
		if motion.ID == id {
			return motion
		}
	}
	return nil
}

// motion is Motion for changes: those of a motion that was erased are dropped.
func (m *Minutes) motion(id council.MotionID) *Motion { return cmp.Or(m.Motion(id), &Motion{}) }

// Findings returns the motions in force that decide nothing: those of other phases, and of earlier visits.
func (m *Minutes) Findings() []*Motion {
	var found []*Motion
	for _, v := range m.Visits {
		for _, on := range v.Standing {
			if !slices.Contains(m.Deciding, on) {
				found = append(found, on)
			}
		}
	}
	return found
}

// WhyUndecided returns in a sentence why nothing was decided. It is empty where something carried, as in a rehearsal.
func (m *Minutes) WhyUndecided() string {
	charter := &m.Started.Charter
	if m.Outcome != nil && len(m.Outcome.Resolutions) > 0 {
		return ""
	}
	if charter.IsAuto() {
		return "No answer was carried."
	}
	if len(charter.Phases) < 2 {
		return "No motion was carried."
	}
	deciding, visits := charter.DecidingPhase().ID, 0
	for _, v := range m.Visits {
		if v.Phase == deciding {
			visits++
		}
	}
	why := fmt.Sprintf("Phase %s, which decides the question, carried no motion", deciding)
	switch visits {
	case 0:
		return fmt.Sprintf("The session did not reach phase %s, which decides the question.", deciding)
	case 1:
		return why + "."
	}
	return why + " in its last visit."
}

// Resolved returns the motions in force of the last visit to the deciding phase, in order: the session's resolutions.
func (m *Minutes) Resolved() []*Motion {
	if len(m.Deciding) == 0 || m.Deciding[0].Status != MotionCarried {
		return nil
	}
	return m.Deciding
}

// Leaning returns the option to which the council leans after a choice, where nothing is resolved; else "".
func (m *Minutes) Leaning() string {
	if on := last(m.Motions); on != nil && len(m.Resolved()) == 0 {
		return on.Leaning
	}
	return ""
}

// Ballot is one member's ballot. A ballot of INVALID or ABSENT has a fault and no rationale.
type Ballot struct {
	Member    council.MemberID  `json:"member"`
	Ballot    string            `json:"ballot"` // YES, NO, ABSTAIN, INVALID or ABSENT; of a choice the ranking in words
	Ranking   council.Ranks     `json:"-"`
	Rationale string            `json:"rationale,omitempty"`
	Fault     council.FaultKind `json:"fault,omitempty"`
	Event     string            `json:"event"`
	Scripted  bool              `json:"scripted,omitempty"` // the person who convened wrote it
}

// ballots lists the ballots that were counted last, faults included, in the order of the record.
func (m *Minutes) ballots() []Ballot {
	var out []Ballot
	for _, e := range m.Heard {
		b := Ballot{Member: e.Actor, Event: e.Seq.ID(), Scripted: m.Started.Charter.Scripted(e.Actor)}
		if p, ok := e.Payload.(council.BallotCast); ok {
			b.Ballot, b.Rationale = string(p.Ballot.Ballot), p.Rationale
		} else if p, ok := e.Payload.(council.RankingCast); ok {
			b.Ballot, b.Ranking, b.Rationale = p.Ranking.Words(), p.Ranking, p.Rationale
		} else if p, ok := e.Payload.(council.MemberFaulted); ok {
			b.Ballot, b.Fault = string(p.Standing), p.Fault.Kind
		} else {
			continue
		}
		out = append(out, b)
	}
	return out
}

// Draft is one version of the document with its votes and reviews.
type Draft struct {
	council.DraftWritten
	Brief   *council.Brief // that is voted on with it; nil where the leader wrote none
	By      council.MemberID
	Seq     council.Seq
	Erased  bool              // its words were forgotten: it is no longer the draft that was voted on
	Vote    *council.Decision // nil until it is counted
	Decided time.Time         // UTC
	Ballots []Ballot
	Reviews []Review
}

// RefusedDraft is a reply that was not taken as a version of the document.
type RefusedDraft struct {
	council.RefusedDraft
	Version int
	By      council.MemberID
	Seq     council.Seq // of the event that records it
}

// Review lists the requests of one member, or, without a member, the sections that the draft lacks.
type Review struct {
	Member      council.MemberID  `json:"member,omitempty"`
	Event       string            `json:"event"`
	Blockers    []council.Blocker `json:"criticalBlockers"`
	Suggestions []string          `json:"suggestedChanges"`
}

// Approved reports whether the vote on the draft carried.
func (d *Draft) Approved() bool { return d.Vote != nil && d.Vote.Result == quorum.Carried }

// Failed reports whether the draft was voted on and not approved.
func (d *Draft) Failed() bool { return d.Vote != nil && d.Vote.Result != quorum.Carried }

// Draft returns the given version, or nil: it may have been erased.
func (m *Minutes) Draft(version int) *Draft {
	return council.First(m.Drafts, func(one *Draft) bool { return one.Version == version })
}

// LastDraft returns the newest version, or nil.
func (m *Minutes) LastDraft() *Draft { return last(m.Drafts) }

// FinalDraft returns the version that the session ended with, or the newest while it is open. It is nil when there is
// none, or when its content was erased.
func (m *Minutes) FinalDraft() *Draft {
	switch {
	case m.Outcome == nil:
		return m.LastDraft()
	case m.Outcome.Draft == nil:
		return nil
	}
	return m.Draft(m.Outcome.Draft.Version)
}

// AmendmentStatus is the state of an amendment.
type AmendmentStatus string

// The statuses of an amendment; one that was voted on has the result of the vote. One that was put waits for it.
const (
	AmendmentProposed AmendmentStatus = "PROPOSED"
	AmendmentAccepted AmendmentStatus = "ACCEPTED" // by the mover
	AmendmentPut      AmendmentStatus = "PUT"
	AmendmentDied     AmendmentStatus = "DIED" // without a second
	AmendmentFell     AmendmentStatus = "FELL" // earlier decisions left nothing to amend so
)

// Amendment is a change that a member proposed to a motion.
type Amendment struct {
	Event  council.AmendmentID `json:"event"`
	Member council.MemberID    `json:"proposedBy"`
	council.Amendment
	Status        AmendmentStatus   `json:"status"`
	Vote          *council.Decision `json:"vote,omitempty"`
	Ballots       []Ballot          `json:"ballots,omitempty"`
	Before, After council.Wording   `json:"-"` // the motion before it was taken in and after; empty if it was not
}

// Wording returns the words of the motion.
func (m *Moved) Wording() council.Wording {
	return council.Wording{MotionTitle: m.Title, MotionText: m.Text, DecisionIfPass: m.Decision}
}

// Pending returns the amendment on which ballots are cast, or nil.
func (m *Motion) Pending() *Amendment {
	return council.First(m.Amendments, func(a *Amendment) bool { return a.Status == AmendmentPut })
}

// proposed lists the amendments among the answers that the last event opened.
func (m *Minutes) proposed() (out []*Amendment) {
	for e, p := range council.Payloads[council.SecondAnswered](m.Heard) {
		if p.Amendment != nil {
			out = append(out, &Amendment{Event: council.AmendmentID(e.Seq.ID()), Member: e.Actor, Amendment: *p.Amendment,
				Status: AmendmentProposed})
		}
	}
	seats := m.Seats()
	slices.SortStableFunc(out, func(a, b *Amendment) int {
		return cmp.Compare(slices.Index(seats, a.Member), slices.Index(seats, b.Member))
	})
	return out
}

// Amendment returns the amendment that an event proposed, or nil.
func (m *Motion) Amendment(id council.AmendmentID) *Amendment {
	return council.First(m.Amendments, func(a *Amendment) bool { return a.Event == id })
}
