package cli

import (
	"github.com/council-engine/council/cmd/council/terminal"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/hostile"
	"github.com/council-engine/council/memory"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/trial"
)

// ReviewText returns parts of the report of a closed session, see [terminal.Report.Tell], within the width of the
// terminal.
func ReviewText(e *Env, r *run.Review, parts ...string) string {
	r.Minutes.Evaluated = trial.Evaluated(r.Root, r.Minutes)
	report := terminal.Report{Minutes: r.Minutes, ID: r.Session.ID(), SHA256: r.SHA256, Rejected: r.Rejected}
	if r.Brief != nil {
		report.Brief = *r.Brief
	}
	return hostile.Terminal(terminal.Fold(report.Tell(parts...), terminal.Columns(e.Width)))
}

// SaidLines describes a note to all members of a session.
func SaidLines(said run.Said, id council.SessionID) []string {
	lines := CutWords(said.Cut)
	if said.Event == 0 {
		lines = append(lines,
			terminal.Sprintf("Session %s is running. The note is kept, and recorded as soon as no question "+
				"is with a member. Each member is told it with its next question; should there be none, the session's end says so.",
				id))
	} else {
		lines = append(lines, terminal.Sprintf("The note is %s of session %s. Each member is told it with its next question.",
			said.Event.ID(), id), "Go on with: "+said.GoOn)
	}
	return lines
}

// RecordLine describes a record of memory on one line.
func RecordLine(r memory.Record) string {
	return terminal.Sprintf("%s: %s, %s. %s", r.ID, r.Kind.Words(), r.Status, r.Told())
}
