package minutes

import (
	"cmp"
	"maps"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// State is the state of a session in a word or two. Every list, file and message has these words and no others.
type State string

// The states. A log does not show whether a process works on its session: to its minutes every open session runs.
const (
	StateRunning     State = "running"
	StateInterrupted State = "interrupted" // no process works on it, and it can be resumed
	StateSuspended   State = "suspended"
	StateAdjourned   State = "adjourned"
	StateDecided     State = "decided"
	StateUndecided   State = "not decided"
	StateRehearsed   State = "rehearsed" // closed, and the built-in rehearsal had a seat: nothing is decided
	StateEmpty       State = "empty"     // interrupted before its first event
	StateUnreadable  State = "unreadable"
)

// Words lists the words for the states of a session and of its approval.
func Words() []string {
	words := []string{string(StateRunning), string(StateInterrupted), string(StateSuspended), string(StateAdjourned),
		string(StateDecided), string(StateUndecided), string(StateRehearsed), string(StateEmpty), string(StateUnreadable)}
	return slices.Concat(words, slices.Sorted(maps.Values(documentWords)), council.ExecutionWords())
}

// Gist is the summary of a session in lists.
type Gist struct {
	State    State             `json:"state"`
	Vote     *quorum.Count     `json:"vote,omitempty"`     // on the last motion that decided; without one on the last that was lost
	Approval string            `json:"approval,omitempty"` // see [Minutes.Approval]
	CostUSD  *float64          `json:"costUsd"`            // null: not known
	Reopens  council.SessionID `json:"reopens,omitempty"`  // the closed session that it takes up again
}

// Gist returns the summary of the session.
func (m *Minutes) Gist() Gist {
	g := Gist{State: m.State(), Approval: m.Approval()}
	if r := m.Started.Topic.Reopens; r != nil {
		g.Reopens = r.Session
	}
	if n := len(m.Deciding); n > 0 && m.Outcome != nil {
		g.Vote = &m.Deciding[n-1].Vote.Count
	}
	if cost := m.Replies().cost(); cost != nil {
		g.CostUSD = cost.Total
	}
	return g
}

// State returns the state of the session.
func (m *Minutes) State() State {
	switch {
	case m.Outcome != nil && m.Outcome.Rehearsed:
		return StateRehearsed
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

// Standing is State, where held says whether a process works on the session: without one it is not running.
func (m *Minutes) Standing(held bool) State {
	switch state := m.State(); {
	case m.Outcome == nil && held:
		return StateRunning
	case state != StateRunning:
		return state
	case len(m.Events) == 0:
		return StateEmpty
	}
	return StateInterrupted
}

// Approval describes the approval of a closed session's brief, or without a brief of its document. It is empty while
// the session is open, of a rehearsal, and where neither was asked for.
func (m *Minutes) Approval() string {
	if m.Outcome == nil || m.Outcome.Rehearsed {
		return ""
	}
	return cmp.Or(m.Handoff.Status.Words(), documentWords[m.Outcome.Documentation])
}

var documentWords = map[council.DocumentationStatus]string{
	council.DocumentationApproved:   "document approved",
	council.DocumentationUnapproved: "document not approved",
	council.DocumentationMissing:    "no document",
}

// Objection is a reason against the decision, or against the last motion that was voted on.
type Objection struct {
	By    council.MemberID `json:"member"`
	Event string           `json:"event"`
	In    string           `json:"in"` // dissent, ballot or blocker
	Text  string           `json:"text"`
}

// Objection returns the strongest objection on record, or nil. A dissent is stronger than the reason of a ballot of NO
// on the decision, and that is stronger than an open blocker. Of several of one sort it is that of the member who was
// surest of its sealed position, else the first on record.
func (m *Minutes) Objection() *Objection {
	sure := map[council.MemberID]float64{}
	for e, p := range council.Payloads[council.PositionSealed](m.Events) {
		sure[e.Actor] = p.Confidence
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
		if b.Member != "" {
			of[2] = append(of[2], Objection{b.Member, b.Event, "blocker", b.Problem})
		}
	}
	for _, found := range of {
		if len(found) > 0 { // the first of the surest
			return new(slices.MaxFunc(found, func(a, b Objection) int {
				return cmp.Compare(sure[a.By], sure[b.By])
			}))
		}
	}
	return nil
}

// Withheld counts, by member and kind, secrets cut out of replies and lookups, and hidden characters in them.
type Withheld struct {
	CutReplies    []CutOf `json:"cutReplies,omitempty"`
	HiddenReplies []CutOf `json:"hiddenReplies,omitempty"`
	CutLookups    []CutOf `json:"cutLookups,omitempty"`
	HiddenLookups []CutOf `json:"hiddenLookups,omitempty"`
}

// CutOf counts the secrets, or hidden characters, of one kind in the replies or lookups of one member.
type CutOf struct {
	Member council.MemberID `json:"member"`
	Kind   string           `json:"kind"`
	Count  int              `json:"count"`
}

// addCuts adds counts to a list in the order of members and kinds.
func addCuts(all *[]CutOf, of council.MemberID, found []council.Cut) {
	for _, f := range found {
		at, known := slices.BinarySearchFunc(*all, CutOf{Member: of, Kind: f.Kind}, func(a, b CutOf) int {
			return cmp.Or(cmp.Compare(a.Member, b.Member), cmp.Compare(a.Kind, b.Kind))
		})
		if !known {
			*all = slices.Insert(*all, at, CutOf{Member: of, Kind: f.Kind})
		}
		(*all)[at].Count += f.Count
	}
}

// CutKind counts those of one kind in the council's documents, in replies, and in lookups.
type CutKind struct {
	Kind    string `json:"kind"`
	Given   int    `json:"given"`
	Replies int    `json:"replies"`
	Lookups int    `json:"lookups,omitempty"`
}

func countByKind(given []council.Cut, replied, lookedUp []CutOf) []CutKind {
	counts := map[string]CutKind{}
	add := func(kind string, given, replies, lookups int) {
		k := counts[kind]
		counts[kind] = CutKind{kind, k.Given + given, k.Replies + replies, k.Lookups + lookups}
	}
	for _, c := range given {
		add(c.Kind, c.Count, 0, 0)
	}
	for _, c := range replied {
		add(c.Kind, 0, c.Count, 0)
	}
	for _, c := range lookedUp {
		add(c.Kind, 0, 0, c.Count)
	}
	return slices.SortedFunc(maps.Values(counts), func(a, b CutKind) int { return cmp.Compare(a.Kind, b.Kind) })
}

// Lookups counts the tool calls of one member, and their results.
type Lookups struct {
	Member council.MemberID `json:"member"`
	Calls  int              `json:"calls"`
	Failed int              `json:"failed"` // calls that came to nothing
	Bytes  int              `json:"bytes"`  // of all results, reasons of failures included
}

// Lookups counts the calls of each member that has tools, in turn order. It is nil where none was called.
func (c *Replies) Lookups() []Lookups {
	if len(c.lookups) == 0 {
		return nil
	}
	var all []Lookups
	for _, id := range c.charter.Seats() {
		if seat := c.charter.Member(id); seat != nil && seat.Tools != nil {
			n := c.lookups[id]
			n.Member = id
			all = append(all, n)
		}
	}
	return all
}

// Ruling is a ruling on the execution brief: who, when, in which event and in which words.
type Ruling struct {
	By        string `json:"by"`
	At        string `json:"at"`
	Event     string `json:"event"`
	Note      string `json:"note,omitempty"`
	InAdvance bool   `json:"inAdvance,omitempty"` // an approval before the brief could be read
}

// Ruling adds to a ruling of the handoff when it was recorded. It returns nil for nil.
func (m *Minutes) Ruling(r *council.ExecutionRuling) *Ruling {
	if r == nil {
		return nil
	}
	return &Ruling{By: r.By, At: stamp(m.ruled[r.Seq]), Event: r.Seq.ID(), Note: r.Note, InAdvance: r.InAdvance}
}

// Unmet lists the open ends of a decision, each part in the order of the log. The zero Unmet has none.
type Unmet struct {
	Requirements []Requirement   `json:"requirements"`
	Blockers     []RaisedBlocker `json:"blockers"` // those that were neither answered nor met
	Dissents     []Dissent       `json:"dissents"`
}

// Requirement is something required that the record does not show: of a phase when it ended last, or of the session.
type Requirement struct {
	Phase council.PhaseID `json:"phaseId,omitempty"` // empty: of the session
	What  string          `json:"requirement"`
}

// Dissent is the opinion of a member that did not vote with the side that prevailed.
type Dissent struct {
	By    council.MemberID `json:"member"`
	Event string           `json:"event"`
	Text  string           `json:"dissent"`
}

// Empty reports whether nothing is open.
func (u Unmet) Empty() bool { return len(u.Requirements)+len(u.Blockers)+len(u.Dissents) == 0 }

// Unmet returns the open ends of the decision.
func (m *Minutes) Unmet() Unmet {
	u := Unmet{[]Requirement{}, []RaisedBlocker{}, []Dissent{}}
	for _, v := range m.Visits {
		if v.End == nil {
			continue
		}
		u.Requirements = slices.DeleteFunc(u.Requirements, func(r Requirement) bool { return r.Phase == v.Phase })
		for _, what := range v.Missing {
			u.Requirements = append(u.Requirements, Requirement{v.Phase, what})
		}
	}
	if o := m.Outcome; o != nil {
		if !o.Decided {
			u.Requirements = append(u.Requirements, Requirement{What: "a decision"})
		}
		if what := documentLacks[o.Documentation]; what != "" {
			u.Requirements = append(u.Requirements, Requirement{What: what})
		}
	}
	for _, d := range m.Drafts {
		for _, b := range m.Blockers(d) {
			replaced := b.Member == "" && d != m.LastDraft() // a later draft says itself which sections it lacks
			if !replaced && b.Open() {
				u.Blockers = append(u.Blockers, b)
			}
		}
	}
	for _, e := range m.Dissents {
		p, _ := e.Payload.(council.DissentWritten)
		u.Dissents = append(u.Dissents, Dissent{e.Actor, e.Seq.ID(), p.Dissent.Dissent})
	}
	return u
}

// documentLacks names the requirement that a document leaves unmet.
var documentLacks = map[council.DocumentationStatus]string{
	council.DocumentationUnapproved: "an approved document: the last draft was not approved",
	council.DocumentationMissing:    "a document: none was drafted",
}

// Unanswered lists the ids of the blockers that were neither answered nor met.
func (u Unmet) Unanswered() []string {
	return council.Map(u.Blockers, func(b RaisedBlocker) string { return b.ID })
}
