package rehearsal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
)

// reasons say who argued what, from which line.
func (d *document) reasons() []string {
	var text []string
	for i := range d.seats {
		p := &d.seats[i]
		line := ""
		for _, r := range d.log.remarks {
			if r.by != p.ID || r.kind != council.AskTurn || len(r.cites) == 0 {
				continue
			}
			c := r.cites[0]
			line = fmt.Sprintf("- %s (%s) argued from %s in %s: “%s”%s", upperFirst(d.name(p.ID)), d.role(p.ID), c.ref, at(r.seq), c.quote, stop(c.quote))
			if !d.used[c.quote] {
				d.used[c.quote] = true
				break
			}
		}
		if w, ok := d.stoodFor(p.ID); ok {
			what := "What it asked for is among the conditions."
			if !slices.Contains(d.settled, w) {
				what = "Its concern, " + d.themes[w.theme].about + ", is not among the conditions."
			}
			if line == "" {
				line = fmt.Sprintf("- %s (%s) spoke on %s.", upperFirst(d.name(p.ID)), d.role(p.ID), d.themes[w.theme].about)
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
func (d *document) stoodFor(id council.MemberID) (want, bool) {
	for _, r := range slices.Backward(d.log.raised) {
		if r.by == id && r.visit > 0 {
			return r.want, true
		}
	}
	return want{}, false
}

var stanceNames = map[form][3]string{
	proposal: {"Not for now", "One small step first", "Go ahead"},
	verdict:  {"Not as it stands", "Yes, for a first part", "Yes, on conditions"},
	choice:   {"Not choosing yet", "A trial beside the other", "Choosing now"},
	open:     {"Leaving it open", "A first answer, to be improved", "An answer now"},
}

// options are the answers that members leaned to, and the motions that failed.
func (d *document) options() []string {
	var text []string
	for s := goAhead; s >= wait; s-- {
		var names []string
		for i := range d.seats {
			if d.stanceOf(&d.seats[i]) == s {
				names = append(names, d.name(d.seats[i].ID))
			}
		}
		if len(names) > 0 {
			text = append(text, "- "+stanceNames[d.q.form][s]+": the side of "+list(names)+"."+d.startedFrom(s))
		}
	}
	for _, n := range d.log.motions {
		if !n.failed() {
			continue
		}
		line := "- The motion “" + words(cut(hostile.Line(n.Title), 100)) + "” " + at(n.Seq)
		if n.died {
			line += " found no second."
		} else {
			line += " failed by " + tally(n.decided) + "."
		}
		text = append(text, line)
	}
	return text
}

// startedFrom says what the first member on a side rested its position on.
func (d *document) startedFrom(s stance) string {
	for i := range d.seats {
		if d.stanceOf(&d.seats[i]) != s {
			continue
		}
		for _, r := range d.log.remarks {
			if r.by == d.seats[i].ID && r.kind == council.AskPosition && len(r.cites) > 0 && !d.x.bare {
				d.used[r.cites[0].quote] = true
				return " " + upperFirst(d.name(r.by)) + " started from “" + r.cites[0].quote + "” (" + r.cites[0].ref + ")."
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
		x := d.demand(w)
		text = append(text, "- "+x.risk+" Against it: "+lowerFirst(x.step))
	}
	return text
}

// covered are the demands that a first draft works with: those resolved, and the leader's own.
func (d *document) covered() []want {
	wants := slices.Clone(d.settled)
	for _, r := range d.log.raised {
		if r.by == d.me.ID && r.visit > 0 && !slices.Contains(wants, r.want) {
			wants = append(wants, r.want)
		}
	}
	if len(wants) == 0 {
		wants = append(wants, want{d.me.lead(), 0})
	}
	return wants
}

func (d *document) consequences() []string {
	var text []string
	for _, w := range d.covered() {
		text = append(text, "- With "+d.demand(w).need+" in place, it is no longer true that "+d.demand(w).without+".")
	}
	return text
}

func (d *document) plan() []string {
	var text []string
	for i, w := range d.covered() {
		text = append(text, fmt.Sprintf("%d. %s%s", i+1, d.demand(w).step, d.forWhom(w)))
	}
	text = append(text, fmt.Sprintf("%d. Report to those who convened the council what came of it, with the numbers.", len(text)+1))
	return append(text, "Nobody in the council could give these steps to people by name. Whoever approves this document should write a name beside each.")
}

// forWhom names who will want to see a step done.
func (d *document) forWhom(w want) string {
	for _, r := range d.log.raised {
		if r.want == w && r.visit > 0 {
			return " " + upperFirst(d.name(r.by)) + " asked for it."
		}
	}
	return ""
}

func (d *document) acceptance() []string {
	var text []string
	for _, w := range d.covered() {
		text = append(text, "- "+d.demand(w).done)
	}
	return text
}

// accepted are the dangers that members named and the resolution does not answer.
func (d *document) accepted() []string {
	var text []string
	for _, r := range d.log.raised {
		if line := "- " + d.demand(r.want).risk + " Named by " + d.name(r.by) + " in " + at(r.seq) + "."; r.visit > 0 && !slices.Contains(d.covered(), r.want) && !slices.Contains(text, line) {
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
	for _, r := range d.log.remarks {
		for _, c := range r.cites {
			if r.kind == council.AskTurn && !d.used[c.quote] && len(text) < 8 {
				d.used[c.quote] = true
				text = append(text, "- “"+c.quote+"” ("+c.ref+"), quoted by "+d.name(r.by)+" in "+at(r.seq)+".")
			}
		}
	}
	if d.x.bare {
		text = append(text, "No document was given, so there is no evidence here but the words of the members.")
	}
	return text
}

// open lists what was asked and not answered, and whose concern the resolution leaves out.
func (d *document) open() []string {
	var text []string
	for i := range d.seats {
		p := &d.seats[i]
		if w, ok := d.stoodFor(p.ID); ok && !slices.Contains(d.settled, w) && p.ID != d.me.ID {
			text = append(text, "- "+upperFirst(d.themes[w.theme].about)+": raised by "+d.name(p.ID)+" in "+at(d.lastRaise(p.ID))+", and not answered by the resolution.")
		}
	}
	asked := 0
	for _, r := range slices.Backward(d.log.remarks) {
		for _, s := range sentences(strings.ReplaceAll(r.words, "\n", " ")) {
			if strings.HasSuffix(s, "?") && r.kind == council.AskTurn && asked < 4 && !strings.Contains(s, "[e") && len(d.wantsIn(s)) == 0 {
				asked++
				text = append(text, "- "+hostile.Inline(hostile.Line(cut(s, 240)))+" ("+d.name(r.by)+", "+at(r.seq)+")")
			}
		}
	}
	return text
}

func (d *document) lastRaise(id council.MemberID) council.Seq {
	for _, r := range slices.Backward(d.log.raised) {
		if r.by == id {
			return r.seq
		}
	}
	return 1
}

func (d *document) dissenters() []string {
	var text []string
	if d.resolution != nil {
		for _, v := range d.resolution.votes {
			if v.choice == council.ChoiceNo {
				text = append(text, "- "+upperFirst(d.name(v.by))+" voted NO in "+at(v.seq)+": “"+words(cut(hostile.Line(v.rationale), 300))+"”")
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
	for _, r := range d.rank(3, title, func(e *entry) bool { return statement(e) && !d.used[words(e.Text)] }) {
		text = append(text, "- "+d.quoteOnce(r.entry)+d.broughtBy(r.entry))
	}
	if partOf(title) == partScope && strings.Contains(strings.ToLower(title), "assumption") {
		for _, a := range d.assumptions() {
			text = append(text, "- Assumed: "+lowerFirst(a))
		}
	}
	about := themesFor(title)
	for _, w := range d.covered() {
		if slices.Contains(about, w.theme) {
			text = append(text, "- The council asks for "+d.demand(w).need+".")
		}
	}
	if len(text) > 0 {
		return append([]string{"What the text says, and what the debate added:"}, text...)
	}
	return nil
}
