package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/concern"
	"github.com/council-engine/council/council/member/rehearsal/mind"
	"github.com/council-engine/council/council/member/rehearsal/wording"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/hostile"
)

// summary is the leader's account.
func (m writer) summary() council.Summary {
	d := &document{writer: m, resolution: m.Log.Resolution(), settled: m.InForce(), used: map[string]bool{}}
	question := "“" + mind.Words(m.Question.Text) + "”"
	first := strings.ReplaceAll(mind.Choose(wording.SummaryOpenings, m.Topic.Text, "summary"), "{question}", question)
	if !strings.ContainsAny(m.Question.Text[max(0, len(m.Question.Text)-3):], "?!.…") {
		first += "."
	}
	if m.Index.Bare {
		first += " " + m.NothingToRead() + ", so every reason in the record is an opinion."
	} else {
		first += fmt.Sprintf(" It had %s before it, and quoted %s.", counted(len(m.Topic.Documents), "document", "documents"), counted(m.cited(), "passage", "passages"))
	}
	if themes := d.themesRaised(4); len(themes) > 0 {
		first += " The debate turned on " + mind.List(themes) + "."
	}
	var text []string
	text = append(text, "Rehearsal: no model was asked. "+first)
	text = append(text, d.course())
	s := council.Summary{}
	n := d.resolution
	if n == nil {
		text = append(text, "No motion carried in the last phase. What the members asked for remains open:")
		for _, r := range d.OpenWants() {
			text = append(text, "- "+mind.UpperFirst(m.Name(r.By))+" asked for "+m.Demand(r.Want).Need+" in "+mind.At(r.Seq)+".")
		}
		s.SummaryMarkdown = paragraphs(text)
		s.FinalResolution = "The council reached no resolution on " + question + "."
		return s
	}
	text = append(text, "What was agreed:")
	for _, w := range d.settled {
		text = append(text, "- "+mind.UpperFirst(m.Demand(w).Need)+"."+d.askedBy(w))
	}
	if objections := d.objections(); len(objections) > 0 {
		text = append(append(text, "What was objected:"), objections...)
	}
	s.SummaryMarkdown = paragraphs(text)
	s.FinalResolution = firstSentence(n.Text) + " (Carried by " + tally(n.Decided) + ".)"
	s.Settles = m.SettledBy(n)
	if brief := d.brief(); len(brief.Steps) > 0 {
		s.RequiresExecution, s.ExecutionBrief = true, brief
	}
	return s
}

// cited counts the passages that members quoted.
func (m writer) cited() int {
	seen := map[string]bool{}
	for _, r := range m.Log.Remarks {
		for _, c := range r.Cites {
			seen[c.Quote] = true
		}
	}
	return len(seen)
}

// counted writes "one document" or "two documents".
func counted(n int, one, many string) string {
	numbers := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"}
	word := fmt.Sprint(n)
	if n < len(numbers) {
		word = numbers[n]
	}
	if n != 1 {
		return word + " " + many
	}
	return word + " " + one
}

// firstSentence is a motion without its reasons.
func firstSentence(text string) string {
	all := mind.Sentences(strings.Join(strings.Fields(text), " "))
	if len(all) == 0 {
		return text
	}
	return all[0]
}

// course tells how the motions fared.
func (d *document) course() string {
	if len(d.Log.Motions) == 0 {
		return "Nobody moved a motion."
	}
	var told []string
	for _, n := range d.Log.Motions {
		title := "“" + mind.Words(mind.Cut(hostile.Line(n.Title), 100)) + "”"
		switch {
		case n.Died:
			told = append(told, mind.UpperFirst(d.Name(n.Mover))+" moved "+title+" in "+mind.At(n.Seq)+", and nobody seconded it.")
		case n.Carried():
			told = append(told, mind.UpperFirst(d.Name(n.Mover))+"'s motion "+title+" "+mind.At(n.Seq)+" carried by "+tally(n.Decided)+".")
		case n.Decided != nil:
			told = append(told, title+", moved by "+d.Name(n.Mover)+" in "+mind.At(n.Seq)+", failed by "+tally(n.Decided)+".")
		}
	}
	return strings.Join(told, " ")
}

// objections are the votes against what carried at the end.
func (d *document) objections() []string {
	var text []string
	for _, v := range d.resolution.Votes {
		if v.Choice == council.ChoiceYes {
			continue
		}
		verb := "voted NO"
		if v.Choice == council.ChoiceAbstain {
			verb = "abstained"
		}
		line := "- " + mind.UpperFirst(d.Name(v.By)) + " " + verb + " in " + mind.At(v.Seq)
		if len(v.Wants) > 0 {
			line += ", missing " + d.Demand(v.Wants[0]).Need
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
		x := d.Demand(w)
		b.Steps = append(b.Steps, x.Step)
		b.Risks = append(b.Risks, x.Risk)
		b.AcceptanceCriteria = append(b.AcceptanceCriteria, x.Done)
	}
	for _, r := range d.Log.Raised {
		if risk := d.Demand(r.Want).Risk; !slices.Contains(b.Risks, risk) && len(b.Risks) < 10 {
			b.Risks = append(b.Risks, risk)
		}
	}
	return b
}

// objective is the resolution as an order.
func (d *document) objective() string {
	text := mind.Plain(firstSentence(d.resolution.Text))
	if d.StanceIn(d.resolution) == concern.Wait {
		return "Prepare what the council waits for before it takes up the question again: " + strings.TrimPrefix(text, "That the council ")
	}
	for _, opening := range []string{"That the council agree to ", "That the council "} {
		if rest, ok := strings.CutPrefix(text, opening); ok {
			return mind.UpperFirst(rest)
		}
	}
	return text
}

// dissent is for a member that lost a vote and still lacks what it stood for.
func (m writer) dissent() council.Dissent {
	s := m.Speak()
	mine := m.stoodFor()
	against, title := m.lostOn()
	if title == "" {
		return council.Dissent{}
	}
	draft := m.Log.Draft().Markdown
	line, insists := m.line()
	lacksLine := insists && draft != "" && !strings.Contains(draft, line.Quote)
	held := m.promised(draft)[mine] != ""
	if held && !lacksLine {
		return council.Dissent{} // it got what it wanted in the end
	}
	slots := append(m.VoteSlots(&mind.MotionNote{}, mine), "{title}", title, "{ref}", line.Ref)
	if against {
		s.Must(wording.DissentsNo, slots...)
	} else {
		s.Must(wording.DissentsYes, slots...)
	}
	if held {
		s.Must(wording.DissentsLine, slots...)
		s.Must(wording.DissentsEnd)
		return council.Dissent{Dissent: s.Done()}
	}
	s.MustOf(wording.DissentsWhy, slots, m.HasRaised(mine))
	for _, r := range m.Rank(1, "", func(e *mind.Entry) bool { return mind.Statement(e) && mind.Care(m.Me, e) > 0 }) {
		s.Must(wording.DissentsGround, "{q}", m.Quote(r.Entry))
	}
	s.Must(wording.DissentsEnd)
	return council.Dissent{Dissent: s.Done()}
}

// lostOn names the vote that this member lost, and whether it had voted against.
func (m writer) lostOn() (against bool, title string) {
	find := func(votes []mind.Vote, carried bool, name string) bool {
		for _, v := range votes {
			if v.By == m.Me.ID && (carried && v.Choice == council.ChoiceNo || !carried && v.Choice == council.ChoiceYes) {
				against, title = carried, name
				return true
			}
		}
		return false
	}
	if n := m.Log.Draft(); n.Decided != nil && find(n.Votes, n.Decided.Result == quorum.Carried, fmt.Sprintf("version %d of the document", n.Version)) {
		return against, title
	}
	for _, n := range slices.Backward(m.Log.Motions) {
		if n.Visit == m.Visit && n.Decided != nil && find(n.Votes, n.Carried(), "“"+mind.Words(mind.Cut(hostile.Line(n.Title), 100))+"”") {
			return against, title
		}
	}
	return false, ""
}
