package render

import (
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/render/cited"
	"github.com/council-engine/council/recorder/render/looked"
	"github.com/council-engine/council/recorder/render/receipt"
	"github.com/council-engine/council/recorder/render/story"
	"github.com/council-engine/council/recorder/render/withheld"
	"github.com/council-engine/council/recorder/render/wording"
)

// name is a member's name, to be put within Markdown.
func (s *session) name(id council.MemberID) string {
	if m := s.Started.Charter.Member(id); m != nil {
		if name := hostile.Inline(m.Name); name != "" {
			return name
		}
	}
	return hostile.Inline(string(id))
}

// speaker is a member's name and role, to be put within Markdown.
func (s *session) speaker(id council.MemberID) string {
	role := ""
	if m := s.Started.Charter.Member(id); m != nil {
		role = hostile.Inline(wording.Cut(hostile.Line(m.Role), 80))
	}
	if s.Leader != nil && s.Leader.Member == id {
		role = strings.TrimPrefix(role+", leader", ", ")
	}
	if role == "" {
		return s.name(id)
	}
	return s.name(id) + " (" + role + ")"
}

// session adds to a story the words in which it is told.
type session struct {
	story.Story
	tree  anchor.Tree   // over the events so far
	cited cited.Account // what members cite

	receipt  receipt.Fold  // what deliberating changed
	withheld withheld.Fold // what was taken out of texts
	lookups  looked.Tally
}
