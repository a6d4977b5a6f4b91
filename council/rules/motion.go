package rules

import (
	"slices"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// vote is one collection of ballots.
type vote struct {
	count   quorum.Count
	ranks   map[council.MemberID]quorum.Ranking // of a choice
	choices map[council.MemberID]council.Choice // of the valid ballots
	result  quorum.Result
}

// apart reports whether a member may dissent: of what carried, whoever did not vote YES on it, and of what was lost,
// whoever voted, and not NO.
func (v vote) apart(m council.MemberID) bool {
	choice := v.choices[m]
	return v.result == quorum.Carried && choice != council.ChoiceYes ||
		v.result == quorum.Lost && choice != council.ChoiceNo && choice != ""
}

// resolved is a motion that carried, with the vote on it.
type resolved struct {
	council.Resolution
	vote vote
}

func ids(stand []resolved) (motions []council.MotionID) {
	for _, r := range stand {
		motions = append(motions, r.Motion)
	}
	return motions
}

func (s *Session) takeMotion(e council.Event, p council.MotionMade) {
	s.spoke++
	s.moved++
	m := &council.Motion{
		ID: p.Motion, Mover: e.Actor, Title: p.MotionTitle, Text: p.MotionText, Decision: p.DecisionIfPass,
		Options: p.Options, Seq: e.Seq, Supersedes: p.Supersedes,
	}
	if s.together {
		s.table = append(s.table, m)
		s.settleTurn(e.Actor)
		return
	}
	s.putMotion(m)
}

// putMotion asks for a second and where everybody stands, or for the votes at once.
func (s *Session) putMotion(m *council.Motion) {
	s.motion, s.amending = m, amending{seconded: map[council.AmendmentID]bool{}}
	if g := s.phase.Governance; !g.RequireSeconding && !g.Debate {
		s.callVote()
		return
	}
	others := s.whoever(func(id council.MemberID) bool { return id != m.Mover })
	s.put(council.AskSecond, byLot(s.id, string(m.ID), others)...)
}

// takeTable goes on with the motions of a round that was held together: one as any other, several as a choice.
func (s *Session) takeTable() {
	switch len(s.table) {
	case 0:
		s.nextTurn()
	case 1:
		s.putMotion(s.table[0])
	default:
		put := council.ChoicePut{Motion: council.MotionID(s.roundID() + ".choice"), Options: council.MotionOptions(s.table)}
		for _, m := range s.table {
			put.Motions = append(put.Motions, m.ID)
		}
		s.owe(put)
	}
}

func (s *Session) takeDecision(d council.MotionDecided) {
	s.vote.result = d.Result
	s.vote.side(d.Choice)
	switch {
	case d.Result == quorum.Carried:
		replaced := func(r resolved) bool { return slices.Contains(s.chosen(d).Supersedes, r.Motion) }
		s.standing = append(slices.DeleteFunc(slices.Clone(s.standing), replaced), resolved{s.resolve(d), s.vote})
		s.decided, s.lost = s.standing, vote{}
	case d.Result == quorum.Lost && len(s.standing) == 0:
		s.decided, s.lost = nil, s.vote
	}
	atOnce := s.atOnce()
	s.disagree(d.Decision)
	switch {
	case d.Result == quorum.Carried && atOnce && s.early.agreed:
		s.closeDebate(council.EndUncontested)
	case d.Result == quorum.Carried && (s.phase.StopConditions.EndOnMajorityVote || s.ending != ""):
		s.closeDebate(council.EndMajorityVote)
	case s.ending != "":
		s.closeDebate(s.ending)
	default:
		s.nextTurn()
	}
}

// whoever returns the members of whom something holds, in seat order.
func (s *Session) whoever(holds func(council.MemberID) bool) []council.MemberID {
	return slices.DeleteFunc(slices.Clone(s.seats), func(m council.MemberID) bool { return !holds(m) })
}

// settleSecond notes one answer. The seconder is the first by lot who says yes; it is known as soon as all before it
// have answered, and whoever comes after is not needed any more, but for what it says in the debate.
func (s *Session) settleSecond(m council.MemberID, yes bool) {
	last := s.open.settle(m)
	if yes {
		s.vote.choices[m] = council.ChoiceYes
	}
	g := s.phase.Governance
	for i, a := range s.open.asks {
		if !s.open.done[i] || g.Debate && !last {
			break
		}
		if s.vote.choices[a.Member] == council.ChoiceYes {
			s.owe(council.MotionSeconded{Motion: s.motion.ID, Seconder: a.Member})
			return
		}
	}
	switch {
	case last && g.RequireSeconding:
		s.owe(council.MotionDied{Motion: s.motion.ID})
	case last:
		s.owe(council.MotionSeconded{Motion: s.motion.ID})
	}
}

// callVote puts the motion to the vote as it stands.
func (s *Session) callVote() {
	kind := council.AskBallot
	if len(s.motion.Options) > 0 {
		kind = council.AskRank
	}
	s.put(kind, s.seats...)
}

// takeBallot counts a valid ballot, on a motion or on a draft.
func (s *Session) takeBallot(m council.MemberID, p council.BallotCast) {
	s.vote.choices[m] = p.Ballot.Ballot
	switch p.Ballot.Ballot {
	case council.ChoiceYes:
		s.vote.count.Yes++
	case council.ChoiceNo:
		s.vote.count.No++
	case council.ChoiceAbstain:
		s.vote.count.Abstain++
	}
	s.settleBallot(m)
}

func (s *Session) settleBallot(m council.MemberID) {
	if !s.open.settle(m) {
		return
	}
	count := s.vote.count
	switch p := s.amending.pending; {
	case s.motion == nil:
		s.owe(council.DraftDecided{DraftRef: s.draft.DraftRef, Decision: s.decide(s.draftGovernance(), count)})
	case len(s.motion.Options) > 0:
		s.owe(s.decideChoice())
	case p != nil:
		vote := s.decide(s.phase.Governance, count)
		s.owe(council.AmendmentDecided{Motion: s.motion.ID, Amendment: p.ID, Vote: &vote})
	default:
		s.owe(council.MotionDecided{Motion: s.motion.ID, Decision: s.decide(s.phase.Governance, count)})
	}
}

// decide holds a count against a phase's governance.
func (s *Session) decide(g council.Governance, count quorum.Count) council.Decision {
	rule := g.Rule(len(s.seats))
	rule.Quorum = rule.Required()
	of := rule.Of(count)
	return council.Decision{Result: rule.Decide(count), Rule: rule, Count: count, Needed: rule.Needed(of), Of: of}
}

// chosen returns the motion that carried; of a choice with what was chosen: an option, or the motion of another member.
func (s *Session) chosen(d council.MotionDecided) council.Motion {
	m := *s.motion
	switch {
	case len(m.Of) > 0:
		m = *s.table[d.Choice.Winner]
	case d.Choice != nil:
		m.Decision = council.Chosen(m.Options, d.Choice)
	}
	return m
}

func (s *Session) resolve(d council.MotionDecided) council.Resolution {
	c, m := d.Count, s.chosen(d)
	return council.Resolution{
		Phase: s.phase.ID, Motion: s.motion.ID, Title: m.Title, Text: m.Text, Decision: m.Decision,
		Yes: c.Yes, No: c.No, Abstain: c.Abstain, Invalid: c.Invalid, Absent: c.Absent, Ranked: d.Choice != nil,
	}
}
