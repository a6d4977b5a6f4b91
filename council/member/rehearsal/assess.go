package rehearsal

import (
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/mind"
	"github.com/council-engine/council/council/member/rehearsal/wording"
)

// assess judges the phase by what its events say. What nobody spoke to is not met.
func (m seat) assess() council.Assessment {
	a := council.Assessment{
		Deliverables: []council.Claim{}, QualityGates: []council.Claim{}, Assumptions: []string{}, Risks: []council.Risk{},
		Constraints: []string{}, Citations: []string{},
	}
	if m.Phase == nil {
		return a
	}
	carried := m.Log.CarriedIn(m.Visit)
	for _, d := range m.Phase.Deliverables {
		a.Deliverables = append(a.Deliverables, m.claim(d.ID, mind.Deliverable(d.ID), d.Description, carried))
	}
	for _, gate := range m.Phase.QualityGates {
		a.QualityGates = append(a.QualityGates, m.claim(gate, "this gate", gate, carried))
	}
	a.Assumptions = m.Assumptions()
	for _, r := range m.Log.Raised {
		if r.Visit == m.Visit && len(a.Risks) < 8 && !slices.ContainsFunc(a.Risks, func(x council.Risk) bool { return x.Risk == m.Demand(r.Want).Risk }) {
			a.Risks = append(a.Risks, council.Risk{Risk: m.Demand(r.Want).Risk, Mitigation: m.Demand(r.Want).Step})
		}
	}
	a.Constraints = m.Constraints(4)
	a.Citations = m.citations(carried)
	return a
}

// claim looks in the phase for what speaks to a deliverable or gate: the events that name it, then those that share
// its words.
func (m seat) claim(id, name, description string, carried *mind.MotionNote) council.Claim {
	sought := mind.WordsOf(strings.NewReplacer("_", " ", "-", " ").Replace(id)+" "+description, 1)
	var named, near []*mind.Remark
	var quoted []string
	for i := range m.Log.Remarks {
		r := &m.Log.Remarks[i]
		if r.Visit != m.Visit || r.Kind != council.AskTurn {
			continue
		}
		said := r.Words
		for _, w := range r.Wants {
			said += " " + m.Demand(w).Step + " " + m.Demand(w).Done + " " + m.Demand(w).Risk
		}
		shared := overlap(sought, said)
		switch {
		case strings.Contains(strings.ToLower(r.Words), name):
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
		c.Citations = append(c.Citations, r.Seq.ID())
		if who := m.Name(r.By) + " in " + r.Seq.ID(); len(speakers) < 3 {
			speakers = append(speakers, who)
		}
		for _, q := range r.Cites[:min(1, len(r.Cites))] {
			if ref := mind.Plain(q.Ref); m.isLine(ref) && !slices.Contains(quoted, ref) {
				quoted = append(quoted, ref)
				c.Citations = append(c.Citations, ref)
			}
		}
	}
	if carried != nil && overlap(sought, carried.Text+" "+carried.Decision) >= 2 {
		c.Citations = append(c.Citations, carried.Seq.ID())
		speakers = append(speakers, "the motion carried in "+carried.DecidedAt.ID())
	}
	if len(speakers) == 0 {
		c.Claim = mind.Choose(wording.Silent, id, string(m.Ask.ID))
		return c
	}
	c.Met = true
	c.Claim = mind.UpperFirst(mind.List(speakers)) + " spoke to it"
	if len(quoted) > 0 {
		c.Claim += ", with " + mind.List(quoted) + " as evidence"
	}
	c.Claim += "."
	return c
}

func overlap(sought map[string]float64, text string) int {
	n := 0
	for s := range mind.WordsOf(text, 1) {
		if sought[s] > 0 {
			n++
		}
	}
	return n
}

// isLine reports whether ref names a line of a document, and not the topic.
func (m seat) isLine(ref string) bool {
	i := strings.LastIndexByte(ref, ':')
	if i < 0 {
		return false
	}
	if _, err := strconv.Atoi(ref[i+1:]); err != nil {
		return false
	}
	return slices.ContainsFunc(m.Topic.Documents, func(d council.Document) bool { return d.Name == ref[:i] })
}

// citations are the events and lines that carried the phase.
func (m seat) citations(carried *mind.MotionNote) []string {
	cites := []string{}
	add := func(c string) {
		if !slices.Contains(cites, c) && len(cites) < 12 {
			cites = append(cites, c)
		}
	}
	if carried != nil {
		add(carried.Seq.ID())
		add(carried.DecidedAt.ID())
	}
	for _, r := range m.Log.Remarks {
		if r.Visit != m.Visit || r.Kind != council.AskTurn {
			continue
		}
		add(r.Seq.ID())
		for _, c := range r.Cites {
			if ref := mind.Plain(c.Ref); m.isLine(ref) {
				add(ref)
			}
		}
	}
	return cites
}
