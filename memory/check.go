package memory

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/council-engine/council/internal/hostile"
)

// ErrBadRecord: a record, or a change to a book, is not what the book can hold. It is wrapped with what is wrong.
var ErrBadRecord = errors.New("unusable record")

var (
	// plain matches ids of records, and names that mean nothing but themselves in Markdown and in a path. Its length is
	// looked at apart: counted in an expression, it makes every start of the program slow.
	plain     = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z._-]*$`)
	eventForm = regexp.MustCompile(`^e[1-9][0-9]*$`)
)

func isPlain(name string) bool { return len(name) <= 200 && plain.MatchString(name) }

// CheckRecord returns an [ErrBadRecord] that says why a record cannot stand in a book, or nil.
func CheckRecord(r Record) error {
	if !isPlain(r.ID) {
		return fmt.Errorf("%w: its id is %.60q, which is not an id of a record", ErrBadRecord, r.ID)
	}
	var p problem
	p.ofWords(&r)
	p.ofMeasures(&r)
	p.ofTimes(&r)
	p.ofLinks(&r)
	if p != "" {
		return fmt.Errorf("%w: %s: %s", ErrBadRecord, r.ID, p)
	}
	return nil
}

// problem is the first thing that is wrong with a record.
type problem string

// when says what is wrong where something is, unless something else is wrong already.
func (p *problem) when(wrong bool, format string, args ...any) {
	if wrong && *p == "" {
		*p = problem(fmt.Sprintf(format, args...))
	}
}

// visible reports whether a text is one line of visible text, of at most so many characters.
func visible(text string, most int) bool {
	return utf8.RuneCountInString(text) <= most && hostile.Line(text) == text
}

func (p *problem) ofWords(r *Record) {
	summary, detail := utf8.RuneCountInString(r.Summary), utf8.RuneCountInString(r.Detail)
	p.when(summary == 0, "it has no summary")
	p.when(summary > MaxSummary, "its summary has %d characters, and at most %d are kept", summary, MaxSummary)
	p.when(detail > MaxDetail, "its detail has %d characters, and at most %d are kept", detail, MaxDetail)
	p.when(!visible(r.Summary, MaxSummary), "its summary is not one line of visible text")
	p.when(!visible(r.Detail, MaxDetail), "its detail is not one line of visible text")
	p.when(!slices.IsSorted(r.Tags) || len(slices.Compact(slices.Clone(r.Tags))) < len(r.Tags),
		"its tags are not sorted, or one stands there twice")
	p.when(!visible(r.Vote, maxName), "its vote is not a short line of visible text")
	for _, tag := range r.Tags {
		p.when(tag == "" || !visible(tag, 2*maxName), "%.60q is not a tag", tag)
	}
}

func (p *problem) ofMeasures(r *Record) {
	p.when(!slices.Contains(kinds, r.Kind), "there is no kind %.60q", r.Kind)
	p.when(!slices.Contains(Statuses(), r.Status), "there is no status %.60q", r.Status)
	p.when(r.Importance < 1 || r.Importance > 5, "its importance is %d, not 1 to 5", r.Importance)
	p.when(!(r.Confidence >= 0 && r.Confidence <= 1), "its confidence is %v, not 0 to 1", r.Confidence)
}

func (p *problem) ofTimes(r *Record) {
	names := []string{"createdAt", "updatedAt", "expiresAt", "resolvedAt"}
	for i, t := range []*time.Time{&r.CreatedAt, &r.UpdatedAt, r.ExpiresAt, r.ResolvedAt} {
		p.when(t != nil && (t.IsZero() || t.Year() > 9999 || t.Location() != time.UTC || !t.Equal(Precise(*t))),
			"its %s is not a time in UTC to the millisecond", names[i])
	}
	resolved := r.Status == StatusResolved
	p.when(r.UpdatedAt.Before(r.CreatedAt), "it was updated before it was created")
	p.when(resolved && r.ResolvedAt == nil, "it is resolved, and does not say when")
	p.when(!resolved && r.ResolvedAt != nil, "it says when it was resolved, and is not")
}

func (p *problem) ofLinks(r *Record) {
	for i, id := range r.Supersedes {
		p.when(!isPlain(id), "it supersedes %.60q, which is not an id of a record", id)
		p.when(id == r.ID, "it supersedes itself")
		p.when(slices.Contains(r.Supersedes[:i], id), "it supersedes %s twice", id)
	}
	p.when(len(r.Evidence) == 0, "it has no evidence: a person's word is evidence with a note")
	p.when(len(r.Evidence) > MaxEvidence, "it has %d places of evidence, and at most %d are kept", len(r.Evidence),
		MaxEvidence)
	for _, e := range r.Evidence {
		for _, text := range []string{string(e.SessionID), e.EventID, e.ArtifactPath, e.Note} {
			p.when(!visible(text, MaxSummary), "its evidence is not short lines of visible text")
		}
		p.when(e.EventID != "" && !eventForm.MatchString(e.EventID),
			"its evidence names %.60q, which is not an event", e.EventID)
		p.when(e.EventID != "" && e.SessionID == "", "its evidence names an event of no session")
		p.when(e.EventID == "" && e.Note == "", "its evidence says nothing")
	}
}
