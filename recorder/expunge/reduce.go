package expunge

import (
	"reflect"
	"strings"

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
		case c&lined != 0:
			if p.phrases.Hold(text) { // its SHA-256 is on record
				return blank(c, text)
			}
			return text
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
	charter:   "the charter",
	reference: "what a claim is about or cites",
	demand:    "what a phase must show",
	kept:      "a name or an id",
}

// and edits what an edit has left.
func (e edit) and(next edit) edit {
	return func(c class, text string) string { return next(c, e(c, text)) }
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
