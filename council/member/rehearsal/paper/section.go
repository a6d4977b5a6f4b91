package paper

import (
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/concern"
	"github.com/council-engine/council/council/member/rehearsal/passage"
)

// part is what a section of a document is for.
type part string

const (
	partSummary      part = "summary"
	partContext      part = "context"
	partScope        part = "scope"
	partDecision     part = "decision"
	partReasons      part = "reasons"
	partOptions      part = "options"
	partConsequences part = "consequences"
	partRisks        part = "risk"
	partPlan         part = "plan"
	partAcceptance   part = "acceptance"
	partEvidence     part = "evidence"
	partOpen         part = "open"
	partDissent      part = "dissent"
	partAccepted     part = "accepted"
	partOther        part = "other"
)

// partWords are looked for in a section's title, in this order.
var partWords = []struct {
	part  part
	words string
}{
	{partAccepted, "accepted residual remaining"},
	{partDissent, "dissent minority disagree objection"},
	{partScope, "scope asset boundary boundaries excluded limit"},
	{partOpen, "open unknown unresolved unanswered assumption still reviewed"},
	{partSummary, "summary abstract overview status brief"},
	{partOptions, "alternative option considered rejected offer comparison chosen"},
	{partRisks, "risk threat mitigation hazard danger fail failure wrong worse"},
	{partAcceptance, "acceptance criteria criterion verify verification done test check checkpoint shall review"},
	{partPlan, "required must condition"},
	{partConsequences, "consequence impact implication effect change"},
	{partReasons, "reason rationale why driver argument justification trade happened bet firm"},
	{partDecision, "decision decided resolution recommend verdict conclusion finding answer opinion choice"},
	{partPlan, "next plan action implementation rollout happens release moving step follow owner work roadmap"},
	{partEvidence, "evidence source reference citation measurement known"},
	{partContext, "context background problem situation goal introduction question asked purpose"},
}

// partOf reads a section's title.
func partOf(title string) part {
	words := strings.FieldsFunc(strings.ToLower(title), func(r rune) bool { return !passage.IsWordRune(r) })
	for _, p := range partWords {
		for sought := range strings.FieldsSeq(p.words) {
			for _, word := range words {
				if word == sought || len(sought) >= 4 && len(word) <= len(sought)+4 && strings.HasPrefix(word, sought) {
					return p.part
				}
			}
		}
	}
	return partOther
}

// promising are the parts in which a document commits to something. In the others a demand is only talked about.
var promising = map[part]bool{
	partDecision: true, partPlan: true, partRisks: true, partConsequences: true, partAcceptance: true,
	partEvidence: true, partScope: true, partOther: true,
}

var defaultSections = []string{
	"Summary", "Context", "Decision", "Reasons", "Alternatives considered", "Risks and mitigations", "What happens next",
	"Open questions",
}

func sectionsOf(c *council.Charter) []string {
	if len(c.DocumentationReview.Sections) > 0 {
		return c.DocumentationReview.Sections
	}
	return defaultSections
}

// heading is one section of a document as it stands.
type heading struct{ title, text string }

// headings splits a document at its second-level headings, or at all headings when it has none of that level.
func headings(markdown string) []heading {
	level := "## "
	if !strings.Contains("\n"+markdown, "\n## ") {
		level = "# "
	}
	var all []heading
	fenced := false
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~") {
			fenced = !fenced
		}
		if title, ok := strings.CutPrefix(line, level); ok && !fenced {
			all = append(all, heading{title: strings.TrimSpace(title)})
			continue
		}
		if n := len(all); n > 0 {
			all[n-1].text += line
		}
	}
	return all
}

// promised lists the demands that a document commits to, with the section of each.
func (m writer) promised(markdown string) map[concern.Want]string {
	found := map[concern.Want]string{}
	for _, h := range headings(markdown) {
		if !promising[partOf(h.title)] {
			continue
		}
		for _, w := range append(m.WantsIn(h.text), m.ordersIn(h.text)...) {
			if found[w] == "" {
				found[w] = h.title
			}
		}
	}
	return found
}

// ordersIn finds the demands whose step a text orders.
func (m writer) ordersIn(text string) []concern.Want {
	text = strings.ToLower(text)
	var found []concern.Want
	for i := range m.Themes {
		for n := range m.Themes[i].Demands {
			if strings.Contains(text, strings.ToLower(m.Themes[i].Demands[n].Step)) {
				found = append(found, concern.Want{Theme: i, N: n})
			}
		}
	}
	return found
}

// place is the section of a document in which a demand belongs.
func place(d *concern.Demand, titles []string) string {
	sought := []part{part(d.MainlyWhen), partDecision, partPlan, partRisks, partConsequences, partOther}
	for _, p := range sought {
		if !promising[p] {
			continue
		}
		for _, title := range titles {
			if partOf(title) == p {
				return title
			}
		}
	}
	if len(titles) == 0 {
		return "the document"
	}
	return titles[len(titles)-1]
}
