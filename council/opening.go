package council

import (
	"slices"
	"strings"
)

// checkOpening says why a session cannot begin like this, or nil.
func checkOpening(p SessionStarted) error {
	if p.Rules != RulesVersion {
		return &CharterError{Pointer: "/rules", Problem: "the session was opened under other rules than this version of council follows"}
	}
	if p.Session == "" {
		return &CharterError{Pointer: "/session", Problem: "the session has no id"}
	}
	if strings.TrimSpace(p.Topic.Text) == "" {
		return &CharterError{Pointer: "/topic/text", Problem: "the topic is empty"}
	}
	for _, d := range p.Topic.Documents {
		if Digest(d.Text) != d.SHA256 {
			return &CharterError{Pointer: "/topic/documents", Problem: "document " + d.Name + " is not what its SHA-256 says"}
		}
	}
	return p.Charter.Check()
}

func (s *Session) takeStarted(p SessionStarted) {
	s.id, s.topic, s.charter = p.Session, p.Topic, p.Charter
	s.seats, s.budget = s.charter.Seats(), s.charter.Budget
	s.execution = ExecutionNotRequired
	if s.charter.Deliberation.SealedPositions {
		s.put(AskPosition, s.seats...)
		return
	}
	s.callElection()
}

func (s *Session) callElection() {
	s.votes = map[MemberID]int{}
	s.put(AskNominate, s.seats...)
}

func (s *Session) takeOpening(e Event) {
	switch p := e.Payload.(type) {
	case PositionSealed:
		s.sealed++
		s.settlePosition(e.Actor)
	case PositionsOpened:
		s.callElection()
	case LeaderBallotCast:
		s.votes[p.CandidateID]++
		s.settleNomination(e.Actor)
	case LeaderElected:
		s.leader, s.succession = p.Leader, p.Ranking[1:]
		s.enterPhase(s.charter.SessionPolicy.EntryPhaseID, "")
	case LeaderSucceeded:
		s.leader, s.succession = p.To, s.succession[1:]
		s.put(s.handover, s.leader)
	}
}

func (s *Session) settlePosition(m MemberID) {
	if s.open.settle(m) {
		s.owe(PositionsOpened{Sealed: s.sealed, Absent: len(s.seats) - s.sealed})
	}
}

func (s *Session) settleNomination(m MemberID) {
	if s.open.settle(m) {
		s.owe(s.countElection())
	}
}

// countElection ranks the members by votes; among equals the earlier seat comes first.
func (s *Session) countElection() LeaderElected {
	ranking := slices.Clone(s.seats)
	slices.SortStableFunc(ranking, func(a, b MemberID) int { return s.votes[b] - s.votes[a] })
	result := LeaderElected{
		Leader:  ranking[0],
		Tie:     s.votes[ranking[0]] == s.votes[ranking[1]],
		Invalid: s.badBallots,
		Absent:  s.noBallots,
		Ranking: ranking,
	}
	for _, m := range ranking {
		if s.votes[m] > 0 {
			result.Votes = append(result.Votes, CandidateVotes{Candidate: m, Votes: s.votes[m]})
		}
	}
	return result
}

// succeed asks the next in line what the leader could not answer. It reports false when nobody is left.
func (s *Session) succeed(because AskID) bool {
	if len(s.succession) == 0 {
		return false
	}
	s.owe(LeaderSucceeded{From: s.leader, To: s.succession[0], Because: because})
	return true
}
