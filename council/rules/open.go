package rules

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// askOf returns the question that a fault answered.
func askOf(p council.MemberFaulted) council.Ask {
	return council.Ask{ID: p.Ask, Kind: p.Kind, Member: p.Ask.Member(), AsOf: p.AsOf}
}

// mayStayOpen reports whether an ask is for a ballot at the pace auto, and not to a person, who is always awaited.
func (p *poll) mayStayOpen(a council.Ask) bool {
	m := p.charter.Member(a.Member)
	ballot := a.Kind == council.AskRank || a.Kind == council.AskBallot || a.Kind == council.AskPosition &&
		p.leader == "" && len(p.charter.Options) > 0
	return p.charter.IsAuto() && ballot && m != nil && !m.Model.Kind().Person
}

// settled reports whether no ballot that is still out could change the result once others are in, so that none needs to
// be awaited. Only ballots of rounds and on documents at the pace auto are left out, and no person's.
func (s *Session) settled() bool {
	out := s.open.out
	awaited := func(a council.Ask) bool {
		return !s.poll.mayStayOpen(a) || a.Kind != council.AskBallot && s.visit.round == 0
	}
	if len(out) == 0 || len(out) == len(s.open.asks) || s.suspended != nil || slices.ContainsFunc(out, awaited) {
		return false
	}
	return !s.poll.canChange(slices.Concat(out, council.Map(s.open.deferred, askOf)))
}

// Settled reports whether the ballots that are still out could not change the result any more once these replies to
// open asks are recorded. The others may then be answered by faults of the kind not-awaited.
func (s *Session) Settled(replies []council.Reply) bool {
	if len(replies) == 0 || !s.charter.IsAuto() {
		return s.settled()
	}
	then, _ := Replay(Log(s.log...)) // which was applied before
	for _, r := range replies {      // one that is refused counts as still out
		if e, err := then.Answer(r); err == nil && then.Apply(e) != nil {
			return false
		}
	}
	return then.settled()
}

// closeOpen looks at the open ballots once all others are in. If no completion of them could change the result,
// they are absent and their members are not asked again; else the session is suspended, and they are asked for
// after it.
func (s *Session) closeOpen() step {
	open := slices.DeleteFunc(slices.Clone(s.open.deferred), func(p council.MemberFaulted) bool {
		return s.Excluded(p.Ask.Member())
	})
	asks := council.Map(open, askOf)
	if len(open) > 0 && s.poll.canChange(asks) {
		return step{due: council.SessionSuspended{Fault: open[0].Fault}, asks: asks}
	}
	for _, a := range asks {
		s.poll.gone = append(slices.Clip(s.poll.gone), a.Member)
	}
	return step{}
}

// canChange reports whether the open ballots could change the answer that is carried, or whether the draft is.
func (p *poll) canChange(open []council.Ask) bool {
	n := len(open)
	switch open[0].Kind {
	case council.AskBallot:
		rule, count := p.charter.DraftGovernance().Rule(len(p.seats)), p.vote.count
		count.Absent = len(p.seats) - count.Valid() - count.Invalid - n // of all that are not asked any more
		all, none := count, count
		all.Yes, none.No, count.Absent = count.Yes+n, count.No+n, count.Absent+n
		return rule.Decide(all) != rule.Decide(none) || rule.Decide(none) != rule.Decide(count)
	case council.AskPosition:
		var ballots []quorum.Ranking
		for _, b := range council.Payloads[council.PositionSealed](p.log) {
			if ranking, _ := b.Ranking.Of(p.charter.Options); len(ranking) > 0 {
				ballots = append(ballots, ranking)
			}
		}
		return p.charter.DecidingPhase().Governance.Rule(len(p.seats)).CanChange(len(p.charter.Options), ballots, n)
	}
	return p.visit.phase.Governance.Rule(len(p.voters())).CanChange(len(p.answers), ballotsOf(p.voters(), p.vote.ranks), n)
}
