package rehearsal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
)

// assess reports for each deliverable whether a motion carried. What needs judgement is not met.
func (s seat) assess() council.Body {
	var a council.Assessment
	var cites []string
	claim := "Nothing carried in this phase."
	here := s.here()
	if i := slices.IndexFunc(here, carried); i >= 0 {
		m := here[i]
		cites = []string{m.Event, m.DecidedIn}
		if claim = text(m); len(m.Options) == 0 {
			claim = "The motion in " + m.Event + " carried. It takes up " + s.subjects(m.Text) + "."
		}
		a.Citations = cites
		for _, f := range s.agreed(m.Text) {
			if len(a.Risks) < 8 {
				a.Risks = append(a.Risks, council.Risk{Risk: "It is not known " + f.asks + ".",
					Mitigation: "Write down " + f.asks + "."})
			}
		}
	}
	for _, e := range s.visit {
		if _, is := e.Payload.(council.ContributionMade); is && len(a.Citations) < 10 {
			a.Citations = append(a.Citations, e.Seq.ID())
		}
	}
	if s.Phase != nil {
		for _, d := range s.Phase.Deliverables {
			a.Deliverables = append(a.Deliverables, council.Claim{ID: d.ID, Claim: claim, Citations: cites, Met: len(cites) > 0})
		}
		for _, gate := range s.Phase.QualityGates {
			a.QualityGates = append(a.QualityGates, council.Claim{ID: gate, Claim: "A rehearsal does not judge quality."})
		}
	}
	for _, p := range s.passages {
		if strings.Contains(p.text, " must ") && len(a.Constraints) < 4 {
			a.Constraints = append(a.Constraints, p.plain())
		} else if strings.Contains(p.text, " about ") && len(a.Assumptions) < 4 {
			a.Assumptions = append(a.Assumptions, p.plain())
		}
	}
	return a
}

// text returns the words of a motion that carried; options have none.
func text(m *minutes.Motion) string {
	return cmp.Or(m.Text, "The council ranked the options and chose “"+m.Decision+"”.")
}

// summary returns the leader's account: what carried, and what that asks for.
func (s seat) summary() council.Body {
	out := council.Summary{SummaryMarkdown: "Rehearsal: no model was asked. The council was asked " + s.question() + "."}
	m := s.resolution()
	if m == nil {
		out.Undecided = &council.Undecided{}
		for _, id := range s.Seats {
			asks := s.cast[id].asks
			out.Undecided.Alternatives = append(out.Undecided.Alternatives, council.Alternative{
				Answer: "Write down " + asks + ".", HeldBy: []council.MemberID{id}, RightIf: "it is not known " + asks})
		}
		return out
	}
	out.SummaryMarkdown += "\n\nWhat was resolved:\n\n" + text(m)
	b := &council.Brief{Objective: m.Decision,
		RecommendedExecutorProfile: cmp.Or(strings.TrimSpace(s.Charter.Execution.DefaultExecutorProfile), "engineer")}
	for _, id := range s.Standing {
		b.Motions = append(b.Motions, string(id))
	}
	for _, f := range s.agreed(m.Text) {
		b.Steps = append(b.Steps, council.Step{
			Step: "Write down " + f.asks + ".", AcceptanceCriteria: []string{"It can be read " + f.asks + "."},
		})
		b.Risks = append(b.Risks, council.BriefRisk{Risk: "It is not known " + f.asks + "."})
	}
	if len(b.Steps) > 0 {
		out.RequiresExecution, out.ExecutionBrief = true, b
	}
	return out
}

// draft fills each section with quotes, or with the decision. A revision adds what the blockers asked for.
func (s seat) draft() council.Body {
	var d council.Draft
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nWritten in rehearsal: no model was asked.\n", hostile.Inline(brief(s.Topic.Text, 120)))
	sections := s.Charter.DocumentationReview.Sections
	if len(sections) == 0 {
		sections = []string{"Decision", "Context"}
	}
	for i, heading := range sections {
		text := s.section(heading)
		if i == 0 {
			text = s.decided()
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
	for _, p := range s.best(focus{words: wordsOf(heading)}, 3, placed) {
		lines = append(lines, "- "+p.quote())
	}
	return strings.Join(lines, "\n")
}

func (s seat) decided() string {
	m := s.resolution()
	if m == nil {
		return "The council reached no resolution."
	}
	c := m.Vote.Count
	return fmt.Sprintf("The motion in %s carried with %d YES, %d NO and %d abstained.\n\n%s", m.Event, c.Yes, c.No,
		c.Abstain, text(m))
}

// missed returns the passage for its focus that a first draft must quote before the member approves of it.
func (s seat) missed() (passage, bool) {
	found := s.best(s.focus, 2, placed)
	if len(found) == 0 || s.Draft == nil || s.Draft.Version > 1 {
		return passage{}, false
	}
	p := found[len(found)-1]
	return p, !strings.Contains(s.Draft.Markdown, words(p.text))
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
