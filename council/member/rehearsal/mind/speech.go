package mind

import (
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/concern"
	"github.com/council-engine/council/council/member/rehearsal/wording"
)

// Speech puts sentences together and never says one that was said before.
type Speech struct {
	m     *Mind
	Place string // the ask without its member: blind peers start from the same phrase and step on by seat
	Out   []string
}

// Speak begins a speech.
func (m *Mind) Speak() *Speech {
	place := strings.TrimSuffix(string(m.Ask.ID), string(m.Me.ID))
	return &Speech{m: m, Place: m.Topic.Text[:min(len(m.Topic.Text), 200)] + "\n" + place}
}

// Say adds the first sentence of the bank that nobody has said yet, beginning where the place and the seat point. It
// reports false, and adds nothing, when all have been said. Slots are pairs such as "{need}", "a runbook".
func (s *Speech) Say(bank wording.Bank, slots ...string) bool { return s.SayOne(bank.Lines(), slots) }

// SayOne is Say for sentences that are in no bank.
func (s *Speech) SayOne(bank, slots []string) bool {
	if len(bank) == 0 {
		return false
	}
	start := int(concern.Pick(s.Place, bank[0]) % uint64(len(bank)))
	fill := strings.NewReplacer(slots...)
	for i := range bank {
		// Seats step by one, so that members asked at once do not choose alike.
		sentence := capital(fill.Replace(bank[(start+s.m.Me.Seat+i)%len(bank)]))
		if !s.repeats(sentence) {
			s.Out = append(s.Out, sentence)
			return true
		}
	}
	return false
}

// capital begins a sentence, unless its first word is a name that must not change: of a file, an event or a blocker.
func capital(sentence string) string {
	first, _, _ := strings.Cut(sentence, " ")
	if strings.ContainsAny(strings.TrimRight(first, ".,:;?!"), "0123456789.:/_") {
		return sentence
	}
	return UpperFirst(sentence)
}

// repeats reports whether any sentence of a few words in text was said before, here or by anybody.
func (s *Speech) repeats(text string) bool {
	for _, sentence := range Sentences(text) {
		if sentence == text || strings.Count(sentence, " ") > 3 {
			if s.m.WasSaid(sentence) || strings.Contains(s.Text(), sentence) {
				return true
			}
		}
	}
	return false
}

// Must is Say, except that it repeats a sentence rather than say nothing.
func (s *Speech) Must(bank wording.Bank, slots ...string) {
	if !s.Say(bank, slots...) {
		s.Out = append(s.Out, capital(strings.NewReplacer(slots...).Replace(Choose(bank, s.Place, string(s.m.Me.ID)))))
	}
}

// MustOf is Must for banks in which some sentences point to an event of the speaker's own, which may not exist.
func (s *Speech) MustOf(bank wording.Bank, slots []string, exists bool) {
	if exists {
		s.Must(bank, slots...)
		return
	}
	lines := slices.DeleteFunc(slices.Clone(bank.Lines()), func(line string) bool { return strings.Contains(line, "{mine}") })
	if !s.SayOne(lines, slots) {
		s.Out = append(s.Out, capital(strings.NewReplacer(slots...).Replace(lines[concern.Pick(s.Place)%uint64(len(lines))])))
	}
}

// Choose is a sentence of the bank that depends on nothing but the given words.
func Choose(bank wording.Bank, by ...string) string {
	lines := bank.Lines()
	return lines[concern.Pick(by...)%uint64(len(lines))]
}

// Add adds a sentence as it is.
func (s *Speech) Add(sentence string) { s.Out = append(s.Out, sentence) }

// Text is what was said so far.
func (s *Speech) Text() string { return strings.Join(s.Out, " ") }

// Paragraph begins a new one.
func (s *Speech) Paragraph() {
	if n := len(s.Out); n > 0 {
		s.Out[n-1] += "\n\n"
	}
}

// Done is what was said, in paragraphs.
func (s *Speech) Done() string { return strings.ReplaceAll(s.Text(), "\n\n ", "\n\n") }

// WasSaid reports whether somebody has used these words in the debate.
func (m *Mind) WasSaid(sentence string) bool { return strings.Contains(m.Log.said.String(), sentence) }

// At is how an event is cited.
func At(seq council.Seq) string { return "[" + seq.ID() + "]" }

// List writes noun phrases as "a, b and c".
func List(items []string) string {
	switch n := len(items); n {
	case 0:
		return ""
	case 1:
		return items[0]
	default:
		return strings.Join(items[:n-1], ", ") + " and " + items[n-1]
	}
}

// NumberedList writes demands as "(1) …; (2) …; and (3) …".
func NumberedList(items []string) string {
	if len(items) == 1 {
		return items[0]
	}
	var b strings.Builder
	for i, item := range items {
		switch {
		case i > 0 && i == len(items)-1:
			b.WriteString("; and ")
		case i > 0:
			b.WriteString("; ")
		}
		b.WriteString("(" + strconv.Itoa(i+1) + ") " + item)
	}
	return b.String()
}
