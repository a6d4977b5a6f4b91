package minutes

import (
	"slices"

	"github.com/council-engine/council/council"
)

// StandIn is a model that answered in the place of a member's own.
type StandIn struct {
	Provider string `json:"provider"`
	Model    string `json:"model"` // as reported, or as configured where the provider reports none
	Replies  int    `json:"replies"`
}

// Diversity tells how related the models are. Models of one family make the same mistakes.
type Diversity struct {
	Models   int      `json:"models"`   // configured, each once
	Families []string `json:"families"` // of these
	Reported struct {
		Models   int      `json:"models"`
		Families []string `json:"families"`
	} `json:"reported"` // of those that answered, as their providers name them
}

// noteModel notes which model answered: the configured one as its provider names it, or one that stood in.
func (s *spending) noteModel(m council.MemberID, u council.Usage, failed bool) {
	if u.Model != "" && !slices.Contains(s.named, u.Model) {
		s.named = append(s.named, u.Model)
	}
	switch {
	case u.Model == "":
	case u.Provider == "":
		s.reported[m] = u.Model
	case !failed:
		all := s.stoodIn[m]
		i := slices.IndexFunc(all, func(a StandIn) bool { return a.Provider == u.Provider && a.Model == u.Model })
		if i < 0 {
			i, all = len(all), append(all, StandIn{Provider: u.Provider, Model: u.Model})
		}
		all[i].Replies++
		s.stoodIn[m] = all
	}
}

// Reported returns the configured model of a member, as its provider last named it; empty when it never answered.
func (m *Minutes) Reported(id council.MemberID) string { return m.counted().reported[id] }

// StoodIn lists the models that answered in the place of a member's own, in the order in which they first did.
func (m *Minutes) StoodIn(id council.MemberID) []StandIn { return m.counted().stoodIn[id] }

// PromptCut returns the id of the first answer of a member whose server counted fewer tokens of its prompt than of a
// shorter one before; empty when there is none.
func (m *Minutes) PromptCut(id council.MemberID) string {
	if seq := m.counted().fell[id]; seq > 0 {
		return seq.ID()
	}
	return ""
}

// Diversity tells how related the models of the council are. It is nil where all members have one and the same.
func (m *Minutes) Diversity() *Diversity {
	k := m.Started.Charter.Families()
	if len(k.Models) < 2 {
		return nil
	}
	d := &Diversity{Models: len(k.Models), Families: k.Families}
	var reported, families []string
	for _, name := range m.counted().reported {
		reported, families = append(reported, name), append(families, council.ModelFamily(name))
	}
	for _, others := range m.counted().stoodIn { // also for a model that never answered itself
		for _, other := range others {
			reported, families = append(reported, other.Model), append(families, council.ModelFamily(other.Model))
		}
	}
	slices.Sort(reported)
	slices.Sort(families)
	d.Reported.Models, d.Reported.Families = len(slices.Compact(reported)), slices.Compact(families)
	if d.Reported.Families == nil {
		d.Reported.Families = []string{}
	}
	return d
}

// Prompts notices servers that silently leave out a part of a prompt: they count fewer tokens in a prompt that is at
// least as long as the one before. The zero value is ready for the first event of a log.
type Prompts struct {
	last map[council.MemberID]council.Usage
	told map[council.MemberID]bool
}

// Fell takes in what an answer of a member took, and reports whether it is the member's first whose count fell. Answers
// that took several calls, or that another model gave, are not compared.
func (p *Prompts) Fell(m council.MemberID, u council.Usage) bool {
	if u.Calls != 1 || u.PromptTokens() == 0 || u.PromptBytes == 0 {
		return false
	}
	if p.last == nil {
		p.last, p.told = map[council.MemberID]council.Usage{}, map[council.MemberID]bool{}
	}
	before, known := p.last[m]
	p.last[m] = u
	if !known || before.Model != u.Model || before.Provider != u.Provider || p.told[m] {
		return false
	}
	p.told[m] = u.PromptBytes >= before.PromptBytes && u.PromptTokens() < before.PromptTokens()
	return p.told[m]
}
