package expunge

import (
	"fmt"
	"reflect"
	"slices"
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
	return append(words, slices.DeleteFunc(proposed(p), func(o string) bool {
		return o == "" || strings.Contains(o, council.ForgottenMark)
	})...)
}

// proposed returns the options that the author of an event proposed. Elsewhere they are of others, or the charter's.
func proposed(p council.Payload) []string {
	m, _ := p.(council.MotionMade)
	c, _ := p.(council.ContributionMade)
	return append(slices.Clone(m.Options), c.Option)
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
		case c&chosen != 0:
			return p.option(text)
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

// option returns what is left of an option of a choice, which is the same wherever it stands: rankings are counted by
// it. What the charter gives to choose between goes as it does there.
func (p *Plan) option(text string) string {
	n, goes := p.options[text]
	switch {
	case !goes:
		return text
	case n == 0:
		return p.edit(1)(demand, text)
	}
	return fmt.Sprintf("%s %d", council.ForgottenMark, n)
}

// nameOptions finds the options that go: those of motions that are named, and those in which a phrase stands.
func (p *Plan) nameOptions() {
	p.options = map[string]int{}
	motions := map[council.MotionID]bool{} // that are named
	for _, e := range p.entries {
		switch m := e.Payload.(type) {
		case council.SessionStarted:
			for _, o := range m.Charter.Options {
				p.options[o] = 0
			}
		case council.MotionMade:
			motions[m.Motion] = p.named[e.Seq]
		case council.ChoicePut:
			for i, o := range m.Options {
				p.nameOption(o, len(m.Motions) > 0 && motions[m.Motions[i]])
			}
		}
		for _, o := range proposed(e.Payload) {
			p.nameOption(o, p.named[e.Seq])
		}
	}
	p.nameAlike()
}

// nameAlike gives options that count as the same the same number, if one of them goes, so that they still do.
func (p *Plan) nameAlike() {
	first := map[council.Stance]int{}
	for o, n := range p.options {
		if k := council.StanceOf(o); n > 0 && (first[k] == 0 || n < first[k]) {
			first[k] = n
		}
	}
	for _, e := range p.entries {
		for _, o := range proposed(e.Payload) {
			if n, known := p.options[o]; first[council.StanceOf(o)] > 0 && (n > 0 || !known) {
				p.options[o] = first[council.StanceOf(o)]
			}
		}
	}
}

// nameOption numbers an option that goes, if it does.
func (p *Plan) nameOption(text string, named bool) {
	if _, known := p.options[text]; text != "" && !known && (named || p.phrases.Hold(text)) {
		p.options[text] = len(p.options) + 1
	}
}

// Left returns, by event, in which texts a phrase stands that the plan does not erase, in plain words.
func (p *Plan) Left() map[council.Seq]string {
	left := map[council.Seq]string{}
	for _, e := range p.entries {
		if e.Payload == nil {
			continue
		}
		erase := p.edit(e.Seq)
		edit(func(c class, text string) string {
			if text = erase(c, text); p.phrases.Hold(text) {
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

// class is a set of rules on when a text of a payload is erased.
type class uint

const (
	whenNamed   class = 1 << iota // whole, when its event is named
	withOpening                   // whole, when the opening is named
	inPart                        // where a fragment stands in it
	partOpened                    // where a fragment stands in it, when the opening is named
	whole                         // a digest of it is on record, by which a part of it could be guessed: it goes whole
	lined                         // the number of its lines is kept: citations are checked against it
	chosen                        // an option of a choice: see [Plan.option]
	compared                      // the rules compare it: it stays where they would decide otherwise without it
)

// The classes that have a name in messages, and that of texts that are always kept.
const (
	kept      class = 0
	reference       = inPart | compared
	charter         = partOpened
	demand          = partOpened | compared
)

// classes are those of the kinds of texts. Other kinds are kept: ids, digests, choices.
var classes = map[council.TextKind]class{
	council.TextSaid:     whenNamed | inPart,
	council.TextShort:    whenNamed | inPart,
	council.TextStance:   whenNamed | inPart,
	council.TextOption:   chosen,
	council.TextDraft:    whenNamed | inPart | whole,
	council.TextBrief:    whenNamed | inPart | whole,
	council.TextResult:   whenNamed | inPart | whole,
	council.TextDocument: whenNamed | inPart | whole | lined,
	council.TextQuery:    whenNamed | inPart | withOpening,
	council.TextName:     inPart,
	council.TextSpeaker:  inPart,
	council.TextCited:    reference,
	council.TextCompared: reference,
	council.TextCharter:  charter,
	council.TextRequired: demand,
}

// places name the texts that stay while the opening is not named, or for good.
var places = map[class]string{
	charter:   "the charter",
	reference: "what a claim is about or cites",
	demand:    "what a phase must show",
	chosen:    "what was chosen between",
	kept:      "a name or an id",
}

// edit returns what is left of a text.
type edit func(c class, text string) string

// rewrite returns a copy of the payload with every text edited. When one of the texts that a digest names together is
// touched, all of them go: what is left of the others would make the missing one easy to guess.
func (e edit) rewrite(p council.Payload) council.Payload {
	touched := false
	of := func(kind council.TextKind, text string) string {
		if kind == council.TextMember {
			return text
		}
		c := classes[kind]
		if touched && kind == council.TextBrief {
			return blank(c, text)
		}
		left := e(c, text)
		if c&whole != 0 && left != text {
			touched = touched || kind == council.TextBrief
			return blank(c, text)
		}
		return left
	}
	left := council.EditTexts(p, of)
	if touched {
		return council.EditTexts(p, of)
	}
	return left
}

// blank erases a text whole. A text that must keep the number of its lines does.
func blank(c class, text string) string {
	if c&lined != 0 {
		return council.ForgottenMark + strings.Repeat("\n", strings.Count(text, "\n"))
	}
	return council.ForgottenMark
}
