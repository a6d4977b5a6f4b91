package rehearsal

import (
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
)

// speech puts sentences together and never says one that was said before.
type speech struct {
	m     *mind
	place string // the ask without its member: blind peers start from the same phrase and step on by seat
	out   []string
}

func (m *mind) speak() *speech {
	place := strings.TrimSuffix(string(m.Ask.ID), string(m.me.ID))
	return &speech{m: m, place: m.Topic.Text[:min(len(m.Topic.Text), 200)] + "\n" + place}
}

// say adds the first sentence of the bank that nobody has said yet, beginning where the place and the seat point. It
// reports false, and adds nothing, when all have been said. Slots are pairs such as "{need}", "a runbook".
func (s *speech) say(bank []string, slots ...string) bool {
	start := int(pick(s.place, bank[0]) % uint64(len(bank)))
	fill := strings.NewReplacer(slots...)
	for i := range bank {
		// Seats step by one, so that members asked at once do not choose alike.
		sentence := upperFirst(fill.Replace(bank[(start+s.m.me.seat+i)%len(bank)]))
		if !s.m.wasSaid(sentence) && !strings.Contains(s.text(), sentence) {
			s.out = append(s.out, sentence)
			return true
		}
	}
	return false
}

// must is say, except that it repeats a sentence rather than say nothing.
func (s *speech) must(bank []string, slots ...string) {
	if !s.say(bank, slots...) {
		i := int(pick(s.place, string(s.m.me.ID)) % uint64(len(bank)))
		s.out = append(s.out, upperFirst(strings.NewReplacer(slots...).Replace(bank[i])))
	}
}

// add adds a sentence as it is.
func (s *speech) add(sentence string) { s.out = append(s.out, sentence) }

func (s *speech) text() string { return strings.Join(s.out, " ") }

// paragraph begins a new one.
func (s *speech) paragraph() {
	if n := len(s.out); n > 0 {
		s.out[n-1] += "\n\n"
	}
}

// done is what was said, in paragraphs.
func (s *speech) done() string { return strings.ReplaceAll(s.text(), "\n\n ", "\n\n") }

func (m *mind) wasSaid(sentence string) bool { return strings.Contains(m.log.said.String(), sentence) }

// at is how an event is cited.
func at(seq council.Seq) string { return "[" + seq.ID() + "]" }

// list writes noun phrases as "a, b and c".
func list(items []string) string {
	switch n := len(items); n {
	case 0:
		return ""
	case 1:
		return items[0]
	default:
		return strings.Join(items[:n-1], ", ") + " and " + items[n-1]
	}
}

// numberedList writes demands as "(1) …; (2) …; and (3) …".
func numberedList(items []string) string {
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
