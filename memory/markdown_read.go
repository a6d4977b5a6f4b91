package memory

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ReadPage reads a page of [BookPage] that a person edited. The records that are in it stand as they are in the book,
// but for the summary, detail, status and importance that the page gives them.
//
// The error begins with the number of the line that cannot be understood, and a colon: anything else was changed, moved
// or added, or the page is not whole. Blank lines and line breaks within a paragraph do not count.
func ReadPage(b Book, text []byte) ([]Edited, error) {
	was, is := parsePage(string(BookPage(b))), parsePage(string(text))
	if err := is.frame(was); err != nil {
		return nil, err
	}
	before := map[string]pageRecord{}
	for _, r := range was.records {
		before[r.id] = r
	}
	byID := map[string]Record{}
	for _, r := range b.Records {
		byID[r.ID] = r
	}
	var all []Edited
	for _, r := range is.records {
		e := Edited{Record: byID[r.id], Line: r.line}
		if e.ID == "" {
			if r.id == "" {
				return nil, fmt.Errorf("%d: a record without its id; to add one, use council memory add", r.line)
			}
			e.ID = r.id // which is then found to be unknown
		} else if err := r.into(&e.Record, before[r.id]); err != nil {
			return nil, err
		}
		all = append(all, e)
	}
	return all, nil
}

// parsedPage is a page of a book, taken apart.
type parsedPage struct {
	records []pageRecord
	others  []pageLine // what belongs to no record
	last    int        // number of the last line
}

type pageLine struct {
	n    int
	text string
}

// pageRecord is an item of a page.
type pageRecord struct {
	line                                    int
	id, under, summary, detail, facts, rest string
}

// factsForm matches the line under the words of a record.
var factsForm = regexp.MustCompile("^`([^` ]+)` · (\\w+) · importance (-?\\d+) of 5 · (.*)$")

func parsePage(text string) (p parsedPage) {
	var r *pageRecord
	var under string
	var into *string // the paragraph that is being read
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

// frame refuses a page whose lines outside of records are not those of the page before the edit. Headings may be gone
// with their records.
func (p parsedPage) frame(was parsedPage) error {
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

// into puts what was changed of an item into its record.
func (r pageRecord) into(to *Record, was pageRecord) error {
	is, before := factsForm.FindStringSubmatch(r.facts), factsForm.FindStringSubmatch(was.facts)
	switch {
	case is[4] != before[4] || r.rest != was.rest:
		return fmt.Errorf("%d: of %s only the quoted words, the status and the importance can be changed here", r.line, r.id)
	case r.under != was.under:
		return fmt.Errorf("%d: %s was moved from %q to %q; its status is the word after its id", r.line, r.id,
			was.under, r.under)
	}
	if r.summary != was.summary {
		to.Summary = plainWords(strings.TrimSuffix(strings.TrimPrefix(r.summary, "**"), "**"))
	}
	if r.detail != was.detail {
		to.Detail = plainWords(r.detail)
	}
	to.Status = Status(is[2])
	to.Importance, _ = strconv.Atoi(is[3]) // digits; what is too large for a book is refused
	return nil
}

var escaped = regexp.MustCompile("\\\\([!-/:-@\\[-`{-~])")

// plainWords returns Markdown that hostile.Inline wrote as the words that it was given.
func plainWords(text string) string { return escaped.ReplaceAllString(text, "$1") }
