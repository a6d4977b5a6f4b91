// Package citation finds what members cite in what they write, and checks it against what they were given and what
// was on record when they wrote. It is pure.
//
// Two things can be cited: an event, as "e12", and lines of a document, as "docs/queue.md:12" or
// "docs/queue.md:12-15". An event exists for a member when it is no later than the last one that the member could
// know. Lines exist when a document of that name was given and has them. A document that is a diff gives, besides its
// own lines, those that it shows of the files it changes, by their new numbers: they stand beside its text in the
// record, so that they are known when its words were forgotten.
//
// # What counts as a citation in prose
//
// A mark that is wrong costs more than one that is missing, so in doubt a word is not a citation:
//
//   - Nothing in a fenced block of code is one, and nothing in a code span that holds anything else than citations.
//   - An event is a lower-case e with a number, between blanks, brackets, quotation marks and punctuation: not E12,
//     e12-large, x/e12 or 1e12. "e12-e15" and "e12/e13" cite both.
//   - Outside of brackets e1 to e9, e1000 and beyond, and any after a, an or the ("an e27 bulb") are citations only
//     where they hold.
//   - Lines are NAME:12, NAME:12-15 and NAME:12:5, where the last is a column. The name is that of something given,
//     or the end of its path from a slash on, or has the extension of a text or source file: so localhost:8080 and
//     example.org:443 are none, and neither is anything in a URL.
package citation

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// Fault is the reason why a citation does not hold. It is empty when it does.
type Fault string

// What can be wrong with a citation.
const (
	NoEvent    Fault = "no such event then" // none of this number was on record that the member could know
	NoDocument Fault = "no such document"   // nothing of this name was given
	NoLine     Fault = "no such line"       // it was given, and has no such line
)

// Citation is one place in a text that cites something.
type Citation struct {
	Text  string // as written: "e12", "docs/queue.md:12-15"
	Fault Fault
	End   int // the byte offset in the text behind it, where a mark may stand
}

// In finds what a text cites, in the order of the text, and checks whether it held at the moment when it was written.
func In(text string, given *Given, at Moment) []Citation {
	s := scan{given: given, at: at}
	s.text(text)
	return s.found
}

// besides are words that stand with citations and are none.
var besides = append([]string{"event", "events", "line", "lines", "document"}, joining...)

// Alone finds what a text cites that is a citation and nothing else, as an entry of a list is: what Exists takes, or
// several of it with commas, "and" or brackets, and events with the word or as a range. What is none of this is one
// that does not hold.
func (g *Given) Alone(cite string, at Moment) []Citation {
	cite = strings.TrimSpace(cite)
	if g.Exists(cite, at) {
		return []Citation{{Text: cite}}
	}
	var out []Citation
	for entry := range strings.FieldsFuncSeq(cite, func(r rune) bool { return r == ',' || r == ';' || r == '\n' }) {
		entry = strings.TrimSpace(entry)
		part := strings.Trim(entry, "[]().\"'`*")
		s := scan{given: g, at: at, sure: true}
		switch {
		case part == "":
		case g.Exists(part, at):
			out = append(out, Citation{Text: part})
		case besidesOnly(s.words(part, 0)) && len(s.found) > 0:
			for _, c := range s.found {
				if c.Fault == "" && !g.Exists(c.Text, at) { // prose may leave out the beginning of a path
					c.Fault = g.why(c.Text, at)
				}
				out = append(out, c)
			}
		default:
			out = append(out, Citation{Text: entry, Fault: g.why(part, at)})
		}
	}
	if len(out) == 0 {
		return []Citation{{Text: cite, Fault: NoDocument}}
	}
	return out
}

func besidesOnly(rest string) bool {
	return !slices.ContainsFunc(strings.FieldsFunc(rest, separates), func(word string) bool {
		return !slices.Contains(besides, strings.ToLower(word))
	})
}

// why returns what is wrong with a citation that does not exist.
func (g *Given) why(cite string, at Moment) Fault {
	if eventWords.MatchString(strings.ToLower(cite)) {
		return NoEvent
	}
	for name := range g.lines {
		if strings.HasPrefix(cite, name+":") && g.has(name, at) {
			return NoLine
		}
	}
	return NoDocument
}

// Bad returns those citations that do not hold.
func Bad(all []Citation) []Citation {
	return slices.DeleteFunc(slices.Clone(all), func(c Citation) bool { return c.Fault == "" })
}

// event judges one event; sure means that it can be nothing but a citation.
func (s *scan) event(text string, n, end int, sure bool) {
	c := Citation{Text: text, End: end}
	if n < 1 || council.Seq(n) > s.at.AsOf {
		c.Fault = NoEvent
	}
	if c.Fault == "" || sure {
		s.found = append(s.found, c)
	}
}

// lines judges lines of a document. It reports whether the text is a citation at all.
func (s *scan) lines(text, name string, first, last, end int) bool {
	c := Citation{Text: text, End: end, Fault: NoDocument}
	for _, n := range s.given.called(name, s.at) {
		c.Fault = NoLine
		if s.given.shows(n, first, last, s.at) {
			c.Fault = ""
			break
		}
	}
	if c.Fault == NoDocument && !fileLike(name) {
		return false
	}
	s.found = append(s.found, c)
	return true
}
