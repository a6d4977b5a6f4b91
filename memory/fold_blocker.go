package memory

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// maxRaised is how many blockers of one session the council keeps as risks; a member keeps all of its own. A session of
// many members and drafts would else crowd everything out.
const maxRaised = 12

// raised remembers the blockers of one review: what stood in the way once may do so again, and weighs more each time
// that it does. They weigh least at first.
func (f *folding) raised(e *wire.Entry) {
	for _, b := range f.minutes.blockers {
		if b.entry != e {
			continue
		}
		s := f.risk(b)
		if f.book.Member == "" && f.find(s) < 0 {
			if f.raisedNew >= maxRaised {
				continue
			}
			f.raisedNew++
		}
		f.remember(s)
	}
}

func (f *folding) risk(b blocker) said {
	s := claim(b.entry, KindRiskPattern, 1, b.summary(), f.blockerDetail(b))
	if s.mark = "blocker"; grave(b.Severity) {
		s.importance = 2
	}
	if f.book.Member == "" {
		s.who = b.entry.Actor
	}
	return s
}

// summary returns the problem, else the change that is asked for; empty when that was erased.
func (b blocker) summary() string {
	if problem := clip(b.Problem, MaxSummary); problem != "" || strings.TrimSpace(b.Problem) == forgotten {
		return problem
	}
	return clip(b.RequiredChange, MaxSummary)
}

// grave reports whether a member calls a blocker more than an ordinary one. The word is the member's own.
func grave(severity string) bool {
	return slices.ContainsFunc([]string{"critical", "high", "severe"}, func(word string) bool {
		return strings.Contains(strings.ToLower(severity), word)
	})
}

func (f *folding) blockerDetail(b blocker) string {
	by := "Raised"
	if f.book.Member == "" {
		by += " by " + f.minutes.name(b.entry.Actor)
	}
	answer := ""
	if b.Answer != "" {
		answer = "Answered: " + plainText(string(b.Answer)) + "."
		if note := clip(b.Note, maxTopic); note != "" {
			answer = "Answered: " + plainText(string(b.Answer)) + ", " + ended(note)
		}
	}
	return sentences(fmt.Sprintf("%s against draft %d%s.", by, b.Version, f.minutes.on()), labelled("Section", b.Section),
		labelled("Impact", b.Impact), labelled("Asked for", b.RequiredChange), answer)
}

// leftOpen remembers the blockers that the session did not settle: those put off, and of a document that was not
// approved also those without an answer.
func (f *folding) leftOpen(approved bool) {
	for _, b := range f.minutes.blockers {
		unanswered := b.Answer == "" || b.Answer == council.AnswerUnanswered
		open := b.Answer == council.AnswerDeferred || unanswered && !approved
		if !open {
			continue
		}
		s := f.risk(b)
		s.kind, s.mark, s.like, s.importance = KindOpenLoop, loopBlocker, onTopic, s.importance+2
		f.remember(s)
	}
}

// demanded remembers as constraints the changes that were accepted, or put off, and say what must hold.
func (f *folding) demanded() {
	for _, b := range f.minutes.blockers {
		answered := b.Answer == council.AnswerAccepted || b.Answer == council.AnswerDeferred
		if !answered || !binding(b.RequiredChange) {
			continue
		}
		s := claim(b.entry, KindConstraint, 3, b.RequiredChange, f.blockerDetail(b))
		s.who = b.entry.Actor
		f.remember(s)
	}
}

// binding reports whether a demand holds beyond this document.
func binding(demand string) bool {
	words := strings.FieldsFunc(strings.ToLower(demand), func(r rune) bool {
		return strings.ContainsRune(" ,.;:!?()\"'\n\t", r)
	})
	for w := range bindingWords {
		if slices.Contains(words, w) || w[0] >= 0x80 && strings.Contains(demand, w) { // a script without spaces
			return true
		}
	}
	return false
}
