package rehearsal

import (
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
)

// assess judges the phase by what its events say. What nobody spoke to is not met.
func (m *mind) assess() council.Assessment {
	a := council.Assessment{
		Deliverables: []council.Claim{}, QualityGates: []council.Claim{}, Assumptions: []string{}, Risks: []council.Risk{}, Citations: []string{},
	}
	if m.Phase == nil {
		return a
	}
	carried := m.log.carriedIn(m.Visit)
	for _, d := range m.Phase.Deliverables {
		a.Deliverables = append(a.Deliverables, m.claim(d.ID, deliverable(d.ID), d.Description, carried))
	}
	for _, gate := range m.Phase.QualityGates {
		a.QualityGates = append(a.QualityGates, m.claim(gate, "this gate", gate, carried))
	}
	a.Assumptions = m.assumptions()
	for _, r := range m.log.raised {
		if r.visit == m.Visit && len(a.Risks) < 8 && !slices.ContainsFunc(a.Risks, func(x council.Risk) bool { return x.Risk == m.demand(r.want).risk }) {
			a.Risks = append(a.Risks, council.Risk{Risk: m.demand(r.want).risk, Mitigation: m.demand(r.want).step})
		}
	}
	a.Citations = m.citations(carried)
	return a
}

// claim looks in the phase for what speaks to a deliverable or gate: the events that name it, then those that share
// its words.
func (m *mind) claim(id, name, description string, carried *motionNote) council.Claim {
	sought := wordsOf(strings.NewReplacer("_", " ", "-", " ").Replace(id)+" "+description, 1)
	var named, near []*remark
	var quoted []string
	for i := range m.log.remarks {
		r := &m.log.remarks[i]
		if r.visit != m.Visit || r.kind != council.AskTurn {
			continue
		}
		said := r.words
		for _, w := range r.wants {
			said += " " + m.demand(w).step + " " + m.demand(w).done + " " + m.demand(w).risk
		}
		shared := overlap(sought, said)
		switch {
		case strings.Contains(strings.ToLower(r.words), name):
			named = append(named, r)
		case shared >= 2:
			near = append(near, r)
		}
	}
	found := append(named, near...)
	found = found[:min(3, len(found))]
	c := council.Claim{ID: id, Citations: []string{}}
	var speakers []string
	for _, r := range found {
		c.Citations = append(c.Citations, r.seq.ID())
		if who := m.name(r.by) + " in " + r.seq.ID(); len(speakers) < 3 {
			speakers = append(speakers, who)
		}
		for _, q := range r.cites[:min(1, len(r.cites))] {
			if ref := strings.ReplaceAll(q.ref, `\`, ""); m.isLine(ref) && !slices.Contains(quoted, ref) {
				quoted = append(quoted, ref)
				c.Citations = append(c.Citations, ref)
			}
		}
	}
	if carried != nil && overlap(sought, carried.Text+" "+carried.Decision) >= 2 {
		c.Citations = append(c.Citations, carried.Seq.ID())
		speakers = append(speakers, "the motion carried in "+carried.decidedAt.ID())
	}
	if len(speakers) == 0 {
		c.Claim = silent[pick(id, string(m.Ask.ID))%uint64(len(silent))]
		return c
	}
	c.Met = true
	c.Claim = upperFirst(list(speakers)) + " spoke to it"
	if len(quoted) > 0 {
		c.Claim += ", with " + list(quoted) + " as evidence"
	}
	c.Claim += "."
	return c
}

var silent = []string{
	"Nobody spoke to it in this phase, and the record does not show it.",
	"I find no event in this phase that shows it.",
	"It was not touched, so I cannot call it met.",
	"The debate went past it.",
	"No turn and no motion of this phase answers to it.",
	"I looked for it in the record and found nothing to cite.",
}

func overlap(sought map[string]float64, text string) int {
	n := 0
	for s := range wordsOf(text, 1) {
		if sought[s] > 0 {
			n++
		}
	}
	return n
}

// isLine reports whether ref names a line of a document, and not the topic.
func (m *mind) isLine(ref string) bool {
	i := strings.LastIndexByte(ref, ':')
	if i < 0 {
		return false
	}
	if _, err := strconv.Atoi(ref[i+1:]); err != nil {
		return false
	}
	return slices.ContainsFunc(m.Topic.Documents, func(d council.Document) bool { return d.Name == ref[:i] })
}

func (m *mind) assumptions() []string {
	if m.x.bare {
		return []string{
			"The topic says everything that the council needed to know. No document was given.",
			"Whoever asked means by the words of the topic what the members took them to mean.",
		}
	}
	all := []string{"What the documents say is still true. Nobody checked it in this session."}
	seen := map[string]bool{}
	for _, r := range m.log.remarks {
		for _, c := range r.cites {
			e := m.entryOf(c.quote)
			if r.visit == m.Visit && e != nil && (e.tone == doubts || e.tone == intends || e.tone == counts) && !seen[c.quote] && len(all) < 4 {
				seen[c.quote] = true
				all = append(all, "That “"+c.quote+"” ("+c.ref+") can be relied on, as "+m.name(r.by)+" did in "+r.seq.ID()+".")
			}
		}
	}
	return all
}

// entryOf finds the passage of a quote, or nil.
func (m *mind) entryOf(quote string) *entry {
	first := ""
	for s := range stems(quote) {
		if len(s) > len(first) {
			first = s
		}
	}
	for _, n := range m.x.postings[first] {
		if words(m.x.entries[n].Text) == quote {
			return &m.x.entries[n]
		}
	}
	return nil
}

// citations are the events and lines that carried the phase.
func (m *mind) citations(carried *motionNote) []string {
	cites := []string{}
	add := func(c string) {
		if !slices.Contains(cites, c) && len(cites) < 12 {
			cites = append(cites, c)
		}
	}
	if carried != nil {
		add(carried.Seq.ID())
		add(carried.decidedAt.ID())
	}
	for _, r := range m.log.remarks {
		if r.visit != m.Visit || r.kind != council.AskTurn {
			continue
		}
		add(r.seq.ID())
		for _, c := range r.cites {
			if ref := strings.ReplaceAll(c.ref, `\`, ""); m.isLine(ref) {
				add(ref)
			}
		}
	}
	return cites
}
