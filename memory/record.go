// Package memory holds the memory that a council and its members have of closed sessions: records in books, one for the
// council and one for each member.
//
// A book is the fold of the journal's steps: closed sessions in the order of their closes ([FoldSession]), and changes
// of persons ([FoldChange]). [Digest] chooses the records that members are given; [BookPage], [ProfilePage] and the
// pages of archives render memory as Markdown. Package store keeps the files.
//
// Everything here is pure: no argument is changed, there are no files, clocks or randomness, and the same input gives
// the same bytes on any machine and in any time zone. Words of members cannot become a heading, a link or HTML in a
// page; see package hostile.
//
// # Records of a session
//
// The table "What is remembered" in docs/memory.md lists the records that each event yields. The memory policy of the
// event's phase must allow them: writeCouncilMemory for the council's book, writeMemberMemory for those of members.
// Before the first phase the policy of the entry phase applies, and from the closing on that of the last phase that was
// visited. An event whose text was erased yields nothing.
//
// A book has a statement once: said again, its record gets the new place as evidence, becomes active again, and weighs
// more, once for each session. A decision supersedes an earlier one only if the motion names that one's record, or its
// session reopens the earlier one. Rehearsals and other sessions share a book, and each changes only its own records.
//
// A fold sees the book and not the archives. So records that a later session may settle or supersede leave last: open
// matters, decisions and positions stay in the book after they have faded, each up to a third of it.
//
// Texts are compared by their words, without their meaning. So words in common only merge equal statements and name
// possible conflicts; they settle and replace nothing.
package memory

import (
	"cmp"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// Bounds of a record, in characters: those within which a session may be opened on it.
const (
	MaxSummary = council.MaxRememberedSummary
	MaxDetail  = council.MaxRememberedDetail
)

// Record is one thing remembered. Its summary is one line that needs no context.
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
	ClaimedBy  []string   `json:"claimedBy,omitempty"`  // names of its authors, if it was not voted on
	SettledBy  string     `json:"settledBy,omitempty"`  // the claim that it is settled: its author and reason
	Rehearsed  bool       `json:"rehearsed,omitempty"`  // of a rehearsal: only digests of rehearsals have it
	Supersedes []string   `json:"supersedes"`           // ids of the records that this one replaces
	Evidence   []Evidence `json:"evidence"`             // first the origin, then further places, oldest first
}

// Clone returns a deep copy. Its empty lists are written as lists.
func (r Record) Clone() Record {
	r.Tags = append([]string{}, r.Tags...)
	r.Supersedes = append([]string{}, r.Supersedes...)
	r.Evidence = append([]Evidence{}, r.Evidence...)
	r.ClaimedBy = slices.Clone(r.ClaimedBy)
	return r
}

// Claim returns the beginning of a claim with the names of its members; nothing for any other record.
func (r Record) Claim() string {
	if len(r.ClaimedBy) == 0 {
		return ""
	}
	return strings.Join(r.ClaimedBy, " and ") + " " + cmp.Or(rowOf(r.Kind).claim, "said") + ", not voted on: "
}

// Told returns the summary after [Record.Claim], in at most [MaxSummary] characters.
func (r Record) Told() string {
	head := r.Claim()
	return head + shorten(r.Summary, MaxSummary-utf8.RuneCountInString(head))
}

// SetStatus gives the record a status at a time.
func (r *Record) SetStatus(s Status, at time.Time) {
	r.Status, r.ResolvedAt = s, nil
	if s == StatusResolved {
		r.ResolvedAt = &at
	}
}

// HasExpired reports whether the record has expired at a time.
func (r *Record) HasExpired(at time.Time) bool { return r.ExpiresAt != nil && !at.Before(*r.ExpiresAt) }

// isRule reports whether the record is a rule of a person. It applies until a person resolves or replaces it.
func (r *Record) isRule() bool {
	return (r.Kind == KindConstraint || r.Kind == KindPreference) && r.isPersons()
}

func (r *Record) isPersons() bool { return len(r.Evidence) > 0 && isPersonal(r.Evidence[0]) }

// Precise returns a time as memory stores it: in UTC, to the millisecond.
func Precise(t time.Time) time.Time { return t.UTC().Truncate(time.Millisecond) }

// Evidence is a place where a record can be checked. A person's word has no session event, only a note.
type Evidence struct {
	SessionID    council.SessionID `json:"sessionId,omitempty"` // of a person's word: the last closed before it
	EventID      string            `json:"eventId,omitempty"`   // such as "e12"
	ArtifactPath string            `json:"artifactPath,omitempty"`
	Note         string            `json:"note,omitempty"`
}

// Status says whether a record is in force.
type Status string

// The statuses of a record.
const (
	StatusActive     Status = "active"
	StatusResolved   Status = "resolved"   // an open matter that was closed
	StatusSuperseded Status = "superseded" // another record replaces it
	StatusStale      Status = "stale"      // it has expired
)

// Statuses lists the statuses in the order of pages.
func Statuses() []Status {
	return []Status{StatusActive, StatusResolved, StatusSuperseded, StatusStale}
}

// NewID returns the id of a record: "r-" and twelve characters that follow from its origin, so that folding a session
// again yields the same ids. The origin of a session's record is its book, session, event, kind and place among those
// of the kind; that of a person's the book, the time and the summary.
func NewID(origin ...string) string {
	sum := sha256.Sum256([]byte("council record 1\n" + strings.Join(origin, "\n")))
	return "r-" + idAlphabet.EncodeToString(sum[:])[:12]
}

// idAlphabet is that of session ids: base 32 without letters that look alike.
var idAlphabet = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz")

// ErrBadRecord means that a book cannot hold a record or a change. The cause is wrapped with it.
var ErrBadRecord = errors.New("unusable record")

var (
	// plain matches ids of records, and names without a meaning in Markdown and in a path. [isPlain] checks the length:
	// counted in the expression, it would slow down every start of the program.
	plain     = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]*$`)
	eventForm = regexp.MustCompile(`^e[1-9][0-9]*$`)
)

func isPlain(name string) bool { return len(name) <= 200 && plain.MatchString(name) }

// CheckRecord returns an [ErrBadRecord] if no book can hold a record.
func CheckRecord(r Record) error {
	if !isPlain(r.ID) {
		return fmt.Errorf("%w: its id is %.60q, which is not an id of a record", ErrBadRecord, r.ID)
	}
	if problem := r.problem(); problem != "" {
		return fmt.Errorf("%w: %s: %s", ErrBadRecord, r.ID, problem)
	}
	return nil
}

func isVisibleLine(text string, most int) bool {
	return utf8.RuneCountInString(text) <= most && hostile.Line(text) == text
}

func (r *Record) problem() (first string) {
	add := func(wrong bool, format string, args ...any) {
		if wrong && first == "" {
			first = fmt.Sprintf(format, args...)
		}
	}
	summary, detail := utf8.RuneCountInString(r.Summary), utf8.RuneCountInString(r.Detail)
	add(summary == 0, "it has no summary")
	add(summary > MaxSummary, "its summary has %d characters, and at most %d are kept", summary, MaxSummary)
	add(detail > MaxDetail, "its detail has %d characters, and at most %d are kept", detail, MaxDetail)
	add(!isVisibleLine(r.Summary, MaxSummary), "its summary is not one line of visible text")
	add(!isVisibleLine(r.Detail, MaxDetail), "its detail is not one line of visible text")
	add(!slices.IsSorted(r.Tags) || len(slices.Compact(slices.Clone(r.Tags))) < len(r.Tags),
		"its tags are not sorted, or one stands there twice")
	add(!isVisibleLine(r.Vote, maxName), "its vote is not a short line of visible text")
	add(len(r.ClaimedBy) > mostClaimants, "%d members claim it, and at most %d are kept", len(r.ClaimedBy),
		mostClaimants)
	add(!isVisibleLine(r.SettledBy, MaxSummary), "its settledBy is not a short line of visible text")
	for _, name := range r.ClaimedBy {
		add(name == "" || !isVisibleLine(name, maxName), "%.60q is not a member's name", name)
	}
	for _, tag := range r.Tags {
		add(tag == "" || !isVisibleLine(tag, 2*maxName), "%.60q is not a tag", tag)
	}
	add(rowOf(r.Kind).kind == "", "there is no kind %.60q", r.Kind)
	add(!slices.Contains(Statuses(), r.Status), "there is no status %.60q", r.Status)
	add(r.Importance < 1 || r.Importance > 5, "its importance is %d, not 1 to 5", r.Importance)
	add(!(r.Confidence >= 0 && r.Confidence <= 1), "its confidence is %v, not 0 to 1", r.Confidence)
	names := []string{"createdAt", "updatedAt", "expiresAt", "resolvedAt"}
	for i, t := range []*time.Time{&r.CreatedAt, &r.UpdatedAt, r.ExpiresAt, r.ResolvedAt} {
		add(t != nil && (t.IsZero() || t.Year() > 9999 || t.Location() != time.UTC || !t.Equal(Precise(*t))),
			"its %s is not a time in UTC to the millisecond", names[i])
	}
	resolved := r.Status == StatusResolved
	add(r.UpdatedAt.Before(r.CreatedAt), "it was updated before it was created")
	add(resolved && r.ResolvedAt == nil, "it is resolved, and does not say when")
	add(!resolved && r.ResolvedAt != nil, "it says when it was resolved, and is not")
	for i, id := range r.Supersedes {
		add(!isPlain(id), "it supersedes %.60q, which is not an id of a record", id)
		add(id == r.ID, "it supersedes itself")
		add(slices.Contains(r.Supersedes[:i], id), "it supersedes %s twice", id)
	}
	add(len(r.Evidence) == 0, "it has no evidence: a person's word is evidence with a note")
	add(len(r.Evidence) > MaxEvidence, "it has %d places of evidence, and at most %d are kept", len(r.Evidence),
		MaxEvidence)
	for _, e := range r.Evidence {
		for _, text := range []string{string(e.SessionID), e.EventID, e.ArtifactPath, e.Note} {
			add(!isVisibleLine(text, MaxSummary), "its evidence is not short lines of visible text")
		}
		add(e.EventID != "" && !eventForm.MatchString(e.EventID),
			"its evidence names %.60q, which is not an event", e.EventID)
		add(e.EventID != "" && e.SessionID == "", "its evidence names an event of no session")
		add(e.EventID == "" && e.Note == "", "its evidence says nothing")
	}
	return first
}

// Kind is the kind of a record.
type Kind string

// The kinds of record.
const (
	KindPreference  Kind = "preference"   // a wish of a person or member
	KindConstraint  Kind = "constraint"   // a condition that must hold
	KindDecision    Kind = "decision"     // a resolution
	KindAssumption  Kind = "assumption"   // a premise that was not checked
	KindRiskPattern Kind = "risk_pattern" // a thing that may go wrong, or has before
	KindLesson      Kind = "lesson"       // a thing that went badly, and should go otherwise
	KindOpenLoop    Kind = "open_loop"    // a matter that still has to be settled
	KindOutcome     Kind = "outcome"      // a result
)

type kindRow struct {
	kind   Kind
	title  string // of its section in a page
	claim  string // the verb for a statement of a member that was not voted on; "said" where empty
	list   int    // of the council's book: see [BookFile]
	digest int    // its place in a digest
	quota  int    // the most records in a digest of [council.ReminderSize] characters; in proportion in others
}

// The lists of the council's book.
const (
	listDecisions = iota
	listLessons
	listOthers
)

// kinds has a row for each kind, in the order in which they are shown. All readers range over it.
var kinds = []kindRow{
	{KindDecision, "Decisions", "", listDecisions, 1, 40},
	{KindConstraint, "Constraints", "", listOthers, 3, 12},
	{KindPreference, "Preferences", "held", listOthers, 4, 8},
	{KindOpenLoop, "Open matters", "objected", listOthers, 2, 10},
	{KindRiskPattern, "Risks", "warned", listOthers, 7, 6},
	{KindAssumption, "Assumptions", "assumed", listOthers, 8, 4},
	{KindLesson, "Lessons", "", listLessons, 5, 5},
	{KindOutcome, "Outcomes", "", listOthers, 6, 4},
}

// rowOf returns the row of a kind; an empty one for an unknown kind.
func rowOf(k Kind) kindRow {
	row := council.Find(kinds, func(row kindRow) bool { return row.kind == k })
	return *cmp.Or(row, &kindRow{list: listOthers})
}

// Kinds lists the kinds in the order in which they are shown.
func Kinds() []Kind { return council.Map(kinds, func(row kindRow) Kind { return row.kind }) }

// Words returns the kind in words, such as "open loop".
func (k Kind) Words() string { return strings.ReplaceAll(string(k), "_", " ") }
