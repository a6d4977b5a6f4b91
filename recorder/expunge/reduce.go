package expunge

import (
	"reflect"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
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

// Restated returns the events of a log as the rules can decide them again after words were forgotten. A log in which
// nothing was forgotten is returned as it is.
//
//   - The rules hold a document, a draft and a brief against its SHA-256. Where its words are gone, the SHA-256 of what
//     is left takes the place of the one on record, in every event that names it.
//   - They compare stances, and BASELINE has on record which were the same. Forgotten stances get words that agree or
//     differ as those did that were forgotten.
//   - They compute what an amended motion says, which is on record. Where words of it were forgotten, an amendment that
//     was taken in becomes a substitute of what is left, and the others stay possible or impossible as they were.
//   - They read from the words of a turn what it was the first to cite. Forgotten turns cite what is on record.
func Restated(entries []wire.Entry) []council.Event {
	r := restating{
		events: make([]council.Event, len(entries)), digests: map[string]string{}, stances: map[council.MemberID]int{},
	}
	for i, e := range entries {
		r.events[i] = e.Event
		r.take(i, e)
	}
	r.amendments(entries)
	if len(r.digests) == 0 {
		return r.events
	}
	for i, e := range r.events {
		r.events[i].Payload = council.EditTexts(e.Payload, func(_ council.TextKind, text string) string {
			if left, ok := r.digests[text]; ok {
				return left
			}
			return text
		})
	}
	return r.events
}

// restating is a walk along one log.
type restating struct {
	events  []council.Event
	digests map[string]string        // of what is left, by the digest on record
	stances map[council.MemberID]int // the positions that name a stance, by their places in the log
}

func (r *restating) take(i int, e wire.Entry) {
	digest := func(recorded, left string) {
		if e.Forgotten && recorded != "" && recorded != left {
			r.digests[recorded] = left
		}
	}
	answered, _ := e.Answered()
	for _, u := range answered.Tools {
		digest(u.SHA256, council.Digest(u.Result))
	}
	switch p := e.Payload.(type) {
	case council.SessionStarted:
		for _, d := range p.Topic.Documents {
			digest(d.SHA256, council.Digest(d.Text))
		}
	case council.DraftWritten:
		digest(p.SHA256, council.Digest(p.Markdown))
	case council.SummaryWritten:
		if p.ExecutionBrief != nil {
			digest(p.BriefSHA256, p.ExecutionBrief.SHA256())
		}
	case council.BriefAmended:
		digest(p.BriefSHA256, p.Brief.SHA256())
	case council.PositionSealed:
		r.stances[e.Actor] = i
	case council.Baseline:
		for _, by := range p.Held {
			r.hold(by)
		}
	case council.ContributionMade:
		if e.Forgotten {
			p.Message = citing(p.Message, p.Cites)
			r.events[i].Payload = p
		}
	case council.TurnPassed:
		if e.Forgotten {
			p.Reason = citing(p.Reason, p.Cites)
			r.events[i].Payload = p
		}
	}
}

// hold gives members of one mind the same stance where the words of some were forgotten: those of one whose words were
// not, or else words that nobody has.
func (r *restating) hold(by []council.MemberID) {
	words := council.ForgottenMark + " " + string(by[0])
	forgotten := func(p council.PositionSealed) bool { return strings.Contains(p.Stance, council.ForgottenMark) }
	for _, m := range by {
		if p, ok := r.events[r.stances[m]].Payload.(council.PositionSealed); ok && !forgotten(p) {
			words = p.Stance
		}
	}
	for _, m := range by {
		if p, ok := r.events[r.stances[m]].Payload.(council.PositionSealed); ok && forgotten(p) {
			p.Stance = words
			r.events[r.stances[m]].Payload = p
		}
	}
}

func citing(text string, cites []string) string {
	for _, c := range cites {
		text += " [" + c + "]"
	}
	return text
}

// amendments restates the amendments to motions of which words were forgotten.
func (r *restating) amendments(entries []wire.Entry) {
	touched, said := map[council.MotionID]bool{}, map[council.AmendmentID]council.Wording{}
	for _, e := range entries {
		switch p := e.Payload.(type) {
		case council.MotionMade:
			touched[p.Motion] = touched[p.Motion] || e.Forgotten
		case council.SecondAnswered:
			touched[p.Motion] = touched[p.Motion] || e.Forgotten && p.Amendment != nil
		case council.AmendmentDecided:
			if mark := council.ForgottenMark + string(p.Amendment); p.Vote != nil {
				said[p.Amendment] = council.Wording{MotionTitle: mark, MotionText: mark, DecisionIfPass: mark}
			}
		case council.MotionAmended:
			touched[p.Motion], said[p.Amendment] = touched[p.Motion] || e.Forgotten, p.Wording
		}
	}
	for i, e := range entries {
		p, _ := e.Payload.(council.SecondAnswered)
		if p.Amendment == nil || !touched[p.Motion] {
			continue
		}
		p.Amendment = &council.Amendment{Strike: council.ForgottenMark + e.ID}
		if w, voted := said[council.AmendmentID(e.ID)]; voted {
			p.Amendment = &council.Amendment{Substitute: &w}
		}
		r.events[i].Payload = p
	}
}
