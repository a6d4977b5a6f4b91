package rehearsal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
)

// draft fills each section with quotes, or with the decision. A revision adds the quotes that blockers asked for.
func (s seat) draft() council.Body {
	var d council.Draft
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nWritten in rehearsal: no model was asked.\n", hostile.Inline(shorten(s.Topic.Text, 120)))
	sections := s.Charter.DocumentationReview.Sections
	if len(sections) == 0 {
		sections = []string{"Decision", "Context"}
	}
	for i, heading := range sections {
		text := s.section(heading)
		if i == 0 {
			text = decidedWords(s.resolution())
		}
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", heading, text)
	}
	for _, draft := range s.log.Drafts {
		for _, blocker := range s.log.Raised(draft) {
			if quote, ok := strings.CutPrefix(blocker.RequiredChange, "Quote "); ok {
				fmt.Fprintf(&b, "\n- %s, which blocker %s asked for\n", strings.TrimSuffix(quote, "."), blocker.ID)
			}
		}
	}
	for _, blocker := range s.Blockers {
		d.Responses = append(d.Responses, council.BlockerResponse{BlockerID: blocker.ID, Answer: council.AnswerAccepted,
			Note: "It is quoted at the end."})
	}
	d.Markdown = b.String()
	return d
}

// section quotes the passages that fit a heading.
func (s seat) section(heading string) string {
	lines := []string{"The question was " + s.question() + "."}
	for _, p := range s.passages.best(focus{words: wordsOf(heading)}, 3, hasPlace) {
		lines = append(lines, "- "+p.quote())
	}
	return strings.Join(lines, "\n")
}

// decidedWords describes a resolution and its vote; nil is none.
func decidedWords(m *minutes.Motion) string {
	if m == nil {
		return "The council reached no resolution."
	}
	c := m.Vote.Count
	return fmt.Sprintf("The motion in %s carried with %d YES, %d NO and %d abstained.\n\n%s", m.Event, c.Yes, c.No,
		c.Abstain, text(m))
}

// missedPassage returns the passage for its focus that a first draft must quote before the member approves of it.
func (s seat) missedPassage() (passage, bool) {
	found := s.passages.best(s.focus, 2, hasPlace)
	if len(found) == 0 || s.Draft == nil || s.Draft.Version > 1 {
		return passage{}, false
	}
	p := found[len(found)-1]
	return p, !strings.Contains(s.Draft.Markdown, words(p.text))
}

// review asks for the passage that the draft leaves out.
func (s seat) review() council.Review {
	p, missed := s.missedPassage()
	if !missed {
		return council.Review{}
	}
	section := "Context"
	if all := s.Charter.DocumentationReview.Sections; len(all) > 0 && !slices.Contains(all, section) {
		section = all[0]
	}
	return council.Review{CriticalBlockers: []council.Blocker{{ID: "b1", Section: section, Severity: "high",
		Problem: "It leaves out a passage on " + s.focus.name + ".", Impact: "A reader does not learn " + s.focus.asks + ".",
		RequiredChange: "Quote " + p.quote() + "."}}}
}
