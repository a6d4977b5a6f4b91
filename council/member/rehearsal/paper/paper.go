// Package paper writes what outlasts a debate: the document with its ballots and reviews, the summary, and dissents.
package paper

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member/rehearsal/mind"
)

// writer is a member with the record before it.
type writer struct{ *mind.Mind }

// Draft writes the next version of the document, in Markdown, with its answers to the open blockers.
func Draft(m *mind.Mind) string { return writer{m}.draft() }

// Ballot votes on the draft of the view, which must have one.
func Ballot(m *mind.Mind) council.Ballot { return writer{m}.ballot() }

// Review says what stands between the member and its approval of the draft.
func Review(m *mind.Mind) council.Review { return writer{m}.review() }

// Summary is the leader's account of the deliberation.
func Summary(m *mind.Mind) council.Summary { return writer{m}.summary() }

// Dissent is what a member has to say that did not vote with the side that prevailed; empty when it got what it wanted in the end.
func Dissent(m *mind.Mind) council.Dissent { return writer{m}.dissent() }
