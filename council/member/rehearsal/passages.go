package rehearsal

import (
	"cmp"
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
	return words(p.text) + " (" + hostile.Inline(hostile.Line(cmp.Or(p.place, "the topic"))) + ")"
}

// plain returns a passage with its place for a field that is not Markdown.
func (p passage) plain() string {
	return p.text + " (" + hostile.Line(cmp.Or(p.place, "the topic")) + ")"
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
	listMark = regexp.MustCompile(`^(?:[-*+]|\d+[.)])\s+`)
	quoted   = regexp.MustCompile(`^(?:>|//+)\s*`)
	skipped  = regexp.MustCompile("^(?:#{1,6} |\\||(?:=+|-{3,}|\\*{3,})$|@@|diff |\\+\\+\\+ |--- |```|~~~|$)")
)

// sentences splits a text into passages. Headings, tables and fenced code hold none.
func sentences(text, name string) []passage {
	var all []passage
	var sentence []string
	at, fenced := 0, false // at is the line on which the sentence begins
	flush := func() {
		if s := strings.Join(sentence, " "); prose(s) {
			place := ""
			if name != "" {
				place = fmt.Sprintf("%s:%d", name, at)
			}
			all = append(all, passage{s, place, wordsOf(s)})
		}
		sentence = nil
	}
	for i, line := range strings.Split(text[:min(len(text), maxRead)], "\n") {
		line = strings.TrimSpace(hostile.Line(strings.ToValidUTF8(line, "")))
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
		}
		mark := listMark.FindString(line)
		if fenced || mark != "" || skipped.MatchString(line) {
			flush()
		}
		if fenced || skipped.MatchString(line) {
			continue
		}
		for _, word := range strings.Fields(line[len(mark+quoted.FindString(line)):]) {
			if sentence == nil {
				at = i + 1
			}
			sentence = append(sentence, word)
			if end, _ := utf8.DecodeLastRuneInString(word); strings.ContainsRune(".?!。！？", end) {
				flush()
			}
		}
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

// focus is what a member looks for: the words that show it in a text, and what the member asks for in its name.
type focus struct {
	name  string
	words []string // beginnings of words
	asks  string
}

var focuses = []focus{
	{"cost", strings.Fields("cost price pay budget money expens euro dollar fee week month"),
		"what it costs, and who pays"},
	{"delivery", strings.Fields("deliver ship deadline week month plan step release estimate move change late"),
		"who does what, and by when"},
	{"evidence", strings.Fields("measure benchmark number figure test show evidence data % per known clear"),
		"what was measured, and what is only believed"},
	{"fairness", strings.Fields("fair equal group affected burden benefit share"), "who gains by it and who bears it"},
	{"operations", strings.Fields("operat run page alarm backup monitor night server worker team restore"),
		"who runs it, and how they notice that it fails"},
	{"rights", strings.Fields("right consent law privacy personal duty appeal"),
		"whose rights it touches, and who asked them"},
	{"risk", strings.Fields("risk fail crash lose lost outage never nobody danger worst until side"),
		"what happens when it fails, and the way back"},
	{"security", strings.Fields("secur key password attack token access encrypt secret trust inject"),
		"who could abuse it, and what stops them"},
	{"simplicity", strings.Fields("simple one same already replace keep remov less system only alternativ"),
		"what is left out, and why the rest is needed"},
	{"users", strings.Fields("user customer support ticket complain people invoice notice wait"),
		"what changes for those who use it"},
}

// cast gives each seat the weightiest of its focuses that no seat before it has, or the weightiest of all. A member
// without weights looks at things from its role.
func cast(c *council.Charter, seats []council.MemberID) map[council.MemberID]focus {
	all, taken := map[council.MemberID]focus{}, map[string]bool{}
	for _, id := range seats {
		m := c.Member(id)
		if m == nil {
			continue
		}
		names := m.Focuses()
		if len(names) == 0 {
			names = []string{m.Role}
		}
		name := names[max(0, slices.IndexFunc(names, func(n string) bool { return !taken[strings.ToLower(n)] }))]
		taken[strings.ToLower(name)] = true
		shown := brief(name, 40)
		all[id] = focus{name: shown, words: wordsOf(shown), asks: "what it means for " + shown}
		if i := slices.IndexFunc(focuses, func(f focus) bool { return f.name == strings.ToLower(name) }); i >= 0 {
			all[id] = focuses[i]
		}
	}
	return all
}

// fit counts the words that begin as one of the given beginnings does.
func fit(beginnings, words []string) int {
	n := 0
	for _, word := range words {
		if slices.ContainsFunc(beginnings, func(b string) bool { return strings.HasPrefix(word, b) }) {
			n++
		}
	}
	return n
}
