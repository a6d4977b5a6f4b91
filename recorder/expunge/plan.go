// Package expunge erases words from the payloads of a session's events. It keeps who spoke, when and on which matter,
// and all votes, so that the rules can decide the session again from the rest.
//
// It knows values, not files. Package recorder has the files, package wire the form of a line that lost words.
package expunge

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/conversation"
	"github.com/council-engine/council/recorder/wire"
)

// quote is the length in characters from which repeated words are taken for a quotation.
const quote = 40

// Erasing names the words to erase from sessions.
type Erasing struct {
	Events  []council.Seq // of this session: all that was said in them
	Phrases []string      // a text that holds one is erased whole
	Recalls []string      // ids of records, turns and episodes: the session's reminders and recollections of them
}

// Plan finds the texts of one session that are erased.
type Plan struct {
	entries []wire.Entry
	named   map[council.Seq]bool
	phrases *Phrases                  // the phrases, long words of named events, and recalled words
	said    []string                  // those long words
	options map[council.Stance]string // the marks of erased options: rankings are counted by them
	lenient bool
	asked   map[council.AskID]council.Seq // for each question the last event that the member knew; see [Plan.MayRepeat]
	first   council.Seq                   // the first event that loses words
	last    council.Seq
}

// NewPlan returns the plan for a log. Events that repeat the words of a named one by the rules are named with it.
func NewPlan(entries []wire.Entry, what Erasing) *Plan {
	p := &Plan{entries: entries, named: map[council.Seq]bool{}}
	for _, seq := range what.Events {
		p.named[seq] = true
	}
	p.nameRepeats()
	phrases := slices.Clone(what.Phrases)
	for _, e := range entries {
		phrases = append(phrases, recalledWords(e.Payload, what.Recalls)...)
		for kind, text := range council.Texts(e.Payload) {
			if p.named[e.Seq] && classes[kind] == wordText && utf8.RuneCountInString(text) >= quote {
				p.said = append(p.said, text)
			}
		}
	}
	p.phrases = NewPhrases(append(phrases, p.said...)...)
	p.markOptions()
	return p
}

// Said returns the words of named events that are long enough to be found elsewhere.
func (p *Plan) Said() []string { return p.said }

// Lenient makes the plan keep the texts that the rules compare.
func (p *Plan) Lenient() {
	p.lenient = true
	if started, ok := wire.Started(p.entries); ok {
		for _, o := range started.Charter.Options {
			delete(p.options, council.StanceOf(o))
		}
	}
}

// nameRepeats names the events whose words a named one repeats, those that repeat a reply with a named one, and a close
// that repeats words of a named one. The query of a search is drawn from the topic and goes with it.
func (p *Plan) nameRepeats() {
	for more := len(p.named) > 0; more; {
		more = false
		for _, e := range p.entries {
			for _, from := range repeated(p.entries, e) {
				if p.named[e.Seq] != p.named[from] {
					p.named[e.Seq], p.named[from], more = true, true, true
				}
			}
		}
	}
	all := Origins(p.entries)
	for _, seq := range slices.Collect(maps.Keys(p.named)) {
		for _, on := range all[seq] {
			p.named[on] = true
		}
	}
	for _, e := range p.entries {
		switch e.Payload.(type) {
		case council.MemoryRecalled:
			p.named[e.Seq] = p.named[e.Seq] || p.named[1]
		case council.SessionClosed:
			p.named[e.Seq] = p.named[e.Seq] || slices.ContainsFunc(all[e.Seq], func(on council.Seq) bool {
				_, summary := p.entries[on-1].Payload.(council.SummaryWritten)
				return p.named[on] && !summary
			})
		}
	}
}

// Origins lists, for each event that follows from others by the rules, the events whose words it repeats or counts: the
// motions of a decision, the draft of a vote on it, the assessments of a phase.
func Origins(entries []wire.Entry) map[council.Seq][]council.Seq {
	all, words := map[council.Seq][]council.Seq{}, map[council.Stance][]council.Seq{}
	at := map[any]council.Seq{} // the last event for a motion, a version of the draft, or a kind of question
	for _, e := range entries {
		of := func(keys ...any) {
			for _, k := range keys {
				if seq := at[k]; seq != 0 {
					all[e.Seq] = append(all[e.Seq], seq)
				}
			}
		}
		says := func(option string) {
			words[council.StanceOf(option)] = append(words[council.StanceOf(option)], e.Seq)
		}
		switch m := e.Payload.(type) {
		case council.MotionMade:
			at[m.Motion] = e.Seq
			says(m.DecisionIfPass)
		case council.ContributionMade:
			says(m.Option)
		case council.DraftWritten:
			at[m.Version] = e.Seq
		case council.PhaseAssessed:
			at[council.AskAssess] = e.Seq
		case council.AnswersProposed:
			at[council.AskPropose] = e.Seq
		case council.SummaryWritten:
			at[council.AskSummary] = e.Seq
		case council.MotionDecided:
			of(m.Motion)
		case council.DebateClosed:
			for _, id := range m.Resolutions {
				of(id)
			}
		case council.DraftDecided:
			of(m.Version)
		case council.PhaseEnded:
			for _, id := range m.Resolutions {
				of(id)
			}
			of(council.AskAssess)
			delete(at, council.AskAssess)
		case council.SessionClosed:
			for _, r := range m.Resolutions {
				of(r.Motion)
				if k := council.StanceOf(r.Decision); r.Ranked && k != "" {
					all[e.Seq] = append(all[e.Seq], words[k]...)
				}
			}
			of(council.AskPropose, council.AskSummary)
		}
	}
	return all
}

// recalledWords returns the words of a payload that repeat one of these records, turns and episodes.
func recalledWords(p council.Payload, ids []string) (words []string) {
	switch m := p.(type) {
	case council.SessionStarted:
		for _, reminder := range m.Memory {
			for _, r := range reminder.Records {
				if slices.Contains(ids, r.ID) {
					words = append(words, r.Summary, r.Detail)
				}
			}
		}
	case council.MemoryRecalled:
		for _, h := range m.Hits {
			if slices.Contains(ids, h.ID) {
				words = append(words, h.Text)
			}
		}
	}
	return slices.DeleteFunc(words, func(s string) bool { return s == council.ForgottenMark })
}

// markOptions finds the options and stances that are erased: those of named events, but for the charter's options, and
// those that hold a phrase. Those that count as the same get the same mark, in all events. The close that resolved on
// one is named.
func (p *Plan) markOptions() {
	p.options = map[council.Stance]string{}
	given, motions := map[council.Stance]bool{}, map[council.MotionID]bool{} // that are named
	for _, e := range p.entries {
		var options []string
		named := func(int) bool { return p.named[e.Seq] }
		switch m := e.Payload.(type) {
		case council.SessionStarted:
			for _, o := range m.Charter.Options {
				options, given[council.StanceOf(o)] = append(options, o), true
			}
		case council.MotionMade:
			options, motions[m.Motion] = m.Options, p.named[e.Seq]
		case council.ContributionMade:
			options = []string{m.Option}
		case council.PositionSealed:
			options = []string{m.Stance, m.Missing}
		case council.RankingCast:
			options = []string{m.Missing}
		case council.AnswersProposed:
			options = council.Map(m.Answers.Answers, func(h council.Held) string { return h.Answer })
		case council.ChoicePut:
			options, named = m.Options, func(i int) bool { return i < len(m.Motions) && motions[m.Motions[i]] }
		case council.SessionClosed:
			for _, r := range m.Resolutions {
				p.named[e.Seq] = p.named[e.Seq] || r.Ranked && p.options[council.StanceOf(r.Decision)] != ""
			}
		default:
			for kind, text := range council.Texts(e.Payload) {
				if kind == council.TextStance {
					options = append(options, text)
				}
			}
		}
		for i, o := range options {
			key := council.StanceOf(o)
			if key == "" || p.options[key] != "" || strings.Contains(o, council.ForgottenMark) {
				continue
			}
			if !given[key] && named(i) || p.phrases.Hold(o) {
				p.options[key] = fmt.Sprintf("%s %d.%d", council.ForgottenMark, e.Seq, i+1)
			}
		}
	}
}

// Reduce returns the payloads of the events that lose words, as they are after that. MayRepeat and MayRepeatAfter
// follow it.
func (p *Plan) Reduce() map[council.Seq]council.Payload {
	left := map[council.Seq]council.Payload{}
	p.asked = map[council.AskID]council.Seq{"": 1} // the system prompt has the topic
	p.first, p.last = council.Seq(len(p.entries))+1, 0
	for _, e := range p.entries {
		erased := p.named[e.Seq]
		if e.Payload != nil {
			if reduced := p.reduce(e); !reflect.DeepEqual(reduced, e.Payload) {
				left[e.Seq], erased = reduced, true
			}
		}
		if erased {
			p.first, p.last = min(p.first, e.Seq), e.Seq
		}
		if a, ok := e.Answered(); ok && erased {
			p.asked[a.Ask] = e.Seq
		} else if ok {
			p.asked[a.Ask] = max(p.asked[a.Ask], a.AsOf)
		}
	}
	return left
}

// MayRepeat reports whether a line of a conversation may hold erased words: it holds a phrase, belongs to the question
// that an erased event answers, or to one that was asked after the first erased event.
func (p *Plan) MayRepeat(l conversation.Line) bool {
	asked, known := p.asked[l.Ask]
	if !known { // no event answers it, so its time is unknown
		asked = council.Seq(len(p.entries))
	}
	return asked >= p.first || p.lineHolds(l)
}

// MayRepeatAfter reports whether a conversation after the close may hold erased words. It begins with the events that
// the member had not seen when it last answered, unless it starts again from a digest of all.
func (p *Plan) MayRepeatAfter(a conversation.After) bool {
	var seen council.Seq
	for _, e := range p.entries {
		if answered, ok := e.Answered(); ok && e.Actor == a.Member && e.Body() != nil {
			seen = answered.AsOf
		}
	}
	return a.Err != nil || p.first == 1 || p.last > seen || slices.ContainsFunc(a.Log.Lines,
		func(l conversation.Line) bool { return l.Restart > 0 || p.lineHolds(l) })
}

func (p *Plan) lineHolds(l conversation.Line) bool {
	text, err := json.Marshal(l)
	return err != nil || p.phrases.Hold(string(text)) || p.phrases.Hold(string(l.ContentBase64))
}

// reduce returns the payload of an event after the erasing. One digest covers all texts of a brief, and would make a
// missing one easy to guess by the others: they go together.
func (p *Plan) reduce(e wire.Entry) council.Payload {
	brief := false
	for kind, text := range council.Texts(e.Payload) {
		brief = brief || kind == council.TextBrief && p.textLeft(e.Seq, kind, text) != text
	}
	return council.EditTexts(e.Payload, func(kind council.TextKind, text string) string {
		if brief && kind == council.TextBrief {
			return council.ForgottenMark
		}
		if first, second := joined(p.entries, e, text); second != "" {
			return p.textLeft(e.Seq, kind, first) + "\n\n" + p.textLeft(e.Seq, kind, second)
		}
		return p.textLeft(e.Seq, kind, text)
	})
}

// textLeft returns the text that takes the place of one in an event. A document keeps the number of its lines, because
// citations are checked against it.
func (p *Plan) textLeft(seq council.Seq, kind council.TextKind, text string) string {
	c, mark := classes[kind], p.options[council.StanceOf(text)]
	switch {
	case c == keptText, c == comparedText && p.lenient:
		return text
	case (c == optionText || c == comparedText) && mark != "":
		return mark
	case c == optionText || !(c == wordText && p.named[seq]) && !p.phrases.Hold(text):
		return text
	case kind == council.TextDocument:
		return council.ForgottenMark + strings.Repeat("\n", strings.Count(text, "\n"))
	}
	return council.ForgottenMark
}

// LostWords reports whether words of a payload, or of a part of one, were erased.
func LostWords(v any) bool {
	for kind, text := range council.Texts(v) {
		if classes[kind] != keptText && strings.Contains(text, council.ForgottenMark) {
			return true
		}
	}
	return false
}

// class decides when a text of a payload is erased.
type class int

const (
	keptText     class = iota // never: ids, digests, choices
	wordText                  // when its event is named, or it holds a phrase
	givenText                 // when it holds a phrase
	comparedText              // when it holds a phrase and the rules decide as before without it
	optionText                // in all events at once: see [Plan.markOptions]
)

var classes = map[council.TextKind]class{
	council.TextSaid:     wordText,
	council.TextShort:    wordText,
	council.TextDraft:    wordText,
	council.TextBrief:    wordText,
	council.TextResult:   wordText,
	council.TextDocument: wordText,
	council.TextQuery:    wordText,
	council.TextName:     givenText,
	council.TextSpeaker:  givenText,
	council.TextCharter:  givenText,
	council.TextCited:    comparedText,
	council.TextCompared: comparedText,
	council.TextRequired: comparedText,
	council.TextOption:   optionText,
	council.TextStance:   optionText,
}
