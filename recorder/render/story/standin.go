package story

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/family"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/render/artifact"
)

// noteModel notes which model answered: the configured one as its provider names it, or one that stood in.
func (s *Spending) noteModel(m council.MemberID, u council.Usage, failed bool) {
	switch {
	case u.Model == "":
	case u.Provider == "":
		s.reported[m] = u.Model
	case !failed:
		all := s.stoodIn[m]
		i := slices.IndexFunc(all, func(a artifact.StandIn) bool { return a.Provider == u.Provider && a.Model == u.Model })
		if i < 0 {
			i, all = len(all), append(all, artifact.StandIn{Provider: u.Provider, Model: u.Model})
		}
		all[i].Replies++
		s.stoodIn[m] = all
	}
}

// Reported is the configured model of a member, as its provider last named it; empty when it never answered.
func (s *Spending) Reported(m council.MemberID) string { return s.reported[m] }

// StoodIn lists the models that answered in the place of a member's own, in the order in which they first did.
func (s *Spending) StoodIn(m council.MemberID) []artifact.StandIn { return s.stoodIn[m] }

// PromptCut is the id of the first answer of a member whose server counted fewer tokens of its prompt than of a shorter one
// before; empty when there is none.
func (s *Spending) PromptCut(m council.MemberID) string {
	if seq := s.fell[m]; seq > 0 {
		return seq.ID()
	}
	return ""
}

// Diversity says how related the models of a council are. It is nil where all members have one and the same.
func (s *Spending) Diversity() *artifact.Diversity {
	k := family.Of(&s.charter)
	if len(k.Models) < 2 {
		return nil
	}
	d := &artifact.Diversity{Models: len(k.Models), Families: k.Families}
	var reported, families []string
	for _, name := range s.reported {
		reported, families = append(reported, name), append(families, family.Family(name))
	}
	for _, others := range s.stoodIn { // also for a model that never answered itself
		for _, other := range others {
			reported, families = append(reported, other.Model), append(families, family.Family(other.Model))
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

// ModelWords says in sentences which models stood in for others, which were not shown all of their prompts, and how related all of them are. name is what a member
// is called.
func (s *Spending) ModelWords(seats []council.MemberID, name func(council.MemberID) string) []string {
	var words []string
	for _, id := range seats {
		for _, other := range s.stoodIn[id] {
			words = append(words, fmt.Sprintf("The model of %s was missing or down for a time: %s/%s answered in its place (%d).",
				name(id), hostile.Inline(other.Provider), hostile.Inline(other.Model), other.Replies))
		}
	}
	for _, id := range seats {
		if at := s.PromptCut(id); at != "" {
			words = append(words, fmt.Sprintf("The server of %s seems to have left out a part of the prompt of %s and of later ones: "+
				"it counted fewer tokens than of a shorter one before.", name(id), at))
		}
	}
	if d := s.Diversity(); d != nil {
		of := "one family"
		if n := len(d.Families); n > 1 {
			of = fmt.Sprintf("%d families", n)
		}
		words = append(words, fmt.Sprintf("The council had %d models of %s: %s.", d.Models, of, hostile.Inline(strings.Join(d.Families, ", "))))
	}
	return words
}
