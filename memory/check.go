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

// idForm matches ids of records, imported ones included.
var idForm = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$`)

// CheckRecord returns an [ErrBadRecord] that says why a record cannot stand in a book, or nil.
func CheckRecord(r Record) error {
	if !idForm.MatchString(r.ID) {
		return fmt.Errorf("%w: its id is %.60q, which is not an id of a record", ErrBadRecord, r.ID)
	}
	for _, problem := range []string{wordsProblem(r), measuresProblem(r), timesProblem(r), linksProblem(r)} {
		if problem != "" {
			return fmt.Errorf("%w: %s: %s", ErrBadRecord, r.ID, problem)
		}
	}
	return nil
}

func wordsProblem(r Record) string {
	summary, detail := utf8.RuneCountInString(r.Summary), utf8.RuneCountInString(r.Detail)
	switch {
	case r.Summary == "":
		return "it has no summary"
	case summary > MaxSummary:
		return fmt.Sprintf("its summary has %d characters, and at most %d are kept", summary, MaxSummary)
	case detail > MaxDetail:
		return fmt.Sprintf("its detail has %d characters, and at most %d are kept", detail, MaxDetail)
	case hostile.Line(r.Summary) != r.Summary:
		return "its summary is not one line of visible text"
	case hostile.Line(r.Detail) != r.Detail:
		return "its detail is not one line of visible text"
	case !slices.IsSorted(r.Tags) || len(slices.Compact(slices.Clone(r.Tags))) < len(r.Tags):
		return "its tags are not sorted, or one stands there twice"
	}
	if utf8.RuneCountInString(r.Vote) > maxName || hostile.Line(r.Vote) != r.Vote {
		return "its vote is not a short line of visible text"
	}
	for _, tag := range r.Tags {
		if tag == "" || utf8.RuneCountInString(tag) > 2*maxName || hostile.Line(tag) != tag {
			return fmt.Sprintf("%.60q is not a tag", tag)
		}
	}
	return ""
}

func measuresProblem(r Record) string {
	switch {
	case !slices.Contains(Kinds(), r.Kind):
		return fmt.Sprintf("there is no kind %.60q", r.Kind)
	case !slices.Contains(Statuses(), r.Status):
		return fmt.Sprintf("there is no status %.60q", r.Status)
	case r.Importance < 1 || r.Importance > 5:
		return fmt.Sprintf("its importance is %d, not 1 to 5", r.Importance)
	case !(r.Confidence >= 0 && r.Confidence <= 1):
		return fmt.Sprintf("its confidence is %v, not 0 to 1", r.Confidence)
	}
	return ""
}

func timesProblem(r Record) string {
	names := []string{"createdAt", "updatedAt", "expiresAt", "resolvedAt"}
	for i, t := range []*time.Time{&r.CreatedAt, &r.UpdatedAt, r.ExpiresAt, r.ResolvedAt} {
		if t != nil && (t.IsZero() || t.Location() != time.UTC || !t.Equal(t.Truncate(time.Millisecond)) || t.Year() > 9999) {
			return fmt.Sprintf("its %s is not a time in UTC to the millisecond", names[i])
		}
	}
	switch resolved := r.Status == StatusResolved; {
	case r.UpdatedAt.Before(r.CreatedAt):
		return "it was updated before it was created"
	case resolved && r.ResolvedAt == nil:
		return "it is resolved, and does not say when"
	case !resolved && r.ResolvedAt != nil:
		return "it says when it was resolved, and is not"
	}
	return ""
}

func linksProblem(r Record) string {
	for i, id := range r.Supersedes {
		switch {
		case !idForm.MatchString(id):
			return fmt.Sprintf("it supersedes %.60q, which is not an id of a record", id)
		case id == r.ID:
			return "it supersedes itself"
		case slices.Contains(r.Supersedes[:i], id):
			return "it supersedes " + id + " twice"
		}
	}
	if len(r.Evidence) == 0 {
		return "it has no evidence: a person's word is evidence with a note"
	}
	if len(r.Evidence) > MaxEvidence {
		return fmt.Sprintf("it has %d places of evidence, and at most %d are kept", len(r.Evidence), MaxEvidence)
	}
	for _, e := range r.Evidence {
		for _, text := range []string{string(e.SessionID), e.EventID, e.ArtifactPath, e.Note} {
			if utf8.RuneCountInString(text) > MaxSummary || hostile.Line(text) != text {
				return "its evidence is not short lines of visible text"
			}
		}
		switch {
		case e.EventID != "" && !eventForm.MatchString(e.EventID):
			return fmt.Sprintf("its evidence names %.60q, which is not an event", e.EventID)
		case e.EventID != "" && e.SessionID == "":
			return "its evidence names an event of no session"
		case e.EventID == "" && e.Note == "":
			return "its evidence says nothing"
		}
	}
	return ""
}

var eventForm = regexp.MustCompile(`^e[1-9][0-9]*$`)
