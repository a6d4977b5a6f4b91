// Package citation finds citations in members' texts, and checks them against what the author knew. It is pure.
//
// Two things can be cited: an event, as "e12", and lines of a document, as "docs/queue.md:12" or "docs/queue.md:12-15".
// An event exists for a member when it is no later than the last one that the member could know. Lines exist when a
// document of that name was given and has them. A document that is a diff also gives the lines that it shows of the
// files it changes, by their new numbers; they are recorded apart, and known when its words were forgotten.
//
// # Citations in prose
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
//   - Letters of other scripts touch a citation, as in 根据queue.md:3 and 事件e12.
package citation

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/council"
)

// Fault is the reason why a citation does not hold. It is empty when it does.
type Fault string

const (
	NoEvent    Fault = "no such event then" // none of this number was on record that the member could know
	NoDocument Fault = "no such document"   // nothing of this name was given
	NoLine     Fault = "no such line"       // it was given, and has no such line
)

// Citation is one place in a text that cites something.
type Citation struct {
	Text  string // as written: "e12", "docs/queue.md:12-15"
	Fault Fault
	End   int // the byte offset in the text behind it, where a mark may follow
}

// Find finds the citations in a text, in its order, and checks whether they held when it was written.
func Find(text string, given *Given, at Moment) []Citation {
	s := scan{given: given, at: at}
	s.text(text)
	return s.found
}

// fillerWords may accompany citations in a list, as may words in other alphabets than the Latin one.
var fillerWords = append(strings.Fields(`event events line lines document documents file files
	ereignis zeile zeilen dokument datei événement ligne lignes fichier evento eventos línea líneas linha linhas
	riga righe archivo arquivo documento gebeurtenis regel regels bestand zdarzenie wiersz händelse rad olay satır
	belge`), linkWords...)

// ParseEntry reads the entry of a list of citations: one that Exists takes, or several with commas, "and" or brackets,
// and events with the word or as a range. Any other entry is a citation that does not hold.
func (g *Given) ParseEntry(cite string, at Moment) []Citation {
	cite = strings.TrimSpace(cite)
	if g.Exists(cite, at) {
		return []Citation{{Text: cite}}
	}
	var out []Citation
	for entry := range strings.FieldsFuncSeq(cite, func(r rune) bool { return strings.ContainsRune("\n"+commas, r) }) {
		entry = strings.TrimSpace(entry)
		part := strings.TrimFunc(entry, func(r rune) bool { return isSeparator(r) || r == '.' || r == '`' })
		s := scan{given: g, at: at, sure: true}
		switch {
		case part == "":
		case g.Exists(part, at):
			out = append(out, Citation{Text: part})
		case onlyFiller(s.words(part, 0)) && len(s.found) > 0:
			for _, c := range s.found {
				if c.Fault == "" && !g.Exists(c.Text, at) { // prose may leave out the beginning of a path
					c.Fault = g.faultOf(c.Text, at)
				}
				out = append(out, c)
			}
		default:
			out = append(out, Citation{Text: entry, Fault: g.faultOf(part, at)})
		}
	}
	if len(out) == 0 {
		return []Citation{{Text: cite, Fault: NoDocument}}
	}
	return out
}

func onlyFiller(rest string) bool {
	return !slices.ContainsFunc(strings.FieldsFunc(rest, isSeparator), func(word string) bool {
		other := strings.ContainsFunc(word, isForeign) && !strings.ContainsFunc(word, isASCIIWord)
		return !other && !slices.Contains(fillerWords, strings.ToLower(word))
	})
}

// faultOf returns the fault of a citation that does not exist.
func (g *Given) faultOf(cite string, at Moment) Fault {
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

// Unfounded returns those citations that do not hold.
func Unfounded(all []Citation) []Citation {
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
	for _, n := range s.given.namesFor(name, s.at) {
		c.Fault = NoLine
		if s.given.hasLines(n, first, last, s.at) {
			c.Fault = ""
			break
		}
	}
	switch {
	case c.Fault == NoDocument && !fileLike(name):
		return false
	case c.Fault != NoDocument || !s.given.endsInGivenName(name, s.at): // else it is not marked, in doubt
		s.found = append(s.found, c)
	}
	return true
}

type scan struct {
	given *Given
	at    Moment
	sure  bool // the text is meant to cite
	found []Citation
}

// text goes through Markdown line by line and leaves blocks of code out.
func (s *scan) text(text string) {
	fence, at := "", 0
	for line := range strings.Lines(text) {
		bare := strings.TrimLeft(line, " \t>")
		switch mark := fenceOf(bare); {
		case fence == "" && mark != "":
			fence = mark
		case fence == "":
			s.line(line, at)
		case mark != "" && strings.HasPrefix(mark, fence) && strings.Trim(bare, mark[:1]+" \t\r\n") == "":
			fence = ""
		}
		at += len(line)
	}
}

// fenceOf returns the run of backticks or tildes that begins or ends a block of code, or empty.
func fenceOf(line string) string {
	for _, mark := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, mark)); n >= 3 {
			// A backtick further on makes it a code span.
			if mark == "`" && strings.Contains(line[n:], "`") {
				return ""
			}
			return line[:n]
		}
	}
	return ""
}

// line goes through one line at an offset of the text, and separates code spans from prose.
func (s *scan) line(line string, at int) {
	for line != "" {
		tick := strings.IndexByte(line, '`')
		if tick < 0 {
			s.words(line, at)
			return
		}
		s.words(line[:tick], at)
		line, at = line[tick:], at+tick
		run := line[:len(line)-len(strings.TrimLeft(line, "`"))]
		code, rest, closed := cutRun(line[len(run):], run)
		if !closed {
			line, at = line[len(run):], at+len(run)
			continue
		}
		end := at + len(line) - len(rest)
		s.code(code, end)
		line, at = rest, end
	}
}

// cutRun cuts s around the first run of backticks that is exactly as long as run.
func cutRun(s, run string) (before, after string, found bool) {
	for from := 0; ; {
		i := strings.Index(s[from:], run)
		if i < 0 {
			return s, "", false
		}
		i += from
		end := i + len(s[i:]) - len(strings.TrimLeft(s[i:], "`"))
		if end-i == len(run) {
			return s[:i], s[end:], true
		}
		from = end
	}
}

// code takes a code span of citations alone. Marks follow the span.
func (s *scan) code(code string, end int) {
	within := scan{given: s.given, at: s.at}
	rest := within.words(code, 0)
	more := func(r rune) bool { return r < 0x80 && !strings.ContainsRune(" ,;[]()", r) || !isSeparator(r) }
	if strings.ContainsFunc(rest, more) {
		return
	}
	for _, c := range within.found {
		c.End = end
		s.found = append(s.found, c)
	}
}

// words goes through the words of a text without code and returns the rest without its citations.
func (s *scan) words(text string, at int) string {
	var rest strings.Builder
	listing := false // since a bracket opened there were citations only
	previous := ""
	for text != "" {
		if n := s.matchSpacedName(text, at); n > 0 {
			text, at, previous = text[n:], at+n, ""
			continue
		}
		r, n := utf8.DecodeRuneInString(text)
		if isSeparator(r) {
			rest.WriteString(text[:n])
			switch {
			case strings.ContainsRune("[(（［【〔〖", r):
				listing = true
			case !unicode.IsSpace(r) && !strings.ContainsRune(commas, r):
				listing = false
			}
			if !unicode.IsSpace(r) {
				previous = ""
			}
			text, at = text[n:], at+n
			continue
		}
		size := strings.IndexFunc(text, isSeparator)
		if size < 0 {
			size = len(text)
		}
		size = s.cutAtSpacedName(text, size)
		word := strings.TrimRight(text[:size], `.:\`)
		after, _ := utf8.DecodeRuneInString(text[size:])
		listed := listing && strings.ContainsRune("])）］】〕〗"+commas, after)
		article := previous == "a" || previous == "an" || previous == "the"
		if strings.ContainsFunc(word, isForeign) {
			rest.WriteString(s.joinedWord(word, at, listed))
		} else if !s.word(word, at+len(word), listed, article) {
			rest.WriteString(text[:size])
			listing = listing && slices.Contains(linkWords, strings.ToLower(word))
		}
		previous = strings.ToLower(word)
		text, at = text[size:], at+size
	}
	return rest.String()
}

// linkWords may link citations in brackets.
var linkWords = strings.Fields(
	`see also and cf as in siehe vgl und voir cf et ver véase y vedi zie en zob i se och bkz ve
	ve`)

const commas = ",;，；、،؛﹐﹑﹔､" // separate the entries of a list, in any script

// matchSpacedName judges lines of a given name that is more than a word, if text begins so, and returns their length.
func (s *scan) matchSpacedName(text string, at int) int {
	for _, name := range s.given.spacedNames {
		rest, ok := strings.CutPrefix(text, name)
		if !ok || !strings.HasPrefix(rest, ":") {
			continue
		}
		if tail := lineNumbers.FindString(rest); tail != "" && endsAt(rest[len(tail):]) {
			n := len(name) + len(tail)
			first, last := numbers(linesWord.FindStringSubmatch("x" + tail))
			s.lines(text[:n], name, first, last, at+n)
			return n
		}
	}
	return 0
}

func isSeparator(r rune) bool {
	if r < 0x80 {
		return r <= ' ' || strings.IndexByte("()[]{}<>\"',;|*!?", byte(r)) >= 0
	}
	// brackets, quotation marks, colons and full stops of all scripts
	return unicode.IsSpace(r) || strings.ContainsRune("—〜～｜→", r) ||
		unicode.In(r, unicode.Ps, unicode.Pe, unicode.Pi, unicode.Pf, unicode.Po)
}

var (
	eventWords = regexp.MustCompile(`^e\d{1,7}(?:(?:[-–/]|\.\.\.?)e?\d{1,7})*$`)
	eventWord  = regexp.MustCompile(`\d+`)
	linesWord  = regexp.MustCompile(`^(.+?):L?(\d{1,7})(?:[-–]L?(\d{1,7}))?(?::\d{1,7})?$`)
)

// word judges one word and reports whether it is a citation.
func (s *scan) word(word string, end int, listed, article bool) bool {
	if word == "" || word[len(word)-1] < '0' || word[len(word)-1] > '9' {
		return false
	}
	if eventWords.MatchString(word) {
		cited := eventWord.FindAllString(word, -1)
		for _, number := range cited {
			n, _ := strconv.Atoi(number)
			sure := s.sure || listed || len(cited) > 1 || n >= 10 && n < 1000 && !article
			s.event("e"+number, n, end, sure)
		}
		return true
	}
	m := linesWord.FindStringSubmatch(word)
	if m == nil || strings.Contains(word, "://") || strings.Contains(word, "@") {
		return false
	}
	first, last := numbers(m)
	return s.lines(word, m[1], first, last, end)
}

// numbers returns the first and the last line of a match of linesWord or exactLines.
func numbers(m []string) (first, last int) {
	first, _ = strconv.Atoi(m[2])
	if m[3] == "" {
		return first, first
	}
	last, _ = strconv.Atoi(m[3])
	return first, last
}
