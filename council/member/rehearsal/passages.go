package rehearsal

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// passage is a sentence of a document, or of the topic, with the line on which it begins.
type passage struct {
	text  string
	place string   // "queue.md:7"; empty for the topic
	words []string // in lower case
}

// quote returns a passage with its place, safe within Markdown.
func (p passage) quote() string {
	place := "the topic"
	if p.place != "" {
		place = hostile.Inline(hostile.Line(p.place))
	}
	return words(p.text) + " (" + place + ")"
}

// plain returns a passage with its place for a field that is not Markdown.
func (p passage) plain() string {
	if p.place == "" {
		return p.text + " (the topic)"
	}
	return p.text + " (" + hostile.Line(p.place) + ")"
}

var innerQuotes = strings.NewReplacer("“", "‘", "”", "’", "„", "‘")

// words returns a text between quotation marks, safe within Markdown.
func words(text string) string { return "“" + hostile.Inline(innerQuotes.Replace(text)) + "”" }

// brief returns a text on one line, cut after n characters.
func brief(text string, n int) string { return hostile.Shorten(hostile.Line(text), n) }

// The bounds of what is read of a document, of what makes a passage, in characters, and of how many a session has.
const (
	maxRead     = 200_000
	minPassage  = 12
	maxPassage  = 240
	maxPassages = 2_000
)

// read lists the passages of the documents in their order, and after them those of the topic.
func read(t *council.Topic) []passage {
	var all []passage
	for _, d := range t.Documents {
		all = append(all, sentences(d.Text, d.Name)...)
	}
	all = append(all, sentences(t.Text, "")...)
	return all[:min(len(all), maxPassages)]
}

var (
	sentenceEnd = regexp.MustCompile(`[.?!](?:\s+|$)|[。！？]`)
	listMark    = regexp.MustCompile(`^(?:[-*+>]|//+|#!?|\d+[.)])\s+`)
	skipped     = regexp.MustCompile(`^(?:#{1,6} |\||(?:=+|-{3,}|\*{3,})$|@@|diff |\+\+\+ |--- )`)
)

// sentences splits a text into passages. Headings, tables and fenced code hold none.
func sentences(text, name string) []passage {
	var all []passage
	var open strings.Builder // the paragraph so far
	var lines, starts []int  // the number of each of its lines, and where it begins in it
	flush := func() {
		paragraph, at := open.String(), 0
		for at < len(paragraph) {
			end := len(paragraph)
			if m := sentenceEnd.FindStringIndex(paragraph[at:]); m != nil {
				end = at + m[1]
			}
			sentence := strings.TrimSpace(paragraph[at:end])
			if prose(sentence) {
				i, _ := slices.BinarySearch(starts, at+1)
				place := ""
				if name != "" {
					place = fmt.Sprintf("%s:%d", name, lines[i-1])
				}
				all = append(all, passage{sentence, place, wordsOf(sentence)})
			}
			at = end
		}
		open.Reset()
		lines, starts = nil, nil
	}
	fenced := false
	for i, line := range strings.Split(text[:min(len(text), maxRead)], "\n") {
		line = strings.Join(strings.Fields(hostile.Line(strings.ToValidUTF8(line, ""))), " ")
		fence := strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
		if fence {
			fenced = !fenced
		}
		if fence || fenced || line == "" || skipped.MatchString(line) {
			flush()
			continue
		}
		if mark := listMark.FindString(line); mark != "" {
			if !strings.HasPrefix(mark, "//") && !strings.HasPrefix(mark, ">") {
				flush()
			}
			line = line[len(mark):]
		}
		if open.Len() > 0 {
			open.WriteByte(' ')
		}
		lines, starts = append(lines, i+1), append(starts, open.Len())
		open.WriteString(line)
	}
	flush()
	return all
}

// prose reports whether a sentence can be quoted: it is neither a scrap nor a page, and most of it is letters.
func prose(s string) bool {
	n, letters := utf8.RuneCountInString(s), 0
	for _, r := range s {
		if unicode.IsLetter(r) || r == ' ' {
			letters++
		}
	}
	first, _ := utf8.DecodeRuneInString(s)
	return n >= minPassage && n <= maxPassage && 4*letters >= 3*n && (unicode.IsLetter(first) || unicode.IsDigit(first))
}

// wordsOf lists the words of a text in lower case.
func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text),
		func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '%' })
}

// shared counts the different words of four letters or more that two texts have in common, by how they begin.
func shared(a, b []string) int {
	n, has := 0, map[string]bool{}
	for _, w := range a {
		if r := []rune(w); len(r) >= 4 {
			has[string(r[:3])] = true
		}
	}
	for _, w := range b {
		if r := []rune(w); len(r) >= 4 && has[string(r[:3])] {
			has[string(r[:3])] = false
			n++
		}
	}
	return n
}
