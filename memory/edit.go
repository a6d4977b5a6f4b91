package memory

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// Edited is a record in a file that a person edited, with the number of its first line.
type Edited struct {
	Record
	Line int
}

// Correction is a person's edit of one record.
type Correction struct {
	Before, After Record
	Removed       bool // the person took the record out of the file, so it is resolved
}

// Corrections compares the records of an edited file with a book, and returns the differences in the order of the book.
// A record that is missing in the file becomes resolved unless it is superseded. Of the others the fields count that
// `council memory edit` can change: words, kind, status, tags, importance, confidence and expiry.
//
// The error begins with the number of a line and a colon: the record there is unknown, there twice, or no book can hold
// it.
func Corrections(b Book, all []Edited, now time.Time) ([]Correction, error) {
	now = Precise(now)
	at := map[string]Edited{}
	for _, e := range all {
		if slices.IndexFunc(b.Records, func(r Record) bool { return r.ID == e.ID }) < 0 {
			return nil, fmt.Errorf("%d: there is no record %.80q in this book; to add one, use council memory add", e.Line, e.ID)
		}
		if first, twice := at[e.ID]; twice {
			return nil, fmt.Errorf("%d: %s stands here twice, first in line %d", e.Line, e.ID, first.Line)
		}
		at[e.ID] = e
	}
	var found []Correction
	for _, r := range b.Records {
		e, there := at[r.ID]
		c := Correction{Before: r, After: r.Clone(), Removed: !there}
		switch {
		case there:
			if problem := c.apply(e.Record, now); problem != "" {
				return nil, fmt.Errorf("%d: %s: %s", e.Line, r.ID, problem)
			}
			if err := CheckRecord(c.After); err != nil {
				return nil, fmt.Errorf("%d: %w", e.Line, err)
			}
		case r.Status != StatusSuperseded && r.Status != StatusResolved:
			c.After.SetStatus(StatusResolved, now)
		}
		if len(c.Fields()) > 0 {
			found = append(found, c)
		}
	}
	return found, nil
}

func (c *Correction) apply(e Record, now time.Time) (problem string) {
	r := &c.After
	r.Kind, r.Importance, r.Confidence, r.ExpiresAt = e.Kind, e.Importance, e.Confidence, e.ExpiresAt
	r.Summary, r.Detail = hostile.Line(e.Summary), hostile.Line(e.Detail)
	r.Tags = slices.Compact(slices.Sorted(slices.Values(e.Tags)))
	if r.ExpiresAt != nil {
		r.ExpiresAt = new(Precise(*e.ExpiresAt))
	}
	if r.Summary != c.Before.Summary || r.Kind != c.Before.Kind {
		r.ClaimedBy, r.SettledBy = nil, "" // it is the person's word now
	}
	if e.Status == c.Before.Status {
		return ""
	}
	if e.Status == StatusSuperseded || c.Before.Status == StatusSuperseded {
		return "which record stands in its place is said by council memory edit --supersede; council memory edit --status " +
			"makes it hold again"
	}
	if e.Status == StatusActive && r.HasExpired(now) {
		return "it held until " + day(*r.ExpiresAt) + "; council memory edit --status active --expires says how long it " +
			"holds now"
	}
	r.SetStatus(e.Status, now)
	return ""
}

// Fields lists the changed fields, each as a name and the values before and after.
func (c *Correction) Fields() [][3]string {
	b, a := &c.Before, &c.After
	all := [][3]string{
		{"summary", b.Summary, a.Summary}, {"detail", b.Detail, a.Detail}, {"kind", b.Kind.Words(), a.Kind.Words()},
		{"status", string(b.Status), string(a.Status)},
		{"importance", fmt.Sprint(b.Importance), fmt.Sprint(a.Importance)},
		{"confidence", fmt.Sprint(b.Confidence), fmt.Sprint(a.Confidence)},
		{"tags", joinNames(b.Tags, hostile.Line), joinNames(a.Tags, hostile.Line)},
		{"expiry", expiryText(b), expiryText(a)},
	}
	return slices.DeleteFunc(all, func(field [3]string) bool { return field[1] == field[2] })
}

func expiryText(r *Record) string {
	if r.ExpiresAt == nil {
		return "none"
	}
	return r.ExpiresAt.Format(time.RFC3339)
}

// ReadPage reads a page of [BookPage] that a person edited. It returns its records as they are in the book, with the
// summary, detail, status and importance of the page.
//
// The error begins with the number of a line and a colon: anything else was changed, moved or added there, or the page
// is not whole. Blank lines and line breaks within a paragraph do not count.
func ReadPage(b Book, text []byte) ([]Edited, error) {
	was, is := parsePage(string(BookPage(b))), parsePage(string(text))
	if err := is.checkFrame(was); err != nil {
		return nil, err
	}
	var all []Edited
	for _, r := range is.records {
		if r.id == "" {
			return nil, fmt.Errorf("%d: a record without its id; to add one, use council memory add", r.line)
		}
		e := Edited{Record: council.First(b.Records, func(o Record) bool { return o.ID == r.id }), Line: r.line}
		if e.ID == "" {
			e.ID = r.id // which is then found to be unknown
		} else if err := r.apply(&e.Record,
			council.First(was.records, func(o pageRecord) bool { return o.id == r.id })); err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

type parsedPage struct {
	records []pageRecord
	others  []pageLine // lines outside of records
	last    int        // number of the last line
}

type pageLine struct {
	n    int
	text string
}

type pageRecord struct {
	line                                    int
	id, under, summary, detail, facts, rest string
}

// factsForm matches the line under the words of a record.
var factsForm = regexp.MustCompile("^`([^` ]+)` · (\\w+) · importance (-?\\d+) of 5 · (.*)$")

func parsePage(text string) (p parsedPage) {
	var r *pageRecord
	var under string
	var into *string // the current paragraph
	for line := range strings.Lines(text) {
		p.last++
		line = strings.TrimRight(line, " \t\r\n")
		if strings.HasPrefix(line, "- >") {
			p.records = append(p.records, pageRecord{line: p.last, under: under})
			r = &p.records[len(p.records)-1]
			into, line = &r.summary, "  "+line[2:]
		}
		said, inside := strings.CutPrefix(line, "  ")
		switch quoted, quote := strings.CutPrefix(said, ">"); {
		case line == "", strings.HasPrefix(line, sealMark):
			into = nil
			continue
		case r == nil || !inside:
			r = nil
			if strings.HasPrefix(line, "#") {
				under = line
			}
			p.others = append(p.others, pageLine{p.last, line})
			continue
		case quote && quoted == "":
			into = &r.detail
			continue
		case quote:
			said = strings.TrimSpace(quoted)
		}
		if into == nil {
			into = &r.rest
			if strings.HasPrefix(said, "`") && r.facts == "" {
				into = &r.facts
			}
		}
		*into = strings.TrimSpace(*into + " " + said)
		if id := factsForm.FindStringSubmatch(r.facts); id != nil {
			r.id = id[1]
		}
	}
	return p
}

// checkFrame returns an error for lines outside of records that differ from the page before the edit. Headings may go
// with their records.
func (p parsedPage) checkFrame(was parsedPage) error {
	rest := was.others
	for _, line := range p.others {
		for len(rest) > 0 && rest[0].text != line.text && strings.HasPrefix(rest[0].text, "#") {
			rest = rest[1:]
		}
		if len(rest) == 0 || rest[0].text != line.text {
			return fmt.Errorf("%d: only records can be changed here, and this line is of none: %.60q", line.n, line.text)
		}
		rest = rest[1:]
	}
	for _, line := range rest {
		if !strings.HasPrefix(line.text, "#") {
			return fmt.Errorf("%d: the page ends without the line %.60q", p.last, line.text)
		}
	}
	return nil
}

func (r pageRecord) apply(to *Record, was pageRecord) error {
	is, before := factsForm.FindStringSubmatch(r.facts), factsForm.FindStringSubmatch(was.facts)
	switch {
	case is[4] != before[4] || r.rest != was.rest:
		return fmt.Errorf("%d: of %s only the quoted words, the status and the importance can be changed here", r.line, r.id)
	case r.under != was.under:
		return fmt.Errorf("%d: %s was moved from %q to %q; its status is the word after its id", r.line, r.id,
			was.under, r.under)
	}
	if r.summary != was.summary {
		words := strings.TrimSpace(strings.TrimPrefix(r.summary, strings.TrimSpace(string(hostile.Inlined(to.Claim())))))
		to.Summary = plainWords(strings.TrimSuffix(strings.TrimPrefix(words, "**"), "**"))
	}
	if r.detail != was.detail {
		to.Detail = plainWords(r.detail)
	}
	to.Status = Status(is[2])
	to.Importance, _ = strconv.Atoi(is[3]) // digits; a check refuses large ones
	return nil
}

var escaped = regexp.MustCompile("\\\\([!-/:-@\\[-`{-~])")

func plainWords(text string) string { return escaped.ReplaceAllString(text, "$1") }
