package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/concern"
	"github.com/council-engine/council/council/member/rehearsal/mind"
	"github.com/council-engine/council/internal/hostile"
)

// document is a draft in the making.
type document struct {
	writer
	resolution *mind.MotionNote
	settled    []concern.Want
	used       map[string]bool // the quotes it holds already
}

// draft writes the document from the record, with the changes that its reviews brought, and answers the last blockers.
func (m writer) draft() string {
	d := &document{writer: m, resolution: m.Log.Resolution(), settled: m.InForce(), used: map[string]bool{}}
	titles := sectionsOf(m.Charter)
	changes, responses := m.revise(titles)
	filled := map[part]bool{}
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\nWritten in rehearsal: no model was asked.\n", d.title())
	if decides := func(title string) bool { return partOf(title) == partDecision }; !slices.ContainsFunc(titles, decides) {
		b.WriteString("\n" + paragraphs(d.decision()[:1]) + "\n") // a reader must not have to look for what was decided
	}
	for _, title := range titles {
		fmt.Fprintf(&b, "\n## %s\n\n", strings.TrimSpace(title))
		text := d.section(title, filled)
		for _, c := range changes[title] {
			text = append(text, "- "+c)
		}
		if len(text) == 0 {
			text = []string{"The debate brought nothing on this."}
		}
		b.WriteString(paragraphs(text) + "\n")
	}
	if len(responses) > 0 {
		b.WriteString("\n## Responses to blockers\n\n" + strings.Join(responses, "\n") + "\n")
	}
	return b.String()
}

// paragraphs sets lines apart, except the items of a list.
func paragraphs(lines []string) string {
	var b strings.Builder
	for i, line := range lines {
		if i > 0 {
			b.WriteByte('\n')
			if !(isItem(line) && isItem(lines[i-1]) && line[0] == lines[i-1][0] || isItem(line) && isItem(lines[i-1]) && line[0] != '-' && lines[i-1][0] != '-') {
				b.WriteByte('\n')
			}
		}
		b.WriteString(line)
	}
	return b.String()
}

func isItem(line string) bool {
	return strings.HasPrefix(line, "- ") || len(line) > 2 && line[0] >= '1' && line[0] <= '9' && strings.Contains(line[:3], ".")
}

func (d *document) title() string {
	if d.resolution != nil {
		return hostile.Inline(strings.TrimSuffix(hostile.Line(d.resolution.Title), ", amended"))
	}
	return hostile.Inline(d.Question.Short)
}

// section writes one section. A second one for the same purpose says what the documents have on its title.
func (d *document) section(title string, filled map[part]bool) []string {
	p := partOf(title)
	if filled[p] {
		return d.fromText(title)
	}
	filled[p] = true
	switch p {
	case partSummary:
		return d.summary()
	case partContext:
		return d.context()
	case partDecision:
		return d.decision()
	case partReasons:
		return d.reasons()
	case partOptions:
		return d.options()
	case partRisks:
		return d.risks()
	case partConsequences:
		return d.consequences()
	case partPlan:
		return d.plan()
	case partAccepted:
		return d.accepted()
	case partAcceptance:
		return d.acceptance()
	case partEvidence:
		return d.evidence()
	case partOpen:
		return d.open()
	case partDissent:
		return d.dissenters()
	}
	return d.fromText(title)
}

// tally says in words how a vote went.
func tally(c *council.Decision) string {
	if c == nil {
		return "without a count"
	}
	s := fmt.Sprintf("%d to %d", c.Count.Yes, c.Count.No)
	if n := c.Count.Abstain; n > 0 {
		s += fmt.Sprintf(", with %d abstaining", n)
	}
	if n := c.Count.Invalid + c.Count.Absent; n > 0 {
		s += fmt.Sprintf(", and %d not counted", n)
	}
	return s
}

func (d *document) summary() []string {
	asked := "The council was asked: “" + mind.Words(d.Question.Text) + "”"
	text := []string{}
	if d.resolution != nil {
		text = append(text, asked+" It resolved, by "+tally(d.resolution.Decided)+": "+hostile.Prose(d.resolution.Text))
	} else {
		text = append(text, asked+" It did not come to a resolution.")
	}
	if themes := d.themesRaised(3); len(themes) > 0 {
		text = append(text, "The debate turned on "+mind.List(themes)+".")
	}
	if d.Index.Bare {
		text = append(text, d.NothingToRead()+". What follows rests on the wording of the question, and on nothing else.")
	}
	return text
}

// themesRaised names what the debate was about, in the order in which it came up.
func (d *document) themesRaised(n int) []string {
	var names []string
	for _, r := range d.Log.Raised {
		if name := d.Themes[r.Theme].About; r.Visit > 0 && !slices.Contains(names, name) && len(names) < n {
			names = append(names, name)
		}
	}
	return names
}

func (d *document) context() []string {
	text := []string{"The council was asked: “" + mind.Words(d.Question.Text) + "”"}
	if !d.Index.Bare {
		var names []string
		for i, doc := range d.Topic.Documents {
			if i == 5 {
				names = append(names, fmt.Sprintf("%d more", len(d.Topic.Documents)-i))
				break
			}
			names = append(names, hostile.Inline(doc.Name))
		}
		text = append(text, "The council was given "+mind.List(names)+", and had no other source. What the members quoted most to the point:")
	}
	var quotes []string
	for _, r := range d.Rank(4, "", func(e *mind.Entry) bool { return d.Quoted(e) && mind.Statement(e) }) {
		quotes = append(quotes, "- "+d.quoteOnce(r.Entry)+d.broughtBy(r.Entry))
	}
	if len(quotes) == 0 {
		for _, r := range d.Rank(2, "", mind.Statement) {
			quotes = append(quotes, "- "+d.quoteOnce(r.Entry))
		}
	}
	return append(text, quotes...)
}

func (d *document) quoteOnce(e *mind.Entry) string {
	d.used[mind.Words(e.Text)] = true
	return d.Quote(e)
}

// broughtBy names who quoted a passage first.
func (d *document) broughtBy(e *mind.Entry) string {
	for _, r := range d.Log.Remarks {
		for _, c := range r.Cites {
			if c.Quote == mind.Words(e.Text) {
				return ", brought by " + d.Name(r.By) + " in " + mind.At(r.Seq)
			}
		}
	}
	return ""
}

func (d *document) decision() []string {
	n := d.resolution
	if n == nil {
		return []string{"None was reached. The record says how far the council came."}
	}
	text := []string{"> " + strings.ReplaceAll(hostile.Prose(n.Text), "\n", "\n> "), hostile.Prose(n.Decision)}
	carried := "The motion was moved by " + d.Name(n.Mover) + " in " + mind.At(n.Seq)
	if n.Seconder != "" {
		carried += ", seconded by " + d.Name(n.Seconder)
	}
	text = append(text, carried+", and carried by "+tally(n.Decided)+".")
	ours, before := d.conditions()
	if len(ours) > 0 {
		text = append(text, "It is bound to these conditions:")
	}
	for i, w := range ours {
		text = append(text, fmt.Sprintf("%d. %s.%s", i+1, mind.UpperFirst(d.Demand(w).Need), d.askedBy(w)))
	}
	if len(before) > 0 {
		text = append(text, "From the phases before, this stays in force:")
	}
	for _, w := range before {
		text = append(text, "- "+mind.UpperFirst(d.Demand(w).Need)+"."+d.askedBy(w))
	}
	return text
}

// conditions are those of the resolution, and those that earlier phases resolved.
func (d *document) conditions() (ours, before []concern.Want) {
	for _, w := range d.settled {
		if d.resolution != nil && slices.Contains(d.resolution.Wants, w) {
			ours = append(ours, w)
		} else {
			before = append(before, w)
		}
	}
	return ours, before
}

// askedBy names who asked for w first, and where.
func (d *document) askedBy(w concern.Want) string {
	for _, r := range d.Log.Raised {
		if r.Want == w && r.Visit > 0 {
			return " Asked for by " + d.Name(r.By) + " in " + mind.At(r.Seq) + "."
		}
	}
	return ""
}
