package rules

import (
	"slices"
	"strconv"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
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

// callReview asks for blockers from all members that did not approve.
func (s *Session) callReview() {
	s.blockers = s.draft.Lacks()
	reviewers := s.membersWhere(func(m council.MemberID) bool { return s.vote.choices[m] != council.ChoiceYes })
	if len(reviewers) == 0 {
		s.callRevision()
		return
	}
	s.openAsks(council.AskReview, reviewers...)
}

// callRevision asks for the next version, or gives up when the charter allows no more or there is no blocker.
func (s *Session) callRevision() {
	if s.version > s.charter.DocumentationReview.MaxRevisionRounds || len(s.blockers) == 0 {
		s.callDissent()
		return
	}
	s.version++
	s.askLeader(council.AskDraft)
}

// mayBlock reports whether a member may raise blockers against the approved draft with its dissent.
func (s *Session) mayBlock(m council.MemberID) bool {
	return s.approved && s.draftVote.choices[m] != council.ChoiceYes
}

// callDissent offers those who did not vote with the side that prevailed in a vote that decided a bounded opinion of
// their own.
func (s *Session) callDissent() {
	dissenters := s.membersWhere(s.canDissent)
	if len(dissenters) == 0 {
		s.closeSession()
		return
	}
	s.openAsks(council.AskDissent, dissenters...)
}

// canDissent reports whether a member voted against something that the session decided, or did not.
func (s *Session) canDissent(m council.MemberID) bool {
	against := func(r resolved) bool { return r.vote.canDissent(m) }
	return slices.ContainsFunc(s.decided, against) || s.lost.canDissent(m) || s.draftVote.canDissent(m)
}

func (s *Session) closeSession() {
	rehearsed := s.charter.Rehearsing() > 0
	outcome := council.Outcome{
		Ended: council.SessionCompleted, Leader: s.leader, Decided: len(s.decided) > 0 && !rehearsed, Rehearsed: rehearsed,
		Documentation: s.documentStatus(), Undecided: s.undecided,
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
	s.setDue(council.SessionClosed{Outcome: outcome})
}

func (s *Session) documentStatus() council.DocumentationStatus {
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

// checkAssessment holds the leader's assessment against the charter and the record. A claim counts only where it cites
// something that exists; everything else is missing.
func (s *Session) checkAssessment(end *council.PhaseEnded) {
	if !assesses(s.phase) {
		return
	}
	var a council.Assessment
	if s.assessment != nil {
		a = *s.assessment
	}
	cites := s.citableInPhase()
	cites.check(a.Citations)
	for _, d := range s.phase.Deliverables {
		f := newFinding(d.ID, d.Required, findClaim(a.Deliverables, d.ID), &cites)
		end.Deliverables = append(end.Deliverables, f)
		if f.Required && f.Status == council.FindingMissing {
			end.Missing = append(end.Missing, "deliverable "+d.ID)
		}
	}
	for i, gate := range s.phase.QualityGates {
		f := newFinding(gate, true, findClaim(a.QualityGates, gate, "gate-"+strconv.Itoa(i+1)), &cites)
		end.QualityGates = append(end.QualityGates, f)
		if f.Status == council.FindingMissing {
			end.Missing = append(end.Missing, "quality gate: "+gate)
		}
	}
	need := s.phase.EvidenceRequirements
	if n := len(cites.good); n < need.MinCitations {
		end.Missing = append(end.Missing, "citations: "+strconv.Itoa(n)+" of "+strconv.Itoa(need.MinCitations))
	}
	if need.RequireExplicitAssumptions && len(a.Assumptions) == 0 {
		end.Missing = append(end.Missing, "explicit assumptions")
	}
	if need.RequireRiskRegister && len(a.Risks) == 0 {
		end.Missing = append(end.Missing, "risk register")
	}
	end.BadCites = cites.bad
}

func findClaim(claims []council.Claim, names ...string) council.Claim {
	for _, c := range claims {
		for _, name := range names {
			if strings.EqualFold(normalizeName(c.ID), normalizeName(name)) {
				return c
			}
		}
	}
	return council.Claim{}
}

// normalizeName returns a claim's name without marks at its ends and with single spaces.
func normalizeName(name string) string {
	return strings.Join(strings.Fields(strings.Trim(name, " \t\n.;:!*\"'`“”")), " ")
}

func newFinding(id string, required bool, c council.Claim, cites *citations) council.Finding {
	f := council.Finding{ID: id, Status: council.FindingMissing, Required: required, Citations: cites.check(c.Citations)}
	if c.Met && len(f.Citations) > 0 {
		f.Status = council.FindingComplete
	}
	return f
}

// citations sorts the citations of an assessment by whether they exist.
type citations struct {
	given     *citation.Given
	at        citation.Moment
	good, bad []string // each once, in order of appearance
}

// citableInPhase prepares to check the citations of the phase's assessment.
func (s *Session) citableInPhase() citations {
	c := citations{given: citation.NewGiven(), at: citation.Moment{AsOf: council.Seq(len(s.log))}}
	for _, e := range s.log {
		c.given.Take(e)
		if p, ok := e.Payload.(council.PhaseAssessed); ok && s.charter.Deliberation.MarkCitations {
			c.at = citation.Moment{AsOf: p.AsOf, Event: e.Seq}
		}
	}
	return c
}

// check returns those of the given citations that exist.
func (c *citations) check(cited []string) []string {
	var exist []string
	for _, entry := range cited {
		for _, cite := range c.given.ParseEntry(entry, c.at) {
			list := &c.bad
			if cite.Fault == "" {
				list = &c.good
				exist = append(exist, cite.Text)
			}
			if !slices.Contains(*list, cite.Text) {
				*list = append(*list, cite.Text)
			}
		}
	}
	return exist
}
