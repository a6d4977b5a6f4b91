package expunge

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/wire"
)

// Restate returns the events of a log as the rules can decide them again after words were forgotten. It returns a log
// in which nothing was forgotten as it is.
//
//   - The rules compare a document, a draft and a brief with its SHA-256. If words of it are gone, the SHA-256 of the
//     rest takes the place of the recorded one, in every event that names it.
//   - They compute the wording of an amended motion, which is on record. If words of it are gone, an adopted amendment
//     becomes a substitute with the recorded wording, and the others remain possible or impossible as they were.
//   - They name the options of a choice between motions by titles, and write the chosen one into a resolution: both are
//     written again.
//   - They read from the words of a turn which sources it was the first to cite. Forgotten turns cite those on record.
func Restate(entries []wire.Entry) []council.Event {
	r := restater{
		events: make([]council.Event, len(entries)), digests: map[string]string{}, options: map[string]string{},
		motions: map[council.MotionID]*council.Motion{},
	}
	for i, e := range entries {
		r.events[i] = e.Event
		r.restate(i, e)
	}
	r.restateAmendments(entries)
	if len(r.digests)+len(r.options) == 0 {
		return r.events
	}
	for i, e := range r.events {
		r.events[i].Payload = council.EditTexts(e.Payload, func(kind council.TextKind, text string) string {
			if left, ok := r.digests[text]; ok {
				return left
			}
			if left, ok := r.options[text]; ok && kind == council.TextOption {
				return left
			}
			return text
		})
	}
	return r.events
}

type restater struct {
	proposed string // the resolution of the first answer that the leader proposed
	events   []council.Event
	digests  map[string]string // of the texts that remain, by the recorded digest
	options  map[string]string // as the rules name motions by the titles that remain, by the recorded option
	motions  map[council.MotionID]*council.Motion
}

func (r *restater) restate(i int, e wire.Entry) {
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
		if p.ExecutionBrief != nil {
			digest(p.BriefSHA256, p.ExecutionBrief.SHA256())
		}
	case council.MotionMade:
		r.motions[p.Motion] = &council.Motion{Title: p.MotionTitle, Text: p.MotionText, Options: p.Options}
	case council.MotionAmended:
		r.motions[p.Motion] = &council.Motion{Title: p.MotionTitle}
	case council.ChoicePut:
		r.nameOptions(p)
	case council.AnswersProposed:
		r.proposed = p.Text
	case council.MotionDecided:
		if m := r.motions[p.Motion]; m != nil && p.Choice != nil && len(m.Options) > 0 {
			if m.Decision = council.Chosen(m.Options, p.Choice); p.Choice.Chosen != nil && *p.Choice.Chosen == 0 {
				m.Text = r.proposed
			}
		}
	case council.SessionClosed:
		if e.Forgotten {
			p.Resolutions = slices.Clone(p.Resolutions)
			for i, of := range p.Resolutions {
				if m := r.motions[of.Motion]; of.Ranked && m != nil && m.Decision != "" {
					p.Resolutions[i].Title, p.Resolutions[i].Text, p.Resolutions[i].Decision = m.Title, m.Text, m.Decision
				}
			}
			r.events[i].Payload = p
		}
	case council.SummaryWritten:
		if p.ExecutionBrief != nil {
			digest(p.BriefSHA256, p.ExecutionBrief.SHA256())
		}
	case council.BriefAmended:
		digest(p.BriefSHA256, p.Brief.SHA256())
	case council.ContributionMade:
		if p.Message = appendCites(p.Message, p.Cites); e.Forgotten {
			r.events[i].Payload = p
		}
	case council.TurnPassed:
		if p.Reason = appendCites(p.Reason, p.Cites); e.Forgotten {
			r.events[i].Payload = p
		}
	}
}

func (r *restater) nameOptions(p council.ChoicePut) {
	if len(p.Motions) == 0 {
		started, _ := r.events[0].Payload.(council.SessionStarted)
		r.motions[p.Motion] = &council.Motion{Title: started.Topic.Text, Options: p.Options}
		return
	}
	var of []*council.Motion
	for _, id := range p.Motions {
		of = append(of, cmp.Or(r.motions[id], &council.Motion{}))
	}
	for i, named := range council.MotionOptions(of) {
		if named != p.Options[i] {
			r.options[p.Options[i]] = named
		}
	}
}

func appendCites(text string, cites []string) string {
	for _, c := range cites {
		text += " [" + c + "]"
	}
	return text
}

func (r *restater) restateAmendments(entries []wire.Entry) {
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

// repeated lists the replies that an event repeats: of a dissent the last reasons of its author too.
func repeated(entries []wire.Entry, e wire.Entry) (from []council.Seq) {
	if e.Repeats() == 0 {
		return nil
	}
	if _, dissent := e.Payload.(council.DissentWritten); dissent {
		for _, earlier := range slices.Backward(entries[:e.Seq-1]) {
			b, ranked := earlier.Payload.(council.RankingCast)
			_, position := earlier.Payload.(council.PositionSealed)
			if earlier.Actor == e.Actor && (ranked && b.From == 0 || position) {
				from = append(from, earlier.Seq)
				break
			}
		}
	}
	return append(from, e.Repeats())
}

// joined returns the two reasons that a dissent repeats: on the choice and on the draft; "" unless it has both.
func joined(entries []wire.Entry, e wire.Entry, text string) (onChoice, onDraft string) {
	d, _ := e.Payload.(council.DissentWritten)
	if d.From == 0 || d.From >= e.Seq || text != d.Dissent.Dissent {
		return "", ""
	}
	if b, ok := entries[d.From-1].Payload.(council.BallotCast); ok && b.Rationale != "" {
		if before, found := strings.CutSuffix(text, "\n\n"+b.Rationale); found {
			return before, b.Rationale
		}
	}
	return "", ""
}

// Phrases are words to be found in whichever form a record gives them: as they were said, cleaned as in prompts and
// pages, escaped as in JSON. Case matters.
type Phrases struct {
	exact   []string
	letters []string // the letters and digits alone
}

// minLetters is the least number of bytes by which letters and digits alone are searched.
const minLetters = 4

// NewPhrases returns phrases for words that are not blank.
func NewPhrases(words ...string) *Phrases {
	p := &Phrases{}
	for _, w := range words {
		w = strings.TrimSpace(w)
		p.exact = append(p.exact, w, hostile.Clean(w), hostile.Line(w))
		// The letters of a phrase that is mostly signs, such as C++, are in every other word.
		if f := fold(w); len(f) >= minLetters && 2*len(f) >= len(w) {
			p.letters = append(p.letters, f)
		}
	}
	p.exact = slices.DeleteFunc(p.exact, func(s string) bool { return strings.TrimSpace(s) == "" })
	return p
}

// Hold reports whether one of the phrases is in the text, in whatever form.
func (p *Phrases) Hold(text string) bool {
	if len(p.exact) == 0 {
		return false
	}
	for range 3 { // JSON within JSON within JSON
		for part := range strings.SplitSeq(text, council.ForgottenMark) {
			if containsAny(part, p.exact) || len(p.letters) > 0 && containsAny(fold(part), p.letters) {
				return true
			}
		}
		if !strings.Contains(text, `\`) {
			return false
		}
		text = unescape(text)
	}
	return false
}

func containsAny(text string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(text, w) })
}

// fold returns a text by its letters and digits: one space takes the place of all between them.
func fold(text string) string {
	return strings.Join(strings.FieldsFunc(hostile.Clean(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsNumber(r)
	}), " ")
}

var escape = regexp.MustCompile(
	`\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|["\\/bfnrt])`)

func unescape(text string) string {
	return escape.ReplaceAllStringFunc(text, func(sequence string) (s string) {
		if json.Unmarshal([]byte(`"`+sequence+`"`), &s) != nil {
			return sequence
		}
		return s
	})
}
