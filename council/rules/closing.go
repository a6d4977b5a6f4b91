package rules

import (
	"slices"
	"strconv"

	"github.com/council-engine/council/council"
)

// callDocument asks for the first draft, if the charter wants a document.
func (s *Session) callDocument() {
	if s.charter.Output.Type != council.OutputDocumentation {
		s.callDissent()
		return
	}
	s.version = 1
	s.askLeader(council.AskDraft)
}

// draftGovernance returns the rule for votes on drafts: the charter's own, else that of the last phase.
func (s *Session) draftGovernance() council.Governance {
	if g := s.charter.DocumentationReview.Governance; g != nil {
		return *g
	}
	return s.governance
}

// callReview asks everyone who did not approve what stands in the way.
func (s *Session) callReview() {
	s.blockers = nil
	reviewers := s.whoever(func(m council.MemberID) bool { return s.vote.choices[m] != council.ChoiceYes })
	if len(reviewers) == 0 {
		s.callRevision()
		return
	}
	s.put(council.AskReview, reviewers...)
}

// callRevision asks for the next version, or gives up when the charter allows no more or no member said what to change.
func (s *Session) callRevision() {
	if s.version > s.charter.DocumentationReview.MaxRevisionRounds || len(s.blockers) == 0 {
		s.callDissent()
		return
	}
	s.version++
	s.askLeader(council.AskDraft)
}

// mayBlock reports whether a member may say with its dissent what is wrong with the draft that was approved.
func (s *Session) mayBlock(m council.MemberID) bool {
	return s.approved && s.draftVote.choices[m] != council.ChoiceYes
}

// callDissent offers those who did not vote with the side that prevailed in a vote that decided a bounded opinion of
// their own.
func (s *Session) callDissent() {
	dissenters := s.whoever(s.apart)
	if len(dissenters) == 0 {
		s.close()
		return
	}
	s.put(council.AskDissent, dissenters...)
}

// apart reports whether a member stood against something that the session decided, or did not.
func (s *Session) apart(m council.MemberID) bool {
	against := func(r resolved) bool { return r.vote.apart(m) }
	return slices.ContainsFunc(s.decided, against) || s.lost.apart(m) || s.draftVote.apart(m)
}

// close makes the end due.
func (s *Session) close() {
	outcome := council.Outcome{
		Ended: council.SessionCompleted, Leader: s.leader, Decided: len(s.decided) > 0, Documentation: s.documentation(),
		Undecided: s.undecided,
	}
	for _, r := range s.decided {
		outcome.Resolutions = append(outcome.Resolutions, r.Resolution)
	}
	if s.adjourned {
		outcome.Ended = council.SessionCutShort
	}
	if s.draft != nil {
		ref := s.draft.DraftRef
		outcome.Draft = &ref
	}
	s.concludeExecution(&outcome)
	s.owe(council.SessionClosed{Outcome: outcome})
}

func (s *Session) documentation() council.DocumentationStatus {
	switch {
	case s.charter.Output.Type != council.OutputDocumentation:
		return council.DocumentationNone
	case s.draft == nil:
		return council.DocumentationMissing
	case s.approved:
		return council.DocumentationApproved
	}
	return council.DocumentationUnapproved
}

// numberBlockers gives each blocker an id that is unique in the session and names its member.
func (s *Session) numberBlockers(m council.MemberID, blockers []council.Blocker) []council.Blocker {
	numbered := slices.Clone(blockers)
	for i := range numbered {
		numbered[i].ID = "d" + strconv.Itoa(s.version) + "." + string(m) + ".b" + strconv.Itoa(i+1)
	}
	return numbered
}
