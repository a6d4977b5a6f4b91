package rules

import (
	"slices"
	"strconv"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// MinConfidence is the least confidence at which a sealed position counts as settled, where only contested questions
// are debated.
const MinConfidence = 0.8

// election is the choice of the leader, with the sealed positions before it.
type election struct {
	*record
	votes   map[council.MemberID]int
	invalid int            // votes that were invalid
	absent  int            // members without a vote
	sealed  int            // positions
	stance  council.Stance // of the first position
	differ  bool           // a member sealed another stance than the first, none, or is not sure
	retries int            // how often all positions were asked for anew
	ranking []council.MemberID
}

// begin puts the first questions. They are put again after memory was recalled, and after a suspension because no
// position was usable.
func (l *election) begin() step {
	l.votes, l.invalid, l.absent = map[council.MemberID]int{}, 0, 0
	if !l.charter.Deliberation.SealedPositions {
		return l.call()
	}
	place := ""
	if l.retries > 0 {
		place = "o" + strconv.Itoa(l.retries+1) + "."
	}
	return l.ask(council.AskPosition, place, l.seats...)
}

// call asks for votes for a leader, or counts those that the positions named.
func (l *election) call() step {
	if l.charter.Deliberation.ElectWithPositions {
		return l.countVotes()
	}
	l.votes, l.invalid, l.absent = map[council.MemberID]int{}, 0, 0
	return l.ask(council.AskNominate, "", l.seats...)
}

// positionPayload checks a sealed position, with its ranking of the options, of which the first is its stance.
func (l *election) positionPayload(answered council.Answered, b council.Position) (council.Payload, error) {
	if !(b.Confidence >= 0 && b.Confidence <= 1) {
		return nil, badReply("confidence must lie between 0 and 1")
	}
	if !l.charter.Deliberation.ElectWithPositions || !slices.Contains(l.seats, b.CandidateID) {
		b.CandidateID = ""
	}
	if options := l.charter.Options; len(options) == 0 {
		b.Ranking, b.UnreadRanking, b.Stance = nil, nil, l.stanceOf(b.Stance)
	} else if _, ok := b.Ranking.Of(options); !ok {
		return nil, errRanking
	} else {
		b.Stance = b.Ranking.First()
	}
	return council.PositionSealed{Answered: answered, Position: b}, requireText("position", b.Position)
}

func (l *election) addPosition(p council.Position) {
	l.sealed++
	stance := council.StanceOf(p.Stance)
	if l.sealed == 1 {
		l.stance = stance
	}
	l.differ = l.differ || stance == "" || stance != l.stance || p.Confidence < MinConfidence
	if p.CandidateID == "" {
		l.invalid++
	} else {
		l.votes[p.CandidateID]++
	}
}

// openPositions opens the positions. Where no answer was usable there is nothing to deliberate on, and the session is
// suspended before more is paid for.
func (l *election) openPositions() step {
	if l.sealed == 0 {
		return due(council.SessionSuspended{Fault: council.Fault{
			Kind: council.FaultUnusable, Message: "no member gave a usable position",
		}})
	}
	agreed := l.charter.Deliberation.ContestedOnly && l.sealed == len(l.seats) && !l.differ
	return due(council.PositionsOpened{Sealed: l.sealed, Absent: len(l.seats) - l.sealed, Agreed: agreed})
}

// countBaseline counts the sealed positions as if they were ballots; it goes on with the election where none names an
// answer.
func (l *election) countBaseline() step {
	b := council.Baseline{}
	options := l.charter.Options
	ranks, free, ranked := map[council.MemberID]quorum.Ranking{}, len(options) == 0, false
	var named []council.Stance
	for _, e := range l.log {
		p, ok := e.Payload.(council.PositionSealed)
		stance := council.StanceOf(p.Stance)
		switch at := slices.Index(named, stance); {
		case !ok:
		case !free:
			ranks[e.Actor], _ = p.Ranking.Of(options)
		case stance == "":
			ranks[e.Actor] = nil
		case at < 0:
			ranks[e.Actor] = quorum.Ranking{{len(named)}}
			named, b.Held = append(named, stance), append(b.Held, []council.MemberID{e.Actor})
		default:
			ranks[e.Actor] = quorum.Ranking{{at}}
			b.Held[at] = append(b.Held[at], e.Actor)
		}
		ranked = ranked || len(ranks[e.Actor]) > 0
	}
	if !ranked {
		return l.call()
	}
	if free {
		options = make([]string, len(named))
	}
	b.Decision, b.Choice = l.countRankings(l.charter.DecidingPhase().Governance, options, ranks,
		quorum.Count{Absent: len(l.seats) - l.sealed})
	return due(b)
}

// countVotes makes the result of the election due: the members ranked by votes, equals by lot.
func (l *election) countVotes() step {
	ranking := l.drawOrder("election", l.seats)
	slices.SortStableFunc(ranking, func(a, b council.MemberID) int { return l.votes[b] - l.votes[a] })
	result := council.LeaderElected{Leader: ranking[0], Tie: l.votes[ranking[0]] == l.votes[ranking[1]],
		Invalid: l.invalid, Absent: l.absent, Ranking: ranking}
	for _, m := range ranking {
		if l.votes[m] > 0 {
			result.Votes = append(result.Votes, council.CandidateVotes{Candidate: m, Votes: l.votes[m]})
		}
	}
	return due(result)
}
