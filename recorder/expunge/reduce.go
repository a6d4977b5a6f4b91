package expunge

import (
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// blank erases every text whole. Texts that must keep the number of their lines do.
var blank edit = func(c class, text string) string {
	if c&lined != 0 {
		return wire.Mark + strings.Repeat("\n", strings.Count(text, "\n"))
	}
	return wire.Mark
}

// quote is from how many characters on somebody's words are taken to be repeated on purpose where they stand again.
const quote = 40

// trace is from how many bytes on the words of a named event are looked for in files that are no part of the record.
const trace = 8

// Plan is what is to be erased from one session: the words of some events, and phrases wherever they stand.
type Plan struct {
	named    map[council.Seq]bool
	wholly   map[council.Seq]bool // those, and events that lose a text that a digest names: conversations keep none of them
	opening  bool                 // the opening is among them
	phrases  *Phrases             // the fragments, and long words of named events
	said     []string             // the words of named events, as they stood
	lenient  bool                 // what claims are about and cite stays as it is
	entries  []wire.Entry
	answered map[council.AskID]bool // that some event answers with words, so that they went on in the conversation
	personas *Phrases               // what members were told of a named opening
	traces   *Phrases               // the fragments, and what named events said: for what is no part of the record
}

// NewPlan returns the plan for a log. An event whose words another repeats by the rules is named with it: a motion and
// the resolution that it became. Events that the log does not have are passed over.
func NewPlan(entries []wire.Entry, named []council.Seq, fragments []string) *Plan {
	p := &Plan{named: map[council.Seq]bool{}, wholly: map[council.Seq]bool{}, answered: map[council.AskID]bool{}, entries: entries}
	for _, seq := range named {
		if seq >= 1 && int(seq) <= len(entries) {
			p.named[seq] = true
		}
	}
	p.opening = p.named[1]
	p.nameTwins()
	phrases, told := fragments, []string{}
	for _, e := range entries {
		a, answered := e.Answered()
		if _, fault := e.Payload.(council.MemberFaulted); answered && !fault {
			p.answered[a.Ask] = true
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
	p.traces = NewPhrases(slices.Concat(fragments, slices.DeleteFunc(slices.Clone(p.said), func(s string) bool { return len(s) < trace }))...)
	p.takeWhole()
	return p
}

// takeWhole finds the events that lose a text that a digest names.
func (p *Plan) takeWhole() {
	for _, e := range p.entries {
		p.wholly[e.Seq] = p.named[e.Seq]
		if e.Payload == nil {
			continue
		}
		edit(func(c class, text string) string {
			p.wholly[e.Seq] = p.wholly[e.Seq] || c&whole != 0 && p.phrases.Hold(text)
			return text
		}).rewrite(e.Payload)
	}
}

// nameTwins names the motion of a resolution that is named, and the other way round.
func (p *Plan) nameTwins() {
	motions := map[council.MotionID]council.Seq{}
	for _, e := range p.entries {
		switch m := e.Payload.(type) {
		case council.MotionMade:
			motions[m.Motion] = e.Seq
		case council.SessionClosed:
			if m.Resolution != nil && (p.named[e.Seq] || p.named[motions[m.Resolution.Motion]]) {
				p.named[e.Seq], p.named[motions[m.Resolution.Motion]] = true, true
			}
		}
	}
}

// Lenient makes the plan leave what claims are about, and what they cite, as it is: the rules decide by it.
func (p *Plan) Lenient() { p.lenient = true }

// Hold reports whether a phrase of the plan stands in the text.
func (p *Plan) Hold(text string) bool { return p.phrases.Hold(text) }

// Said is what named events said, as it stands in the log.
func (p *Plan) Said() []string { return p.said }

// Cleanse returns what is left of a file that is no part of the record, whether that is less than it held, and whether it
// is clean: where it is not, words stand in it in a form that cannot be cut out.
func (p *Plan) Cleanse(text string) (left string, changed, clean bool) {
	left = p.traces.cut(text)
	return left, left != text, !p.traces.Hold(left)
}

// wordsOf are the texts of a payload that go when its event is named.
func wordsOf(p council.Payload) []string {
	var words []string
	edit(func(c class, text string) string {
		if c&whenNamed != 0 && text != wire.Mark {
			words = append(words, text)
		}
		return text
	}).rewrite(p)
	return words
}

// Reduce returns what is left of the payloads of those events that lose words.
func (p *Plan) Reduce() map[council.Seq]council.Payload {
	left := map[council.Seq]council.Payload{}
	for _, e := range p.entries {
		if e.Payload == nil {
			continue
		}
		reduced := p.edit(e.Seq).rewrite(e.Payload)
		if !reflect.DeepEqual(reduced, e.Payload) {
			left[e.Seq] = reduced
		}
	}
	return left
}

// edit is what becomes of the texts of one event.
func (p *Plan) edit(seq council.Seq) edit {
	return func(c class, text string) string {
		switch {
		case c&whenNamed != 0 && p.named[seq], c&withOpening != 0 && p.opening:
			if strings.TrimRight(text, "\n") == wire.Mark {
				return text
			}
			return blank(c, text)
		case c&cited != 0 && p.lenient:
			return text
		case c&inPart != 0, c&partOpened != 0 && p.opening:
			return p.phrases.Erase(text)
		}
		return text
	}
}

// Left says where in the log a phrase stands that the plan does not erase, in plain words, by event.
func (p *Plan) Left() map[council.Seq]string {
	left := map[council.Seq]string{}
	for _, e := range p.entries {
		if e.Payload == nil {
			continue
		}
		p.edit(e.Seq).and(func(c class, text string) string {
			if p.phrases.Hold(text) {
				left[e.Seq] = places[c]
			}
			return text
		}).rewrite(e.Payload)
	}
	return left
}

// places name the texts that stay while the opening is not named, or for good.
var places = map[class]string{
	topic:     "the topic",
	document:  "a document",
	charter:   "the charter",
	reference: "what a claim is about or cites",
	kept:      "a name or an id",
}

// and edits what an edit has left.
func (e edit) and(next edit) edit {
	return func(c class, text string) string { return next(c, e(c, text)) }
}

// HasWords reports whether a payload has texts that forgetting may erase. One that has none is never marked as forgotten.
func HasWords(p council.Payload) bool {
	found := false
	edit(func(c class, text string) string {
		found = found || c != kept
		return text
	}).rewrite(p)
	return found
}

// Lost reports whether something of a payload's texts was erased.
func Lost(p council.Payload) bool {
	found := false
	edit(func(c class, text string) string {
		found = found || c != kept && strings.Contains(text, wire.Mark)
		return text
	}).rewrite(p)
	return found
}

// Bones is a payload without any words: what must be the same before and after forgetting.
func Bones(p council.Payload) council.Payload {
	return edit(func(c class, text string) string {
		if c == kept {
			return text
		}
		return wire.Mark
	}).rewrite(p)
}
