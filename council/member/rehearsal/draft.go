package rehearsal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// draft fills each section with what the record has for it. A revision quotes what the blockers asked for.
func (s seat) draft() council.Body {
	var d council.Draft
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nWritten in rehearsal: no model was asked.\n", hostile.Inline(brief(s.Topic.Text, 120)))
	sections := s.Charter.DocumentationReview.Sections
	if len(sections) == 0 {
		sections = []string{"Decision", "Context"}
	}
	given := map[string]bool{}
	for i, heading := range sections {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n", heading, s.section(heading))
		for _, r := range s.course.reviews {
			for _, blocker := range r.CriticalBlockers {
				if given[blocker.ID] || blocker.Section != heading && i < len(sections)-1 {
					continue
				}
				given[blocker.ID] = true
				quote := strings.TrimSuffix(strings.TrimPrefix(blocker.RequiredChange, "Quote "), ".")
				fmt.Fprintf(&b, "\n- %s, which blocker %s asked for\n", quote, blocker.ID)
			}
		}
	}
	for _, blocker := range s.Blockers {
		d.Responses = append(d.Responses, council.BlockerResponse{BlockerID: blocker.ID, Answer: council.AnswerAccepted,
			Note: "It is quoted under " + brief(blocker.Section, 80) + "."})
	}
	d.Markdown = b.String()
	return d
}

// contents maps the words in a heading to what the section should hold.
var contents = []struct {
	headings string
	text     func(seat) string
}{
	{"decision decid resolution choice chosen recommend verdict opinion answer name", seat.decided},
	{"risk threat fail danger way out",
		each("What nobody has answered yet is a risk:", "- It is not known {asks} ({by}).")},
	{"dissent objection open question disagree", seat.open},
	{"option alternativ offer argument criteri compar position view who affected",
		each("The members looked at it from these sides:", "- {by} asked {asks}, for {focus}.")},
	{"consequence action step plan verif measure condition next finding rollout test",
		each("Before anything is done:", "- Write down {asks} ({by}).")},
}

// each makes a writer of a line for each member.
func each(intro, line string) func(seat) string {
	return func(s seat) string {
		lines := []string{intro + "\n"}
		for _, id := range s.Seats {
			f := s.cast[id]
			lines = append(lines, strings.NewReplacer("{asks}", f.asks, "{focus}", f.name, "{by}", s.name(id)).Replace(line))
		}
		return strings.Join(lines, "\n")
	}
}

// section writes the text under a heading.
func (s seat) section(heading string) string {
	for _, c := range contents {
		if fit(strings.Fields(c.headings), wordsOf(heading)) > 0 {
			return c.text(s)
		}
	}
	found := s.best(focus{words: wordsOf(heading)}, 3, func(p passage) bool { return p.place != "" })
	if len(found) == 0 {
		return "The question was " + s.question() + ". " + s.readings()
	}
	lines := []string{"The question was " + s.question() + ". What was read says:\n"}
	for _, p := range found {
		lines = append(lines, "- "+p.quote())
	}
	return strings.Join(lines, "\n")
}

func (s seat) decided() string {
	m := s.course.resolution()
	if m == nil {
		return "The council reached no resolution."
	}
	c := m.decision.Count
	return fmt.Sprintf("The motion in %s carried with %d YES, %d NO and %d abstained.\n\n%s", m.Seq.ID(), c.Yes, c.No,
		c.Abstain, m.Text)
}

// open names what the resolution leaves out, and who voted against it.
func (s seat) open() string {
	m := s.course.resolution()
	if m == nil {
		return s.motions()
	}
	var lines []string
	for _, id := range s.Seats {
		if f := s.cast[id]; !strings.Contains(m.Text, f.asks) {
			lines = append(lines, "- "+s.name(id)+" still asks "+f.asks+".")
		}
	}
	for _, v := range m.votes {
		if v.choice == council.ChoiceNo {
			lines = append(lines, "- "+s.name(v.by)+" voted NO on the motion in "+m.Seq.ID()+".")
		}
	}
	if len(lines) == 0 {
		return "The resolution takes up all that was asked for."
	}
	return strings.Join(lines, "\n")
}

// missed returns the passage for its focus that a draft must quote before the member approves of it.
func (s seat) missed() (passage, bool) {
	found := s.best(s.focus, 2, func(p passage) bool { return p.place != "" })
	if len(found) == 0 {
		return passage{}, false
	}
	p := found[len(found)-1]
	return p, s.Draft != nil && s.Draft.Version == 1 && !strings.Contains(s.Draft.Markdown, words(p.text))
}

func (s seat) ballotOnDraft() council.Ballot {
	if p, missed := s.missed(); missed {
		return council.Ballot{Ballot: council.ChoiceNo,
			Rationale: "It does not quote what bears on " + s.focus.name + ": " + p.quote() + "."}
	}
	return council.Ballot{Ballot: council.ChoiceYes,
		Rationale: "It quotes what bears on " + s.focus.name + ", or there is nothing to quote."}
}

// review asks for the passage that the draft leaves out.
func (s seat) review() council.Body {
	p, missed := s.missed()
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
