package rehearsal

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

var (
	// binds matches what says that something must hold. That something never happens is a report, unless it begins so.
	binds = regexp.MustCompile(
		`(?i)(?:^never|\b(?:must|may not|may never|shall not|shall never|at most|at least|no more than|not allowed|` +
			`forbidden|required|muss|müssen|darf nicht|dürfen nicht|höchstens|mindestens))(?:\s|[.,;:!?]|$)`)
	// assumed matches what is not certain.
	assumed = regexp.MustCompile(`(?i)\b(?:perhaps|about|estimate|not clear|probably|assume|vielleicht|etwa)\b`)
)

// assess reports for each deliverable what the record shows. What needs judgement is not met.
func (s seat) assess() council.Body {
	var a council.Assessment
	for _, e := range s.course.turns[:min(8, len(s.course.turns))] {
		a.Citations = append(a.Citations, e.Seq.ID())
	}
	var cites []string
	claim := "Nothing carried in this phase."
	here := s.course.here()
	if i := slices.IndexFunc(here, (*motion).carried); i >= 0 {
		cites = []string{here[i].Seq.ID(), here[i].decidedAt.ID()}
		if claim = here[i].Text; len(here[i].Options) == 0 {
			claim = "The motion in " + cites[0] + " carried. It takes up " + s.subjects(here[i].Text) + "."
		}
		a.Citations = append(cites, a.Citations...)
		for _, id := range s.Seats {
			if f := s.cast[id]; strings.Contains(here[i].Text, f.asks) && len(a.Risks) < 8 {
				a.Risks = append(a.Risks, council.Risk{Risk: "It is not known " + f.asks + ".",
					Mitigation: "Write down " + f.asks + "."})
			}
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
		switch {
		case strings.HasSuffix(p.text, "?"):
		case binds.MatchString(p.text) && len(a.Constraints) < 4:
			a.Constraints = append(a.Constraints, brief(p.text, 160)+strings.TrimPrefix(p.plain(), p.text))
		case assumed.MatchString(p.text) && len(a.Assumptions) < 4:
			a.Assumptions = append(a.Assumptions, p.plain())
		}
	}
	return a
}

// summary returns the leader's account: what there was to read, how the motions fared, and what that asks for.
func (s seat) summary() council.Body {
	text := []string{"Rehearsal: no model was asked. The council was asked " + s.question() + ". " + s.readings(),
		s.motions()}
	m := s.course.resolution()
	if m == nil {
		return council.Summary{SummaryMarkdown: strings.Join(text, "\n\n"), Undecided: s.alternatives()}
	}
	text = append(text, "What was resolved:", m.Text)
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
	out := council.Summary{SummaryMarkdown: strings.Join(text, "\n\n"), Settles: s.settled(m)}
	if len(b.Steps) > 0 {
		out.RequiresExecution, out.ExecutionBrief = true, b
	}
	return out
}

// alternatives names what each seat asked for, once each.
func (s seat) alternatives() *council.Undecided {
	held := map[string]int{}
	u := &council.Undecided{}
	for _, id := range s.Seats {
		asks := s.cast[id].asks
		if at, known := held[asks]; known {
			u.Alternatives[at].HeldBy = append(u.Alternatives[at].HeldBy, id)
			continue
		}
		held[asks] = len(u.Alternatives)
		u.Alternatives = append(u.Alternatives, council.Alternative{Answer: "Write down " + asks + ".",
			HeldBy: []council.MemberID{id}, RightIf: "it is not known " + asks})
	}
	return u
}

// agreed lists the focuses that a text takes up, in the order of the seats, each once.
func (s seat) agreed(text string) []focus {
	var all []focus
	for _, id := range s.Seats {
		if f := s.cast[id]; strings.Contains(text, f.asks) &&
			!slices.ContainsFunc(all, func(g focus) bool { return g.asks == f.asks }) {
			all = append(all, f)
		}
	}
	return all
}

// readings tells what documents there were.
func (s seat) readings() string {
	switch n := len(s.Topic.Documents); {
	case n == 0:
		return "No document was given, so nothing but the topic could be quoted."
	case !slices.ContainsFunc(s.passages, func(p passage) bool { return p.place != "" }):
		return "What was given as documents holds no text to quote."
	case n == 1:
		return "It had one document before it."
	default:
		return fmt.Sprintf("It had %d documents before it.", n)
	}
}

// motions tells how the motions fared.
func (s seat) motions() string {
	var told []string
	for _, m := range s.course.motions {
		line := "The options were put in " + m.Seq.ID()
		if m.Mover != "" {
			line = s.name(m.Mover) + " moved in " + m.Seq.ID() + " " + words(brief(m.Title, 120))
		}
		switch {
		case m.decision == nil:
			line += ", which came to no vote."
		default:
			result := "which did not carry"
			if m.carried() {
				result = "which carried"
			}
			c := m.decision.Count
			line += fmt.Sprintf(", %s: %d YES, %d NO, %d abstained.", result, c.Yes, c.No, c.Abstain)
		}
		told = append(told, "- "+line)
	}
	if len(told) == 0 {
		return "Nobody moved a motion."
	}
	return strings.Join(told, "\n")
}

// settled returns the records on the same matter that the leader was reminded of: what was open is closed, and an older
// decision replaced.
func (s seat) settled(m *motion) []council.Settlement {
	var all []council.Settlement
	topic := wordsOf(s.Topic.Text)
	asked := shared(topic, topic)
	for _, reminder := range s.Memory {
		for _, r := range reminder.Records {
			how := map[string]council.SettlementHow{"open_loop": council.SettledResolved,
				"decision": council.SettledSuperseded}[r.Kind]
			if n := shared(topic, wordsOf(r.Summary+" "+r.Detail)); how != "" && n > 0 && 3*n >= 2*asked {
				all = append(all, council.Settlement{Record: r.ID, How: how,
					Because: "The motion in " + m.Seq.ID() + " is on the same matter, and carried."})
			}
		}
	}
	return all
}

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
