package terminal

import (
	"fmt"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/internal/plural"
)

// Decision describes what a session decided, with the votes.
func Decision(o council.Outcome) string {
	if len(o.Resolutions) == 0 {
		how := "The council did not reach a resolution"
		if o.Ended == council.SessionCutShort {
			how += "; it was adjourned"
		}
		how += "."
		if words := o.Undecided.Words(); words != "" {
			how += "\n      " + Words(words)
		}
		return how
	}
	var lines []string
	for _, r := range o.Resolutions {
		how := "Resolved, " + r.Count().Words()
		if r.Ranked {
			how = fmt.Sprintf("Chosen, ranked above none of these by %d of %s", r.Yes,
				plural.Things(r.Count().Valid(), "ballot"))
		}
		lines = append(lines, fmt.Sprintf("%s: %s\n      %s", how, Words(r.Title), Words(r.Decision)))
	}
	return strings.Join(lines, "\n")
}

// Document describes what became of the document; "" where none was asked for.
func Document(o council.Outcome) string {
	switch o.Documentation {
	case council.DocumentationMissing:
		return "A document was asked for, and nobody could draft one."
	case council.DocumentationApproved:
		return fmt.Sprintf("The document was approved (draft %d).", o.Draft.Version)
	case council.DocumentationUnapproved:
		return fmt.Sprintf("The document was not approved: draft %d failed too. Its blockers are in "+
			"documentation.unresolved-blockers.json.", o.Draft.Version)
	}
	return ""
}

// Unanswered counts the critical blockers that the draft leaves unanswered; "" where it leaves none.
func Unanswered(open minutes.Unmet) string {
	if len(open.Blockers) == 0 {
		return ""
	}
	return fmt.Sprintf("The draft leaves %s unanswered.", plural.Things(len(open.Blockers), "critical blocker"))
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
