package mind

import (
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// binds matches what says that something must hold. That something never happens is a report, unless it begins so.
var binds = regexp.MustCompile(`(?i)(?:^never|\b(?:must|may not|may never|shall not|shall never|at most|at least|no more than|not allowed|forbidden|required|` +
	`muss|müssen|darf nicht|dürfen nicht|höchstens|mindestens))(?:\s|[.,;:!?]|$)`)

// maxConstraint is the length of the longest constraint that is repeated, in characters: beside its place it still
// makes a line.
const maxConstraint = 160

// Constraints are what the topic and the documents say must hold, at most n, the topic's first.
func (m *Mind) Constraints(n int) []string {
	found := []string{}
	add := func(text string) {
		if !slices.Contains(found, text) && len(found) < n {
			found = append(found, text)
		}
	}
	for line := range strings.Lines(hostile.Clean(Cut(m.Topic.Text, maxTopicRead))) {
		for _, sentence := range Sentences(strings.TrimLeft(strings.Join(strings.Fields(line), " "), "#>-*+ ")) {
			if binds.MatchString(sentence) && !strings.HasSuffix(sentence, "?") {
				add(Cut(sentence, maxConstraint) + " (the topic)")
			}
		}
	}
	for _, r := range m.Rank(n, "", func(e *Entry) bool { return binds.MatchString(e.Text) && !strings.HasSuffix(e.Text, "?") }) {
		if r.document != "" {
			add(Cut(hostile.Line(r.Text), maxConstraint) + " (" + r.ref() + ")")
		}
	}
	return found
}

// maxTopicRead bounds what is read of a topic, in characters.
const maxTopicRead = 8_000

// SettledBy are the records that a resolution settles, of those that the leader was reminded of: what was open on the same
// matter is closed, and what was decided on it is replaced.
func (m *Mind) SettledBy(n *MotionNote) []council.Settlement {
	var settled []council.Settlement
	for _, reminder := range m.Memory {
		for _, record := range reminder.Records {
			if !m.sameMatter(record.Summary + " " + record.Detail) {
				continue
			}
			s := council.Settlement{Record: record.ID, Because: "The motion in " + n.Seq.ID() + " is on the same matter, and carried."}
			switch record.Kind {
			case "open_loop":
				s.How = council.SettledResolved
			case "decision":
				s.How = council.SettledSuperseded
			default:
				continue
			}
			settled = append(settled, s)
		}
	}
	return settled
}

// sameMatter reports whether a text has most of the words of the question: at least three, or all of a short one's.
func (m *Mind) sameMatter(text string) bool {
	asked, shared := WordsOf(m.Question.Text, 1), 0
	for word := range WordsOf(text, 1) {
		if asked[word] > 0 {
			shared++
		}
	}
	return shared >= min(3, len(asked)) && shared > 0 && 3*shared >= 2*len(asked)
}
