package rules

import (
	"slices"
	"strings"

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
	decides := s.charter.DecidesIn(s.phase.ID)
	switch {
	case d.Result == quorum.Carried:
		replaced := func(r resolved) bool { return slices.Contains(s.chosen(d).Supersedes, r.Motion) }
		s.standing = append(slices.DeleteFunc(slices.Clone(s.standing), replaced), resolved{s.resolve(d), s.vote})
		if decides {
			s.decided, s.lost = s.standing, vote{}
		}
	case d.Result == quorum.Lost && len(s.standing) == 0 && decides:
		s.lost = s.vote
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
		s.owe(council.DraftDecided{DraftRef: s.draft.DraftRef, Decision: s.decide(s.charter.DraftGovernance(), count)})
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

// chosen returns the motion that carried; of a choice with what was chosen: an option, or the motion of another
// member.
func (s *Session) chosen(d council.MotionDecided) council.Motion {
	m := *s.motion
	switch {
	case len(m.Of) > 0:
		m = *s.table[*d.Choice.Chosen]
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

// amending is what becomes of the amendments to a motion.
type amending struct {
	proposed  []council.Proposal
	accepted  []council.AmendmentID // by the mover
	put       []council.AmendmentID // to the vote
	seconded  map[council.AmendmentID]bool
	withdrawn bool              // the motion
	pending   *council.Proposal // on which ballots are cast
}

// find returns the proposal with an id, or nil.
func (a *amending) find(id council.AmendmentID) *council.Proposal {
	for i := range a.proposed {
		if a.proposed[i].ID == id {
			return &a.proposed[i]
		}
	}
	return nil
}

// answerSecond checks where a member stands on the motion. Nothing is recorded of what was not asked.
func (s *Session) answerSecond(answered council.Answered, b council.Second) (council.Payload, error) {
	g := s.phase.Governance
	b.Second = b.Second && g.RequireSeconding
	if b.Stand != council.StandAmend {
		b.Amendment = nil
	}
	switch {
	case !g.Debate:
		b.Stand, b.Amendment = "", nil
	case b.Stand == council.StandAmend && s.amends():
		if b.Amendment == nil {
			return nil, badReply("AMEND needs an amendment")
		}
		forgotten := strings.Contains(b.Amendment.Strike, council.ForgottenMark)
		if problem := s.amendable(*b.Amendment); problem != "" && !forgotten {
			return nil, badReply("the amendment: %s", problem)
		}
	case b.Stand == "" && b.Second: // it seconds, and takes no side
	case b.Stand != council.StandSupport && b.Stand != council.StandOppose:
		return nil, badReply("there is no stand %q", b.Stand)
	}
	return council.SecondAnswered{Answered: answered, Motion: s.motion.ID, Second: b}, nil
}

// amends reports whether amendments to the motion may be proposed.
func (s *Session) amends() bool { return s.phase.Governance.Amends() && len(s.motion.Options) == 0 }

// amendable returns why the motion cannot be amended so, or "".
func (s *Session) amendable(a council.Amendment) string {
	amended, problem := s.motion.Wording().Amended(a)
	if lost := council.LostBefore(s.log, amended, nil); problem == "" && lost > 0 {
		return "with it the motion would be one that was lost (" + lost.ID() + ")"
	}
	return problem
}

// callAmendments asks everybody about the amendments that were proposed; without any the motion goes to the vote.
func (s *Session) callAmendments() {
	if len(s.amending.proposed) == 0 {
		s.callVote()
		return
	}
	slices.SortFunc(s.amending.proposed, func(a, b council.Proposal) int {
		return slices.Index(s.seats, a.By) - slices.Index(s.seats, b.By)
	})
	s.put(council.AskAmend, s.seats...)
}

func (s *Session) answerAmend(answered council.Answered, b council.Amend) (council.Payload, error) {
	for i, id := range b.Amendments {
		if p := s.amending.find(id); p == nil || p.By == answered.Ask.Member() || slices.Contains(b.Amendments[:i], id) {
			return nil, badReply("%s is no amendment of another member, or is named twice", id)
		}
	}
	b.Withdraw = b.Withdraw && answered.Ask.Member() == s.motion.Mover
	return council.AmendmentsAnswered{Answered: answered, Motion: s.motion.ID, Amend: b}, nil
}

// settleAmend notes what a member said of the amendments. When all have answered, the motion is withdrawn, or the
// amendments are weighed.
func (s *Session) settleAmend(m council.MemberID, b council.Amend) {
	a := &s.amending
	if m == s.motion.Mover {
		a.accepted, a.withdrawn = b.Amendments, b.Withdraw
	} else {
		for _, id := range b.Amendments {
			a.seconded[id] = true
		}
	}
	if !s.open.settle(m) {
		return
	}
	if a.withdrawn {
		s.owe(council.MotionDied{Motion: s.motion.ID, Withdrawn: true})
		return
	}
	weighed := council.AmendmentsWeighed{Motion: s.motion.ID}
	for _, p := range a.proposed {
		if slices.Contains(a.accepted, p.ID) {
			weighed.Accepted = append(weighed.Accepted, p.ID)
		} else if a.seconded[p.ID] && len(weighed.Put) < s.phase.Governance.MaxAmendments {
			weighed.Put = append(weighed.Put, p.ID)
		}
	}
	s.owe(weighed)
}

// nextAmendment takes in the next amendment that was accepted, or has the next one voted on, or the motion.
func (s *Session) nextAmendment() {
	a := &s.amending
	a.pending = nil
	queue := &a.accepted
	if len(a.accepted) == 0 {
		queue = &a.put
	}
	if len(*queue) == 0 {
		s.callVote()
		return
	}
	p := a.find((*queue)[0])
	*queue = (*queue)[1:]
	switch {
	case s.amendable(p.Amendment) != "":
		s.owe(council.AmendmentDecided{Motion: s.motion.ID, Amendment: p.ID})
	case queue == &a.put:
		a.pending = p
		s.put(council.AskBallot, s.seats...)
	default:
		s.owe(s.amended(p))
	}
}

// amended returns the motion as an amendment leaves it.
func (s *Session) amended(p *council.Proposal) council.MotionAmended {
	w, _ := s.motion.Wording().Amended(p.Amendment)
	return council.MotionAmended{Motion: s.motion.ID, Amendment: p.ID, Wording: w}
}

func (s *Session) takeAmendmentDecision(p council.AmendmentDecided) {
	if p.Vote != nil && p.Vote.Result == quorum.Carried {
		s.owe(s.amended(s.amending.find(p.Amendment)))
		return
	}
	s.nextAmendment()
}

// takeAmended puts the amended motion in the place of the one before; views hold on to that.
func (s *Session) takeAmended(p council.MotionAmended) {
	motion := *s.motion
	motion.Title, motion.Text, motion.Decision = p.MotionTitle, p.MotionText, p.DecisionIfPass
	s.motion = &motion
	s.nextAmendment()
}
