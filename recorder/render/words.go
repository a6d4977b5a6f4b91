package render

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/recorder/anchor"
	"github.com/council-engine/council/recorder/wire"
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
		role = hostile.Inline(clip(hostile.Line(m.Role), 80))
	}
	if s.Leader != nil && s.Leader.Member == id {
		role = strings.TrimPrefix(role+", leader", ", ")
	}
	if role == "" {
		return s.name(id)
	}
	return s.name(id) + " (" + role + ")"
}

// session adds to the minutes the words in which they are told.
type session struct {
	minutes.Minutes
	tree  anchor.Tree // over the events so far
	shown map[*minutes.Draft]string
}

// rehearsalNote says in every artifact that no model spoke.
const rehearsalNote = "No model was asked. Every member was the built-in rehearsal, which speaks from the topic and " +
	"the documents by fixed rules."

// take folds in the next entry of the log.
func (s *session) take(e wire.Entry) {
	s.Take(e.Event, minutes.Recorded{Session: e.Session, At: e.Time, Forgotten: e.Forgotten})
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

// draftFile returns the name of the draft's file, and the SHA-256 of what it holds. Both are empty when there is none,
// because the words were forgotten.
func (s *session) draftFile(d *minutes.Draft) (name, sha256 string) {
	if d.Erased {
		return "", ""
	}
	return fmt.Sprintf("documentation.draft.v%d.md", d.Version), council.Digest(s.markdown(d))
}

// reviewName returns the name of the file on why the draft was not approved.
func reviewName(d *minutes.Draft) string {
	return fmt.Sprintf("documentation.review.v%d.json", d.Version)
}
