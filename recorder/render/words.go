package render

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/wire"
)

// session adds to the minutes the words in which they are told.
type session struct {
	minutes.Minutes
	tree  anchor.Tree // over the events so far
	shown map[*minutes.Draft]string

	section string       // of the transcript that is under way, so that its heading is written once
	written bytes.Buffer // what is told of the event under way
}

// rehearsalNote stands in every artifact of a session in which no model was asked.
const rehearsalNote = "No model was asked. Every member was the built-in rehearsal, which speaks from the topic and " +
	"the documents by fixed rules."

// Name returns a member's name, or its id where it has none that can be shown.
func (s *session) Name(id council.MemberID) markdown {
	if m := s.Started.Charter.Asked(id); m != nil {
		if name := inline(m.Name); name != "" {
			return name
		}
	}
	return inline(id)
}

// CouncilName returns the name of the council, or "Council".
func (s *session) CouncilName() markdown {
	if name := inline(s.Started.Charter.CouncilName); name != "" {
		return name
	}
	return "Council"
}

// MotionTitle returns the title of a motion between quotation marks.
func (s *session) MotionTitle(id council.MotionID) markdown {
	if m := s.Motion(id); m != nil {
		return markdown(quoted(m.Title, 160))
	}
	return "motion " + inline(id)
}

// Titles returns the titles of motions, each between quotation marks.
func (s *session) Titles(ids []council.MotionID) markdown {
	var all []string
	for _, id := range ids {
		all = append(all, string(s.MotionTitle(id)))
	}
	return markdown(strings.Join(all, ", "))
}

// VisitNumber returns the number of the phase visit that is under way or ended last; 0 before the first.
func (s *session) VisitNumber() int {
	if v := s.Visit(); v != nil {
		return v.Visit
	}
	return 0
}

// EverCarried reports whether a motion was carried in any phase.
func (s *session) EverCarried() bool {
	return slices.ContainsFunc(s.Motions, func(m *minutes.Motion) bool { return m.Status == minutes.MotionCarried })
}

// take folds in the next entry of the log.
func (s *session) take(e wire.Entry) {
	s.Take(e.Event, recorded(e))
	s.tree.Grow(e)
}

// header begins every JSON artifact.
func (s *session) header() Header {
	h := Header{Format: Format, SessionID: s.Session, Rehearsal: s.Rehearsed()}
	if h.Rehearsal {
		h.Note = rehearsalNote
	}
	return h
}

// markdown returns what the draft's file holds: the words that were voted on, with nothing in them that acts when it is
// shown.
func (s *session) markdown(d *minutes.Draft) string {
	text, ok := s.shown[d]
	if !ok {
		if s.shown == nil {
			s.shown = map[*minutes.Draft]string{}
		}
		text = hostile.Document(d.Markdown)
		s.shown[d] = text
	}
	return text
}

// reviewName returns the name of the file on why the draft was not approved.
func reviewName(d *minutes.Draft) string {
	return fmt.Sprintf("documentation.review.v%d.json", d.Version)
}

// draftShown describes the file of a draft.
type draftShown struct {
	Name, SHA256 string
	Altered      bool // it differs from what was voted on: HTML, images and links are shown as text
}

// FileOf describes the file of a draft. There is none when its words were forgotten.
func (s *session) FileOf(d *minutes.Draft) draftShown {
	if d.Erased {
		return draftShown{}
	}
	text := s.markdown(d)
	return draftShown{fmt.Sprintf("documentation.draft.v%d.md", d.Version), council.Digest(text), text != d.Markdown}
}
