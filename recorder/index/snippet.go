package index

import (
	"cmp"
	"slices"
	"strings"

	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/index/terms"
)

// Snippet is the passage of a text that shows best why it was found: on one line and harmless on a terminal.
type Snippet struct {
	Text  string   `json:"text"`
	Marks [][2]int `json:"marks,omitempty"` // where what was looked for stands in it: from and to, in bytes, in order
}

// Sizes of a snippet, in bytes.
const (
	snippetSize = 240
	snippetLead = 60 // of what is before the first mark
)

// maxScanned bounds how much of a text is made harmless to find the passage.
const maxScanned = 256 << 10

func snippet(text string, units []sought) Snippet {
	line := hostile.Line(hostile.Terminal(hostile.Head(text, maxScanned)))
	all := slices.Collect(terms.Of(line))
	marks := marksOf(all, units)
	if len(line) <= snippetSize {
		return Snippet{Text: line, Marks: spans(marks, 0, len(line))}
	}
	from, to := passage(line, all, marks)
	s := Snippet{Text: line[from:to], Marks: spans(marks, from, to)}
	s.Text = strings.TrimRight(s.Text, " ")
	if to < len(line) {
		s.Text += " …"
	}
	if from > 0 {
		const lead = "… "
		s.Text = lead + s.Text
		for i := range s.Marks {
			s.Marks[i][0] += len(lead)
			s.Marks[i][1] += len(lead)
		}
	}
	return s
}

// found is where a unit stands in a line, in bytes.
type found struct{ from, to, unit int }

func marksOf(all []terms.Token, units []sought) []found {
	var marks []found
	for i, u := range units {
		for _, at := range u.In(all, u.longer) {
			first, last := all[at], all[at+len(u.Terms)-1]
			end := last.End
			if u.Prefix && last.Solid && !last.Last { // one character of the two
				end = last.Start + len(u.Terms[len(u.Terms)-1])
			}
			marks = append(marks, found{first.Start, end, i})
		}
	}
	slices.SortFunc(marks, func(a, b found) int { return cmp.Or(cmp.Compare(a.from, b.from), cmp.Compare(b.to, a.to)) })
	return marks
}

// passage returns the stretch in which most of the units stand, the first of the best, cut between tokens.
func passage(line string, all []terms.Token, marks []found) (from, to int) {
	most := 0
	for i, m := range marks {
		units := map[int]bool{}
		for _, n := range marks[i:] {
			if n.to > m.from+snippetSize-snippetLead {
				break
			}
			units[n.unit] = true
		}
		if len(units) > most {
			most, from = len(units), m.from
		}
	}
	lead := from - snippetLead
	start, end := len(line), 0
	for _, t := range all {
		if t.Start >= lead && start == len(line) {
			start = t.Start
		}
		if t.End <= start+snippetSize {
			end = max(end, t.End)
		}
	}
	if lead <= 0 {
		start = 0
	}
	if end <= start { // one word that is longer than a snippet, or no word at all
		part := hostile.Head(line[start:], snippetSize)
		return start, start + len(part)
	}
	return start, end
}

// spans returns the marks within a passage, joined where they touch.
func spans(marks []found, from, to int) [][2]int {
	var all [][2]int
	for _, m := range marks {
		if m.from < from || m.to > to {
			continue
		}
		span := [2]int{m.from - from, m.to - from}
		if n := len(all); n > 0 && span[0] <= all[n-1][1] {
			all[n-1][1] = max(all[n-1][1], span[1])
			continue
		}
		all = append(all, span)
	}
	return all
}
