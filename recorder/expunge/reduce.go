package expunge

import (
	"reflect"
	"strings"

	"github.com/council-engine/council/council"
)

// wordsOf returns the texts of a payload that go when its event is named.
func wordsOf(p council.Payload) []string {
	var words []string
	for kind, text := range council.Texts(p) {
		if classes[kind]&whenNamed != 0 && text != council.ForgottenMark {
			words = append(words, text)
		}
	}
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

// edit returns the edit of the texts of one event.
func (p *Plan) edit(seq council.Seq) edit {
	return func(c class, text string) string {
		switch {
		case c&whenNamed != 0 && p.named[seq], c&withOpening != 0 && p.opening:
			if strings.TrimRight(text, "\n") == council.ForgottenMark {
				return text
			}
			return blank(c, text)
		case c&lined != 0:
			if p.phrases.Hold(text) { // its SHA-256 is on record
				return blank(c, text)
			}
			return text
		case c&compared != 0 && p.lenient:
			return text
		case c&inPart != 0, c&partOpened != 0 && p.opening:
			return p.phrases.Erase(text)
		}
		return text
	}
}

// Left returns, by event, in which texts a phrase stands that the plan does not erase, in plain words.
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

// Lost reports whether something of the texts of a payload, or of a part of one, was erased.
func Lost(v any) bool {
	for kind, text := range council.Texts(v) {
		if classes[kind] != kept && strings.Contains(text, council.ForgottenMark) {
			return true
		}
	}
	return false
}

// Bones returns a payload without any words: what must be the same before and after forgetting.
func Bones(p council.Payload) council.Payload {
	return edit(func(c class, text string) string {
		if c == kept {
			return text
		}
		return council.ForgottenMark
	}).rewrite(p)
}
