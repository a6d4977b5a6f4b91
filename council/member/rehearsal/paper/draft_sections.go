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

// reasons say who argued what, from which line.
func (d *document) reasons() []string {
	var text []string
	for i := range d.Players {
		p := &d.Players[i]
		line := ""
		for _, r := range d.Log.Remarks {
			if r.By != p.ID || r.Kind != council.AskTurn || len(r.Cites) == 0 {
				continue
			}
			c := r.Cites[0]
			line = fmt.Sprintf("- %s (%s) argued from %s in %s: “%s”%s", mind.UpperFirst(d.Name(p.ID)), d.Role(p.ID), c.Ref, mind.At(r.Seq), c.Quote, stop(c.Quote))
			if !d.used[c.Quote] {
				d.used[c.Quote] = true
				break
			}
		}
		if w, ok := d.stoodFor(p.ID); ok {
			what := "What it asked for is among the conditions."
			if !slices.Contains(d.settled, w) {
				what = "Its concern, " + d.Themes[w.Theme].About + ", is not among the conditions."
			}
			if line == "" {
				line = fmt.Sprintf("- %s (%s) spoke on %s.", mind.UpperFirst(d.Name(p.ID)), d.Role(p.ID), d.Themes[w.Theme].About)
			}
			line += " " + what
		}
		if line != "" {
			text = append(text, line)
		}
	}
	return text
}

// stoodFor is what a member asked for last.
func (d *document) stoodFor(id council.MemberID) (concern.Want, bool) {
	for _, r := range slices.Backward(d.Log.Raised) {
		if r.By == id && r.Visit > 0 {
			return r.Want, true
		}
	}
	return concern.Want{}, false
}

var stanceNames = map[mind.Form][3]string{
	mind.Proposal: {"Not for now", "One small step first", "Go ahead"},
	mind.Verdict:  {"Not as it stands", "Yes, for a first part", "Yes, on conditions"},
	mind.Choice:   {"Not choosing yet", "A trial beside the other", "Choosing now"},
	mind.Open:     {"Leaving it open", "A first answer, to be improved", "An answer now"},
}

// options are the answers that members leaned to, and the motions that failed.
func (d *document) options() []string {
	var text []string
	for s := concern.GoAhead; s >= concern.Wait; s-- {
		var names []string
		for i := range d.Players {
			if d.StanceOf(&d.Players[i]) == s {
				names = append(names, d.Name(d.Players[i].ID))
			}
		}
		if len(names) > 0 {
			text = append(text, "- "+stanceNames[d.Question.Form][s]+": the side of "+mind.List(names)+"."+d.startedFrom(s))
		}
	}
	for _, n := range d.Log.Motions {
		if !n.Failed() {
			continue
		}
		line := "- The motion “" + mind.Words(mind.Cut(hostile.Line(n.Title), 100)) + "” " + mind.At(n.Seq)
		if n.Died {
			line += " found no second."
		} else {
			line += " failed by " + tally(n.Decided) + "."
		}
		text = append(text, line)
	}
	return text
}

// startedFrom says what the first member on a side rested its position on.
func (d *document) startedFrom(s concern.Stance) string {
	for i := range d.Players {
		if d.StanceOf(&d.Players[i]) != s {
			continue
		}
		for _, r := range d.Log.Remarks {
			if r.By == d.Players[i].ID && r.Kind == council.AskPosition && len(r.Cites) > 0 && !d.Index.Bare {
				d.used[r.Cites[0].Quote] = true
				return " " + mind.UpperFirst(d.Name(r.By)) + " started from “" + r.Cites[0].Quote + "” (" + r.Cites[0].Ref + ")."
			}
		}
	}
	return ""
}

// stop ends a sentence that ends in a quote.
func stop(quote string) string {
	if strings.ContainsAny(quote[max(0, len(quote)-3):], ".!?…") {
		return ""
	}
	return "."
}

func (d *document) risks() []string {
	var text []string
	for _, w := range d.covered() {
		x := d.Demand(w)
		text = append(text, "- "+x.Risk+" Against it: "+mind.LowerFirst(x.Step))
	}
	return text
}

// covered are the demands that a first draft works with: those resolved, and the leader's own.
func (d *document) covered() []concern.Want {
	wants := slices.Clone(d.settled)
	for _, r := range d.Log.Raised {
		if r.By == d.Me.ID && r.Visit > 0 && !slices.Contains(wants, r.Want) {
			wants = append(wants, r.Want)
		}
	}
	if len(wants) == 0 {
		wants = append(wants, concern.Want{Theme: d.Me.Lead()})
	}
	return wants
}

func (d *document) consequences() []string {
	var text []string
	for _, w := range d.covered() {
		text = append(text, "- With "+d.Demand(w).Need+" in place, it is no longer true that "+d.Demand(w).Without+".")
	}
	return text
}

func (d *document) plan() []string {
	var text []string
	wants, rest := d.covered(), 0
	if first := (len(d.Seats) + 1) / 2; d.Draft == nil && len(wants) > first {
		wants, rest = wants[:first], len(wants)-first // a first draft names the steps that come first; reviews ask for the others
	}
	for _, w := range d.ordered() { // also what became a condition only in review
		if !slices.Contains(wants, w) {
			wants = append(wants, w)
		}
	}
	for i, w := range wants {
		text = append(text, fmt.Sprintf("%d. %s%s", i+1, d.Demand(w).Step, d.forWhom(w)))
	}
	text = append(text, fmt.Sprintf("%d. Report to those who convened the council what came of it, with the numbers.", len(text)+1))
	if rest > 0 {
		text = append(text, "Of the other conditions "+counted(rest, "has no step here yet", "have no step here yet")+"; they bind all the same.")
	}
	return append(text, "Nobody in the council could give these steps to people by name. Whoever approves this document should write a name beside each.")
}

// ordered are the demands whose steps reviews have asked for.
func (d *document) ordered() []concern.Want {
	var wants []concern.Want
	for _, v := range d.Log.Reviews {
		for _, b := range v.CriticalBlockers {
			wants = append(wants, d.ordersIn(b.RequiredChange)...)
		}
	}
	return wants
}

// forWhom names who will want to see a step done.
func (d *document) forWhom(w concern.Want) string {
	for _, v := range slices.Backward(d.Log.Reviews) {
		for _, b := range v.CriticalBlockers {
			if slices.Contains(d.ordersIn(b.RequiredChange), w) {
				return " " + mind.UpperFirst(d.Name(v.By)) + " asked for it in review, " + hostile.Inline(b.ID) + "."
			}
		}
	}
	for _, r := range d.Log.Raised {
		if r.Want == w && r.Visit > 0 {
			return " " + mind.UpperFirst(d.Name(r.By)) + " asked for it."
		}
	}
	return ""
}

func (d *document) acceptance() []string {
	var text []string
	for _, w := range d.covered() {
		text = append(text, "- "+d.Demand(w).Done)
	}
	return text
}

// accepted are the dangers that members named and the resolution does not answer.
func (d *document) accepted() []string {
	var text []string
	for _, r := range d.Log.Raised {
		if line := "- " + d.Demand(r.Want).Risk + " Named by " + d.Name(r.By) + " in " + mind.At(r.Seq) + "."; r.Visit > 0 && !slices.Contains(d.covered(), r.Want) && !slices.Contains(text, line) {
			text = append(text, line)
		}
	}
	if len(text) == 0 {
		text = append(text, "None. What members asked for is among the conditions.")
	}
	return text
}

func (d *document) evidence() []string {
	var text []string
	for _, r := range d.Log.Remarks {
		for _, c := range r.Cites {
			if r.Kind == council.AskTurn && !d.used[c.Quote] && len(text) < 8 {
				d.used[c.Quote] = true
				text = append(text, "- “"+c.Quote+"” ("+c.Ref+"), quoted by "+d.Name(r.By)+" in "+mind.At(r.Seq)+".")
			}
		}
	}
	if d.Index.Bare {
		text = append(text, d.NothingToRead()+", so there is no evidence here but the words of the members.")
	}
	return text
}

// open lists what was asked and not answered, and whose concern the resolution leaves out.
func (d *document) open() []string {
	var text []string
	for i := range d.Players {
		p := &d.Players[i]
		if w, ok := d.stoodFor(p.ID); ok && !slices.Contains(d.settled, w) && p.ID != d.Me.ID {
			text = append(text, "- "+mind.UpperFirst(d.Themes[w.Theme].About)+": raised by "+d.Name(p.ID)+" in "+mind.At(d.lastRaise(p.ID))+", and not answered by the resolution.")
		}
	}
	asked := 0
	for _, r := range slices.Backward(d.Log.Remarks) {
		for _, s := range mind.Sentences(strings.ReplaceAll(r.Words, "\n", " ")) {
			if strings.HasSuffix(s, "?") && r.Kind == council.AskTurn && asked < 4 && !strings.Contains(s, "[e") && len(d.WantsIn(s)) == 0 {
				asked++
				text = append(text, "- "+hostile.Inline(hostile.Line(mind.Cut(s, 240)))+" ("+d.Name(r.By)+", "+mind.At(r.Seq)+")")
			}
		}
	}
	return text
}

func (d *document) lastRaise(id council.MemberID) council.Seq {
	for _, r := range slices.Backward(d.Log.Raised) {
		if r.By == id {
			return r.Seq
		}
	}
	return 1
}

func (d *document) dissenters() []string {
	var text []string
	if d.resolution != nil {
		for _, v := range d.resolution.Votes {
			if v.Choice == council.ChoiceNo {
				text = append(text, "- "+mind.UpperFirst(d.Name(v.By))+" voted NO in "+mind.At(v.Seq)+": “"+mind.Words(mind.Cut(hostile.Line(v.Rationale), 300))+"”")
			}
		}
	}
	if len(text) == 0 {
		text = append(text, "Nobody voted against the resolution.")
	}
	return text
}

// fromText fills a section that the rehearsal knows nothing about with what the documents say under its title.
func (d *document) fromText(title string) []string {
	var text []string
	for _, r := range d.Rank(3, title, func(e *mind.Entry) bool { return mind.Statement(e) && !d.used[mind.Words(e.Text)] }) {
		text = append(text, "- "+d.quoteOnce(r.Entry)+d.broughtBy(r.Entry))
	}
	if partOf(title) == partScope && strings.Contains(strings.ToLower(title), "assumption") {
		for _, a := range d.Assumptions() {
			text = append(text, "- Assumed: "+mind.LowerFirst(a))
		}
	}
	about := concern.ThemesFor(title)
	for _, w := range d.covered() {
		if slices.Contains(about, w.Theme) {
			text = append(text, "- The council asks for "+d.Demand(w).Need+".")
		}
	}
	if len(text) > 0 {
		return append([]string{"What the text says, and what the debate added:"}, text...)
	}
	return nil
}
