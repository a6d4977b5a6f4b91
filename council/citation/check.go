package citation

import (
	"strings"

	"github.com/council-engine/council/council"
)

// Fault says why a citation does not hold. It is empty when it does.
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

// In finds what a text cites, in the order of the text, and says what of it did not hold at the moment when it was
// written.
func In(text string, given *Given, at Moment) []Citation {
	s := scan{given: given, at: at}
	s.text(text)
	return s.found
}

// Why says what is wrong with a citation that stands alone and does not exist.
func (g *Given) Why(cite string, at Moment) Fault {
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

// Bad are those citations that do not hold.
func Bad(all []Citation) []Citation {
	var out []Citation
	for _, c := range all {
		if c.Fault != "" {
			out = append(out, c)
		}
	}
	return out
}

// event judges one event; sure says that it can be nothing but a citation.
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
