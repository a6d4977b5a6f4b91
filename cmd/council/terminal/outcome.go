package terminal

import (
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
)

// Report is what a person is told of what a session came to, and of the brief that they may rule on.
type Report struct {
	*minutes.Minutes
	ID       council.SessionID
	Brief    council.Brief // which may be to take the place of the session's
	SHA256   string        // of the brief; "": there is none
	Rejected *council.ExecutionRuling
	Command  func(verb string) string // the command line of a verb on the session
}

// Tell returns parts of the report, with the marks that [Paint] takes: "outcome" of a closed session and "next", what
// to do; "head", "drafts", "brief" and "rejection". Words of others cannot be taken for ours.
func (r Report) Tell(parts ...string) string {
	var text strings.Builder
	for _, part := range parts {
		text.WriteString(worded(part, r))
	}
	return text.String()
}

// Name returns a member's name.
func (r Report) Name(id council.MemberID) string { return Name(&r.Started.Charter, id) }

// Lists returns the lists of the brief, each with its title.
func (r Report) Lists() any {
	type list struct {
		Title string
		Lines []string
	}
	steps, risks, criteria := r.Brief.Told()
	return []list{{"Steps", steps}, {"Risks", risks}, {"Accepted when", criteria}}
}

// Since describes in plain text what the view's member may know of the events after the given one.
func Since(v council.View, after council.Seq) string {
	var lines []string
	var kept seal
	story := teller{v.Charter, &minutes.Minutes{}}
	for _, e := range v.Events {
		story.minutes.Take(e, minutes.Recorded{})
		lines = append(lines, kept.told(e, story.tell(e))...)
		if e.Seq <= after {
			lines = nil
		}
	}
	return hostile.Terminal(strings.Join(lines, "\n"))
}

// seal keeps back what is secret until all have answered: a member may sit before the terminal.
type seal struct{ kept []string }

// told returns what may be shown now that an event has been told.
func (s *seal) told(e council.Event, text string) []string {
	var lines []string
	if e.Opens() {
		lines, s.kept = s.kept, nil
	}
	switch {
	case text == "":
	case e.Sealed():
		s.kept = append(s.kept, text)
	default:
		lines = append(lines, text)
	}
	return lines
}
