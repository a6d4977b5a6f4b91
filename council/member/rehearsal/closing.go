package rehearsal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

var summaryOpenings = []string{
	"The council met on {question}",
	"We were asked {question}",
	"The question was {question}",
	"Before us was {question}",
}

// summary is the leader's account.
func (m *mind) summary() council.Summary {
	d := &document{mind: m, resolution: m.log.carriedIn(m.Visit), settled: m.inForce(), used: map[string]bool{}}
	question := "“" + words(m.q.text) + "”"
	first := strings.ReplaceAll(summaryOpenings[pick(m.Topic.Text, "summary")%4], "{question}", question)
	if !strings.ContainsAny(m.q.text[max(0, len(m.q.text)-3):], "?!.…") {
		first += "."
	}
	if m.x.bare {
		first += " No document was given, so every reason in the record is an opinion."
	} else {
		first += fmt.Sprintf(" It had %s before it, and quoted %s.", counted(len(m.Topic.Documents), "document"), counted(m.cited(), "passage"))
	}
	if themes := d.themesRaised(4); len(themes) > 0 {
		first += " The debate turned on " + list(themes) + "."
	}
	var text []string
	text = append(text, "Rehearsal: no model was asked. "+first)
	text = append(text, d.course())
	s := council.Summary{}
	n := d.resolution
	if n == nil {
		text = append(text, "No motion carried in the last phase. What the members asked for remains open:")
		for _, r := range d.openWants() {
			text = append(text, "- "+upperFirst(m.name(r.by))+" asked for "+m.demand(r.want).need+" in "+at(r.seq)+".")
		}
		s.SummaryMarkdown = paragraphs(text)
		s.FinalResolution = "The council reached no resolution on " + question + "."
		return s
	}
	text = append(text, "What was agreed:")
	for _, w := range d.settled {
		text = append(text, "- "+upperFirst(m.demand(w).need)+"."+d.askedBy(w))
	}
	if objections := d.objections(); len(objections) > 0 {
		text = append(append(text, "What was objected:"), objections...)
	}
	s.SummaryMarkdown = paragraphs(text)
	s.FinalResolution = firstSentence(n.Text) + " (Carried by " + tally(n.decided) + ".)"
	if brief := d.brief(); len(brief.Steps) > 0 {
		s.RequiresExecution, s.ExecutionBrief = true, brief
	}
	return s
}

// cited counts the passages that members quoted.
func (m *mind) cited() int {
	seen := map[string]bool{}
	for _, r := range m.log.remarks {
		for _, c := range r.cites {
			seen[c.quote] = true
		}
	}
	return len(seen)
}

func counted(n int, what string) string {
	numbers := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	word := fmt.Sprint(n)
	if n < len(numbers) {
		word = numbers[n]
	}
	if n != 1 {
		what += "s"
	}
	return word + " " + what
}

// firstSentence is a motion without its reasons.
func firstSentence(text string) string {
	all := sentences(strings.Join(strings.Fields(text), " "))
	if len(all) == 0 {
		return text
	}
	return all[0]
}

// course tells how the motions fared.
func (d *document) course() string {
	if len(d.log.motions) == 0 {
		return "Nobody moved a motion."
	}
	var told []string
	for _, n := range d.log.motions {
		title := "“" + words(cut(hostile.Line(n.Title), 100)) + "”"
		switch {
		case n.died:
			told = append(told, upperFirst(d.name(n.Mover))+" moved "+title+" in "+at(n.Seq)+", and nobody seconded it.")
		case n.carried():
			told = append(told, upperFirst(d.name(n.Mover))+"'s motion "+title+" "+at(n.Seq)+" carried by "+tally(n.decided)+".")
		case n.decided != nil:
			told = append(told, title+", moved by "+d.name(n.Mover)+" in "+at(n.Seq)+", failed by "+tally(n.decided)+".")
		}
	}
	return strings.Join(told, " ")
}

// objections are the votes against what carried at the end.
func (d *document) objections() []string {
	var text []string
	for _, v := range d.resolution.votes {
		if v.choice == council.ChoiceYes {
			continue
		}
		verb := "voted NO"
		if v.choice == council.ChoiceAbstain {
			verb = "abstained"
		}
		line := "- " + upperFirst(d.name(v.by)) + " " + verb + " in " + at(v.seq)
		if len(v.wants) > 0 {
			line += ", missing " + d.demand(v.wants[0]).need
		}
		text = append(text, line+".")
	}
	return text
}

// brief tells an executor what the resolution asks for.
func (d *document) brief() *council.Brief {
	b := &council.Brief{
		Objective:                  d.objective(),
		RecommendedExecutorProfile: d.Charter.Execution.DefaultExecutorProfile,
		Steps:                      []string{}, Risks: []string{}, AcceptanceCriteria: []string{},
	}
	if strings.TrimSpace(b.RecommendedExecutorProfile) == "" {
		b.RecommendedExecutorProfile = "engineer"
	}
	for _, w := range d.settled[:min(8, len(d.settled))] {
		x := d.demand(w)
		b.Steps = append(b.Steps, x.step)
		b.Risks = append(b.Risks, x.risk)
		b.AcceptanceCriteria = append(b.AcceptanceCriteria, x.done)
	}
	for _, r := range d.log.raised {
		if risk := d.demand(r.want).risk; !slices.Contains(b.Risks, risk) && len(b.Risks) < 10 {
			b.Risks = append(b.Risks, risk)
		}
	}
	return b
}

// objective is the resolution as an order.
func (d *document) objective() string {
	text := plain(firstSentence(d.resolution.Text))
	if d.stanceIn(d.resolution) == wait {
		return "Prepare what the council waits for before it takes up the question again: " + strings.TrimPrefix(text, "That the council ")
	}
	for _, opening := range []string{"That the council agree to ", "That the council "} {
		if rest, ok := strings.CutPrefix(text, opening); ok {
			return upperFirst(rest)
		}
	}
	return text
}

// plain undoes Markdown's escapes, for text that is not Markdown.
func plain(s string) string { return strings.ReplaceAll(s, `\`, "") }

var dissentsNo = []string{
	"I voted against {title}, and my reason has not gone away.",
	"The majority has decided {title}; I want it on record why I did not follow.",
	"I do not dispute the count on {title}. I dispute what was left out.",
	"On {title} I stand by my NO.",
	"Somebody will ask one day whether this was seen. On {title} it was.",
}

var dissentsYes = []string{
	"{title} failed, and I think that the council will come back to it.",
	"I voted for {title} and would do so again.",
	"That {title} was lost does not make the need for it smaller.",
	"I regret that {title} did not carry.",
}

var dissentsWhy = []string{
	"I asked for {need} in {mine}. Without it {without}.",
	"What is missing is {need}, and so {without}.",
	"Nothing in the text secures {need}; I expect that {without}.",
	"Leave out {need}, and {without}: that is the whole of my objection.",
	"{Need} would have cost little. As it is, {without}.",
}

var dissentsGround = []string{
	"My ground is {q}.",
	"I refer to {q}.",
	"Whoever doubts it may read {q}.",
	"The text was in front of us: {q}.",
}

var dissentsEnd = []string{
	"I shall help to carry out what was decided, and I ask that this be read again when it is done.",
	"I would change my vote on the day on which that is there.",
	"If it turns out well without it, I shall be glad to have been wrong.",
	"I ask whoever carries this out to look at that first.",
	"That is all; the decision stands.",
}

// dissent is for a member that lost a vote and still lacks what it stood for.
func (m *mind) dissent() council.Dissent {
	s := m.speak()
	mine := m.stoodFor()
	against, title := m.lostOn()
	if title == "" {
		return council.Dissent{}
	}
	slots := append(m.voteSlots(&motionNote{}, mine), "{title}", title)
	if n := m.log.draft(); n.seq != 0 {
		if _, ok := m.promised(n.Markdown)[mine]; ok && chance(string(m.me.ID), m.Topic.Text, "dissent") < 0.6 {
			return council.Dissent{} // it got what it wanted in the end
		}
	}
	if against {
		s.must(dissentsNo, slots...)
	} else {
		s.must(dissentsYes, slots...)
	}
	s.sayOf(dissentsWhy, slots, m.hasRaised(mine))
	for _, r := range m.rank(1, "", func(e *entry) bool { return statement(e) && m.me.care(e) > 0 }) {
		s.must(dissentsGround, "{q}", m.quote(r.entry))
	}
	s.must(dissentsEnd)
	return council.Dissent{Dissent: s.done()}
}

// lostOn names the vote that this member lost, and whether it had voted against.
func (m *mind) lostOn() (against bool, title string) {
	find := func(votes []vote, carried bool, name string) bool {
		for _, v := range votes {
			if v.by == m.me.ID && (carried && v.choice == council.ChoiceNo || !carried && v.choice == council.ChoiceYes) {
				against, title = carried, name
				return true
			}
		}
		return false
	}
	if n := m.log.draft(); n.decided != nil && find(n.votes, n.decided.Result == "CARRIED", fmt.Sprintf("version %d of the document", n.Version)) {
		return against, title
	}
	for _, n := range slices.Backward(m.log.motions) {
		if n.visit == m.Visit && n.decided != nil && find(n.votes, n.carried(), "“"+words(cut(hostile.Line(n.Title), 100))+"”") {
			return against, title
		}
	}
	return false, ""
}
