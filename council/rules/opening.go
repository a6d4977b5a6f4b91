package rules

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
)

// checkOpening returns why a session cannot begin like this, or nil.
func checkOpening(p council.SessionStarted) error {
	bad := func(pointer, problem string) error { return &council.CharterError{Pointer: pointer, Problem: problem} }
	if p.Rules != Version {
		return bad("/rules", "the session was opened under other rules than this version of council follows")
	}
	if p.Session == "" {
		return bad("/session", "the session has no id")
	}
	if strings.TrimSpace(p.Topic.Text) == "" {
		return bad("/topic/text", "the topic is empty")
	}
	for _, d := range p.Topic.Documents {
		if council.Digest(d.Text) != d.SHA256 {
			return bad("/topic/documents", "document "+d.Name+" is not what its SHA-256 says")
		}
	}
	if r := p.Topic.Reopens; r != nil {
		n := utf8.RuneCountInString(r.Because)
		given := func(name string) bool {
			return slices.ContainsFunc(p.Topic.Documents, func(d council.Document) bool { return d.Name == name })
		}
		switch {
		case r.Session == "" || r.Session == p.Session:
			return bad("/topic/reopens/session", "a session that is taken up again is another one, and has an id")
		case n > council.MaxNote || strings.TrimSpace(r.Because) == "":
			return bad("/topic/reopens/because", "a session is taken up again for a reason of 1 to 2,000 characters")
		case !given(r.Record) || r.Draft != "" && !given(r.Draft):
			return bad("/topic/reopens", "what is taken up again is not among the documents")
		}
	}
	if err := charter.Check(&p.Charter); err != nil {
		return err
	}
	if why := affordable(&p.Charter, p.Charter.Budget); why != "" {
		return bad("/budget", why)
	}
	return checkMemory(&p.Charter, p.Memory)
}

func (s *Session) takeStarted(p council.SessionStarted) {
	s.id, s.topic, s.charter, s.memory = p.Session, p.Topic, p.Charter, p.Memory
	s.seats, s.budget, s.reached = s.charter.Seats(), s.charter.Budget, s.charter
	s.callOpening()
}

// callOpening puts the first questions. What is recalled comes before them: they are put again, as of then; and so they
// are after a suspension because no position was usable.
func (s *Session) callOpening() {
	s.votes, s.badBallots, s.noBallots = map[council.MemberID]int{}, 0, 0
	if s.charter.Deliberation.SealedPositions {
		s.put(council.AskPosition, s.seats...)
		return
	}
	s.callElection()
}

// callElection asks for votes for a leader, or counts those that the positions named.
func (s *Session) callElection() {
	if s.charter.Deliberation.ElectWithPositions {
		s.countElection()
		return
	}
	s.votes, s.badBallots, s.noBallots = map[council.MemberID]int{}, 0, 0
	s.put(council.AskNominate, s.seats...)
}

// takeCandidate counts whom a position names as leader.
func (s *Session) takeCandidate(candidate council.MemberID) {
	if candidate == "" {
		s.badBallots++
		return
	}
	s.votes[candidate]++
}

// settlePosition opens the positions when all have answered. Where no answer was usable there is nothing to deliberate
// on, and the session is suspended before more is paid for.
func (s *Session) settlePosition(m council.MemberID) {
	switch {
	case !s.open.settle(m):
	case s.sealed == 0:
		s.owe(council.SessionSuspended{Fault: council.Fault{
			Kind: council.FaultUnusable, Message: "no member gave a usable position",
		}})
	default:
		s.owe(council.PositionsOpened{Sealed: s.sealed, Absent: len(s.seats) - s.sealed, Agreed: s.agree()})
	}
}

// countElection makes the result of the election due: the members ranked by votes, equals by lot.
func (s *Session) countElection() {
	ranking := byLot(s.id, "election", s.seats)
	slices.SortStableFunc(ranking, func(a, b council.MemberID) int { return s.votes[b] - s.votes[a] })
	result := council.LeaderElected{
		Leader:  ranking[0],
		Tie:     s.votes[ranking[0]] == s.votes[ranking[1]],
		Invalid: s.badBallots,
		Absent:  s.noBallots,
		Ranking: ranking,
	}
	for _, m := range ranking {
		if s.votes[m] > 0 {
			result.Votes = append(result.Votes, council.CandidateVotes{Candidate: m, Votes: s.votes[m]})
		}
	}
	s.owe(result)
}

// askLeader puts a question that only a leader is asked.
func (s *Session) askLeader(kind council.AskKind) { s.put(kind, s.leader) }

// standIn has the next in the ranking answer what m could not, for this question alone. It reports false if none is
// left.
func (s *Session) standIn(m council.MemberID, because council.AskID) bool {
	next := slices.Index(s.ranking, m) + 1
	if next == len(s.ranking) {
		return false
	}
	s.owe(council.LeaderSucceeded{From: m, To: s.ranking[next], Because: because})
	return true
}
