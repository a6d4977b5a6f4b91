package render

import (
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// maxUnfounded bounds the citations that the transcript lists at its end.
const maxUnfounded = 100

// citedNote says what the marks behind citations are, where there are any.
func (s *session) citedNote() string { return s.noteFor(s.MarksCitations()) }

func (s *session) noteFor(on bool) string {
	if !on {
		return ""
	}
	return " What stands in ⟨ ⟩ behind a citation is the recorder's too: the citation did not hold when it was written. The end of the minutes lists them."
}

// writeUnfounded lists what did not hold of what members cited. What a member writes into its own words cannot add to
// it.
func (t *Transcript) writeUnfounded(p *page) {
	s := &t.session
	bad := s.Unfounded()
	if len(bad) == 0 {
		return
	}
	p.heading(3, "Citations that did not hold", 0)
	var rows [][]string
	for _, u := range bad[:min(len(bad), maxUnfounded)] {
		rows = append(rows, []string{s.name(u.Member), u.Event, hostile.Inline(clip(hostile.Line(u.Citation), 160)), u.Fault})
	}
	p.table([]string{"Member", "Event", "Cited", "Why"}, rows)
	if left := len(bad) - maxUnfounded; left > 0 {
		p.say("%s more in [session.json](session.json).", plural.Thousands(left))
	}
}
