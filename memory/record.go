package memory

import (
	"crypto/sha256"
	"encoding/base32"
	"slices"
	"strings"
	"time"

	"github.com/council-engine/council/council"
)

// Bounds of a record, in characters: those within which a session may be opened on it.
const (
	MaxSummary = council.MaxRememberedSummary
	MaxDetail  = council.MaxRememberedDetail
)

// Record is one thing remembered. Its summary stands alone and on one line.
type Record struct {
	ID         string     `json:"id"` // see [NewID]
	Kind       Kind       `json:"kind"`
	Status     Status     `json:"status"`
	Summary    string     `json:"summary"`
	Detail     string     `json:"detail,omitempty"`
	Vote       string     `json:"vote,omitempty"` // of a decision: the last by which it carried
	Tags       []string   `json:"tags"`           // sorted
	Confidence float64    `json:"confidence"`     // 0 to 1
	Importance int        `json:"importance"`     // 1 to 5
	CreatedAt  time.Time  `json:"createdAt"`      // all times in UTC, to the millisecond
	UpdatedAt  time.Time  `json:"updatedAt"`
	ExpiresAt  *time.Time `json:"expiresAt,omitempty"`  // from then on it is stale
	ResolvedAt *time.Time `json:"resolvedAt,omitempty"` // set while it is resolved
	Rehearsed  bool       `json:"rehearsed,omitempty"`  // a rehearsal said it: only rehearsals are told, see [Digest]
	Supersedes []string   `json:"supersedes"`           // ids of records in whose place this one stands
	Evidence   []Evidence `json:"evidence"`             // first the origin, then what bears it out, oldest first
}

// Clone returns a record that shares no list with this one. Its lists are written as lists when they are empty.
func (r Record) Clone() Record {
	r.Tags = append([]string{}, r.Tags...)
	r.Supersedes = append([]string{}, r.Supersedes...)
	r.Evidence = append([]Evidence{}, r.Evidence...)
	return r
}

// Precise returns a time as records and files of memory have it: in UTC, to the millisecond.
func Precise(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// Evidence is a place where a record can be checked. A person's word has no session event, only a note.
type Evidence struct {
	SessionID    council.SessionID `json:"sessionId,omitempty"` // of a person's word: the last closed before it
	EventID      string            `json:"eventId,omitempty"`   // such as "e12"
	ArtifactPath string            `json:"artifactPath,omitempty"`
	Note         string            `json:"note,omitempty"`
}

// Kind is the kind of a record.
type Kind string

// The kinds of record.
const (
	KindPreference  Kind = "preference"   // what a person or member wants
	KindConstraint  Kind = "constraint"   // what must hold
	KindDecision    Kind = "decision"     // what was resolved
	KindAssumption  Kind = "assumption"   // what was taken for granted
	KindRiskPattern Kind = "risk_pattern" // what may go wrong, or has before
	KindLesson      Kind = "lesson"       // what went badly, and should go otherwise
	KindOpenLoop    Kind = "open_loop"    // what still has to be settled
	KindOutcome     Kind = "outcome"      // what came of something
)

// Words returns the kind as people write it, such as "open loop".
func (k Kind) Words() string { return strings.ReplaceAll(string(k), "_", " ") }

// Kinds lists the kinds in the order in which they are shown.
func Kinds() []Kind { return slices.Clone(kinds) }

var kinds = []Kind{
	KindDecision, KindConstraint, KindPreference, KindOpenLoop, KindRiskPattern, KindAssumption, KindLesson, KindOutcome,
}

// Status is whether a record still holds.
type Status string

// The statuses of a record.
const (
	StatusActive     Status = "active"
	StatusResolved   Status = "resolved"   // an open matter that was closed
	StatusSuperseded Status = "superseded" // another record stands in its place
	StatusStale      Status = "stale"      // it has expired
)

// Statuses lists the statuses in the order in which they are shown.
func Statuses() []Status {
	return []Status{StatusActive, StatusResolved, StatusSuperseded, StatusStale}
}

// NewID returns the id of a record: "r-" and twelve characters that follow from where it comes from, so that the same
// session folded again makes the same records. A record of a session comes from its book, session, event, kind and its
// place among those of that kind; a person's from the book, the time and the summary.
func NewID(origin ...string) string {
	sum := sha256.Sum256([]byte("council record 1\n" + strings.Join(origin, "\n")))
	return "r-" + idAlphabet.EncodeToString(sum[:])[:12]
}

// idAlphabet is that of session ids: base 32 without letters that look alike.
var idAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz")
