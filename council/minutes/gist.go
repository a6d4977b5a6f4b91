package minutes

import (
	"cmp"
	"maps"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// State tells in a word or two how a session stands. Every list, file and message has these words and no others.
type State string

// The states. A log cannot tell whether a process works on its session: to its minutes every open session runs.
const (
	StateRunning     State = "running"
	StateInterrupted State = "interrupted" // no process works on it, and it can be resumed
	StateSuspended   State = "suspended"
	StateAdjourned   State = "adjourned"
	StateDecided     State = "decided"
	StateUndecided   State = "not decided"
	StateEmpty       State = "empty" // interrupted before its first event
	StateUnreadable  State = "unreadable"
)

// Words lists the words for how a closed or an open session stands, and for how far its approval has come.
func Words() []string {
	words := []string{string(StateRunning), string(StateInterrupted), string(StateSuspended), string(StateAdjourned),
		string(StateDecided), string(StateUndecided), string(StateEmpty), string(StateUnreadable)}
	return slices.Concat(words, slices.Sorted(maps.Values(documentWords)), council.ExecutionWords())
}

// Gist is what people want to know first of a session, and what lists of sessions hold.
type Gist struct {
	State    State         `json:"state"`
	Vote     *quorum.Count `json:"vote,omitempty"`     // on what was decided last; where nothing was, on what was lost last
	Approval string        `json:"approval,omitempty"` // see [Minutes.Approval]
	CostUSD  *float64      `json:"costUsd"`            // null: not known

	Reopens council.SessionID `json:"reopens,omitempty"` // the closed session that it takes up again
}

// Gist returns what people want to know first.
func (m *Minutes) Gist() Gist {
	g := Gist{State: m.State(), Approval: m.Approval()}
	if r := m.Started.Topic.Reopens; r != nil {
		g.Reopens = r.Session
	}
	if n := len(m.Deciding); n > 0 && m.Outcome != nil {
		g.Vote = &m.Deciding[n-1].Vote.Count
	}
	if cost := m.cost(); cost != nil {
		g.CostUSD = cost.Total
	}
	return g
}

// State returns how the session stands.
func (m *Minutes) State() State {
	switch {
	case m.Outcome != nil && m.Outcome.Decided:
		return StateDecided
	case m.Outcome != nil && m.Outcome.Ended == council.SessionCutShort:
		return StateAdjourned
	case m.Outcome != nil:
		return StateUndecided
	case m.Suspended != nil:
		return StateSuspended
	}
	return StateRunning
}

// Approval tells in words how far the approval of what a closed session made has come: that of its brief, where it has
// one, else that of its document. It is empty while the session is open, and where neither was asked for.
func (m *Minutes) Approval() string {
	if m.Outcome == nil {
		return ""
	}
	return cmp.Or(m.Handoff.Status.Words(), documentWords[m.Outcome.Documentation])
}

var documentWords = map[council.DocumentationStatus]string{
	council.DocumentationApproved:   "document approved",
	council.DocumentationUnapproved: "document not approved",
	council.DocumentationMissing:    "no document",
}

// Objection is a reason against what the council decided, or against what it put to the vote last.
type Objection struct {
	By    council.MemberID `json:"member"`
	Event string           `json:"event"`
	In    string           `json:"in"` // dissent, ballot or blocker
	Text  string           `json:"text"`
}

// Objection returns the strongest objection on record, or nil. A dissent is stronger than the reason of a ballot of NO
// on what was decided, and that is stronger than a blocker that no draft answers. Of several of one sort it is that of
// the member who was surest of its sealed position, else the first on record.
func (m *Minutes) Objection() *Objection {
	sure := map[council.MemberID]float64{}
	for _, e := range m.Events {
		if p, ok := e.Payload.(council.PositionSealed); ok {
			sure[e.Actor] = p.Confidence
		}
	}
	open := m.Unmet()
	var of [3][]Objection
	for _, d := range open.Dissents {
		of[0] = append(of[0], Objection{d.By, d.Event, "dissent", d.Text})
	}
	for _, motion := range m.Deciding {
		for _, b := range motion.Ballots {
			if b.Ballot == string(council.ChoiceNo) && b.Rationale != "" {
				of[1] = append(of[1], Objection{b.Member, b.Event, "ballot", b.Rationale})
			}
		}
	}
	for _, b := range open.Blockers {
		of[2] = append(of[2], Objection{b.Member, b.Event, "blocker", b.Problem})
	}
	for _, found := range of {
		if len(found) > 0 {
			slices.SortStableFunc(found, func(a, b Objection) int { return cmp.Compare(sure[b.By], sure[a.By]) })
			return &found[0]
		}
	}
	return nil
}
