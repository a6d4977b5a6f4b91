package render

import (
	"regexp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/recorder/wire"
)

// derived matches the name of every file that is rendered from a log.
var derived = regexp.MustCompile(`^(transcript\.md|session\.json|leader-summary\.md|minority-report\.md|` +
	`documentation(\.draft\.v\d+|\.unapproved)?\.md|documentation\.(review\.v\d+|unresolved-blockers)\.json|execution-handoff\.json)$`)

// Derived reports whether a file of that name can be rendered from some log. Only such files are ever removed.
func Derived(name string) bool { return derived.MatchString(name) }

// Due reports whether an event leaves something that a person may be waiting for: a draft, or a session that stands
// still. In between the transcript says it all, and what was written before each draft comes with it.
func Due(e council.Event) bool {
	switch e.Payload.(type) {
	case council.DraftWritten, council.SessionSuspended, council.SessionClosed, council.SessionAdjourned,
		council.BriefAmended, council.ExecutionApproved, council.ExecutionRejected, council.ExecutionStarted,
		council.ExecutionFinished:
		return true
	}
	return false
}

// Standing reads from a log why the session is suspended, or what it came to; neither while it goes on.
func Standing(entries []wire.Entry) (*council.Fault, *council.Outcome) {
	var suspended *council.Fault
	for _, e := range entries {
		switch p := e.Payload.(type) {
		case council.SessionSuspended:
			suspended = &p.Fault
		case council.SessionResumed, council.SessionAdjourned:
			suspended = nil
		case council.SessionClosed:
			return nil, &p.Outcome
		}
	}
	return suspended, nil
}
