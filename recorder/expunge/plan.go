// Package expunge erases words from what a session recorded: from the payloads of events and from the lines of
// conversations. What is not words stays: who spoke, when, on what, how it was voted. So the rules can decide the
// session again from what is left.
//
// It knows values, not files. Package recorder has the files, package wire the form in which a reduced line stands.
package expunge

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/wire"
)

// quote is the length in characters from which words that stand again are taken for a quotation.
const quote = 40

// trace is the length in bytes from which the words of a named event are looked for in files outside of the record.
const trace = 8

// Plan names what is to be erased from one session: the words of some events, and phrases wherever they stand.
type Plan struct {
	named    map[council.Seq]bool
	wholly   map[council.Seq]bool // those, and others of which conversations keep nothing: see takeWhole
	opening  bool                 // the opening is among them
	phrases  *Phrases             // the fragments, and long words of named events
	said     []string             // the words of named events, as they stood
	lenient  bool                 // what claims are about and cite stays as it is
	entries  []wire.Entry
	options  map[string]int         // of choices, those that go, by their words: a number for what takes their place
	answered map[council.AskID]bool // that some event answers with words, so that they went on in the conversation
	personas *Phrases               // what members were told of a named opening
	traces   *Phrases               // the fragments, and what named events said: for what is not part of the record
}

// NewPlan returns the plan for a log. An event whose words another repeats by the rules is named with it: a motion and
// the resolution that it became. Events that the log does not have are passed over.
func NewPlan(entries []wire.Entry, named []council.Seq, fragments []string) *Plan {
	p := &Plan{
		named: map[council.Seq]bool{}, wholly: map[council.Seq]bool{}, answered: map[council.AskID]bool{}, entries: entries,
	}
	for _, seq := range named {
		if seq >= 1 && int(seq) <= len(entries) {
			p.named[seq] = true
		}
	}
	p.opening = p.named[1]
	p.nameTwins()
	phrases, told := fragments, []string{}
	for _, e := range entries {
		if r, _ := e.Reply(); r.Body != nil {
			p.answered[r.Ask] = true
		}
		if !p.named[e.Seq] {
			continue
		}
		for _, text := range wordsOf(e.Payload) {
			p.said = append(p.said, text)
			if utf8.RuneCountInString(text) >= quote {
				phrases = append(phrases[:len(phrases):len(phrases)], text)
			}
			if e.Seq == 1 {
				told = append(told, text)
			}
		}
	}
	p.personas = NewPhrases(told...)
	p.phrases = NewPhrases(phrases...)
	long := slices.DeleteFunc(slices.Clone(p.said), func(s string) bool { return len(s) < trace })
	p.traces = NewPhrases(slices.Concat(fragments, long)...)
	p.nameOptions()
	p.takeWhole()
	return p
}

// shortened is from how many bytes on a conversation that starts again may be told a text in part only: the cut may go
// through the middle of what is to be erased.
const shortened = 500

// takeWhole finds the events of which conversations keep nothing, beside those that are named. A draft is told with the
// brief that goes with it.
func (p *Plan) takeWhole() {
	brief := council.Seq(0) // the event of the last one
	for _, e := range p.entries {
		p.wholly[e.Seq] = p.named[e.Seq]
		for kind, text := range council.Texts(e.Payload) {
			p.wholly[e.Seq] = p.wholly[e.Seq] || (classes[kind]&whole != 0 || len(text) > shortened) && p.phrases.Hold(text)
		}
		switch d := e.Payload.(type) {
		case council.SummaryWritten:
			brief = e.Seq
		case council.DraftWritten:
			if d.ExecutionBrief != nil {
				brief = e.Seq
			}
			p.wholly[e.Seq] = p.wholly[e.Seq] || p.wholly[brief]
		}
	}
}

// nameTwins names the motion, or the turn that added the option, of a resolution that is named, and the other way
// round.
func (p *Plan) nameTwins() {
	motions, words := map[council.MotionID]council.Seq{}, map[council.Stance][]council.Seq{}
	for _, e := range p.entries {
		switch m := e.Payload.(type) {
		case council.MotionMade:
			motions[m.Motion] = e.Seq
			words[council.StanceOf(m.DecisionIfPass)] = append(words[council.StanceOf(m.DecisionIfPass)], e.Seq)
		case council.ContributionMade:
			words[council.StanceOf(m.Option)] = append(words[council.StanceOf(m.Option)], e.Seq)
		case council.SessionClosed:
			all := p.named[e.Seq]
			for _, r := range m.Resolutions {
				twins := []council.Seq{motions[r.Motion]}
				if k := council.StanceOf(r.Decision); r.Ranked && k != "" {
					twins = append(twins, words[k]...)
				}
				for _, on := range twins {
					p.named[on] = p.named[on] || all
					p.named[e.Seq] = p.named[e.Seq] || p.named[on]
				}
			}
		}
	}
}

// Lenient makes the plan leave what claims are about, and what they cite, as it is: the rules decide by it.
func (p *Plan) Lenient() { p.lenient = true }

// Hold reports whether a phrase of the plan stands in the text.
func (p *Plan) Hold(text string) bool { return p.phrases.Hold(text) }

// Said returns the words of named events, as they stand in the log, that are long enough to be found elsewhere.
func (p *Plan) Said() []string {
	return slices.DeleteFunc(slices.Clone(p.said), func(s string) bool { return utf8.RuneCountInString(s) < quote })
}

// Cleanse returns what is left of a file that is not part of the record, whether that is less than it held, and whether
// it is clean: where it is not, words stand in it in a form that cannot be cut out.
func (p *Plan) Cleanse(text string) (left string, changed, clean bool) {
	left = p.traces.cut(text)
	return left, left != text, !p.traces.Hold(left)
}

// Phrases are words to be found and erased, wherever they stand and in whichever of the forms that a record gives them:
// as they were said, cleaned as prompts and pages carry them, escaped as in JSON. Case matters.
type Phrases struct {
	exact []string // longest first
	loose []string // the letters and digits alone
	marks *strings.Replacer
}

// NewPhrases returns phrases for words that have more to them than space.
func NewPhrases(words ...string) *Phrases {
	p := &Phrases{}
	for _, w := range words {
		if strings.TrimSpace(w) == "" {
			continue
		}
		for _, form := range []string{w, strings.TrimSpace(w), hostile.Clean(w), hostile.Line(w)} {
			p.exact = append(p.exact, form, escaped(form))
		}
		// What is mostly signs, such as C++, is found as it stands or not at all: its letters are in every other word.
		if f := fold(w); len(f) >= minLoose && 2*len(f) >= len(strings.TrimSpace(w)) {
			p.loose = append(p.loose, f)
		}
	}
	p.exact = slices.DeleteFunc(p.exact, func(s string) bool { return strings.TrimSpace(s) == "" })
	slices.SortFunc(p.exact, func(a, b string) int { return cmp.Or(len(b)-len(a), strings.Compare(a, b)) })
	p.exact = slices.Compact(p.exact)
	// What is marked already stays, though the mark has letters of its own.
	pairs := []string{council.ForgottenMark, council.ForgottenMark}
	for _, w := range p.exact {
		pairs = append(pairs, w, council.ForgottenMark)
	}
	p.marks = strings.NewReplacer(pairs...)
	return p
}

// minLoose is the least number of bytes by which letters and digits alone are searched.
const minLoose = 4

// Erase returns a text without the phrases. Where one stands in a form that cannot be cut out, or where what is left
// would be longer than the text was, nothing is left but the mark.
func (p *Phrases) Erase(text string) string {
	out := p.cut(text)
	if p.Hold(out) || len(out) > max(len(text), brief) {
		return council.ForgottenMark
	}
	return out
}

// cut puts the mark in the place of every phrase that stands in the text as it is.
func (p *Phrases) cut(text string) string { return p.marks.Replace(text) }

// brief is the length in bytes up to which a text may grow by the marks in it: no text is bounded below that.
const brief = 200

// Hold reports whether one of the phrases stands in the text, in whatever form.
func (p *Phrases) Hold(text string) bool {
	for range 3 { // JSON within JSON within JSON
		for part := range strings.SplitSeq(text, council.ForgottenMark) {
			if slices.ContainsFunc(p.exact, func(w string) bool { return strings.Contains(part, w) }) {
				return true
			}
			if len(p.loose) == 0 {
				continue
			}
			letters := fold(part)
			if slices.ContainsFunc(p.loose, func(w string) bool { return strings.Contains(letters, w) }) {
				return true
			}
		}
		if !strings.Contains(text, `\`) {
			return false
		}
		text = unescaped(text)
	}
	return false
}

// fold returns a text by its letters and digits: what stands between them is one space.
func fold(text string) string {
	return strings.Join(strings.FieldsFunc(hostile.Clean(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r)
	}), " ")
}

// escaped returns a text as it stands between the quotes of a JSON string.
func escaped(text string) string {
	quoted, err := wire.JSON(text)
	if err != nil || len(quoted) < 2 {
		return text
	}
	return string(quoted[1 : len(quoted)-1])
}

// escape matches the escapes of JSON.
var escape = regexp.MustCompile(
	`\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|["\\/bfnrt])`)

// unescaped undoes the escapes of JSON wherever one stands, in a text that need not be JSON.
func unescaped(text string) string {
	return escape.ReplaceAllStringFunc(text, func(sequence string) (s string) {
		if json.Unmarshal([]byte(`"`+sequence+`"`), &s) != nil {
			return sequence
		}
		return s
	})
}
