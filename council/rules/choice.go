package rules

import (
	"maps"
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// errRanking is why a ranking is refused.
var errRanking = badReply("a ranking names each option once, and %s", council.NoneOfThese)

// rankPosition holds the ranking of a sealed position against the options, and takes the first as its stance.
func (s *Session) rankPosition(b *council.Position) error {
	options := s.charter.Options
	if len(options) == 0 {
		b.Ranking, b.UnreadRanking, b.Stance = nil, nil, s.stanceOf(b.Stance)
		return nil
	}
	b.Stance = b.Ranking.First()
	if _, ok := b.Ranking.Of(options); !ok {
		return errRanking
	}
	return nil
}

// countRankings counts rankings under the rule of d, which has counted the members without one.
func (s *Session) countRankings(options []string, ranks map[council.MemberID]quorum.Ranking, d council.Decision,
) (council.Decision, quorum.Choice) {
	var ballots []quorum.Ranking
	for _, m := range s.seats {
		if ranking, voted := ranks[m]; voted {
			ballots = append(ballots, ranking)
		}
	}
	chosen := d.Rule.Choose(len(options), ballots)
	d.Result = chosen.Result
	d.Count.Yes, d.Count.No = chosen.Votes()
	d.Count.Abstain = len(ballots) - d.Count.Yes - d.Count.No
	d.Of = d.Rule.Of(d.Count)
	d.Needed = d.Rule.Needed(d.Of)
	return d, chosen
}

// ranksOptions reports whether the phase under way ranks options when its debate ends.
func (s *Session) ranksOptions() bool { return len(s.charter.OptionsOf(s.phase)) > 0 }

// optionPayload checks an option that a turn adds, with its reasons.
func (s *Session) optionPayload(
	m council.MemberID, answered council.Answered, t council.Turn,
) (council.Payload, error) {
	options, may := s.charter.OptionsAt(s.phase, s.added, answered.AsOf, m)
	if !may {
		return nil, badReply("no option can be added")
	}
	if _, problem := council.OptionProblem(append(options, t.Option)); problem != "" {
		return nil, badReply("the option: %s", problem)
	}
	return council.ContributionMade{
		Answered: answered, Message: t.Message, Option: t.Option, Cites: s.firstCited(answered, t.Message),
	}, requireText("message", t.Message)
}

// setSides notes who voted with the result of a choice: members that rank the chosen option first, or, without one,
// none of these.
func (v *vote) setSides(c *quorum.Choice) {
	if c == nil {
		return
	}
	first, with, against := len(c.Prefers)-1, council.ChoiceNo, council.ChoiceYes
	if c.Chosen != nil {
		first, with, against = *c.Chosen, council.ChoiceYes, council.ChoiceNo
	}
	for m, ranking := range v.ranks {
		v.choices[m] = against
		if len(ranking) > 0 && slices.Contains(ranking[0], first) {
			v.choices[m] = with
		}
	}
}

// newBaseline counts the sealed positions as if they were ballots; nil where none names an answer.
func (s *Session) newBaseline() council.Payload {
	b := council.Baseline{}
	options := s.charter.Options
	ranks, free := map[council.MemberID]quorum.Ranking{}, len(options) == 0
	var named []council.Stance
	for _, e := range s.log {
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
	}
	if free {
		options = make([]string, len(named))
	}
	ranked := func(r quorum.Ranking) bool { return len(r) > 0 }
	if !slices.ContainsFunc(slices.Collect(maps.Values(ranks)), ranked) {
		return nil
	}
	absent := quorum.Count{Absent: len(s.seats) - s.sealed}
	b.Decision, b.Choice = s.countRankings(options, ranks, s.countBallots(s.charter.DecidingPhase().Governance, absent))
	return b
}
