package rules

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

type vote struct {
	count   quorum.Count
	ranks   map[council.MemberID]quorum.Ranking // of a choice
	choices map[council.MemberID]council.Choice // of the valid ballots
	result  quorum.Result
}

// canDissent reports whether a member may dissent: from a motion that carried without its YES, or from one that was
// lost although it voted, and not NO.
func (v vote) canDissent(m council.MemberID) bool {
	choice := v.choices[m]
	return v.result == quorum.Carried && choice != council.ChoiceYes ||
		v.result == quorum.Lost && choice != council.ChoiceNo && choice != ""
}

type resolved struct {
	council.Resolution
	vote vote
}

func motionIDs(stand []resolved) (motions []council.MotionID) {
	for _, r := range stand {
		motions = append(motions, r.Motion)
	}
	return motions
}

func (s *Session) receiveMotion(e council.Event, p council.MotionMade) {
	s.spoke++
	s.moved++
	m := &council.Motion{
		ID: p.Motion, Mover: e.Actor, Title: p.MotionTitle, Text: p.MotionText, Decision: p.DecisionIfPass,
		Options: p.Options, Seq: e.Seq, Supersedes: p.Supersedes,
	}
	if s.together {
		s.table = append(s.table, m)
		s.afterTurn(e.Actor)
		return
	}
	s.putMotion(m)
}

// putMotion asks for seconds and stands on a motion, or for the votes at once.
func (s *Session) putMotion(m *council.Motion) {
	s.motion, s.amending = m, amending{seconded: map[council.AmendmentID]bool{}}
	if g := s.phase.Governance; !g.RequireSeconding && !g.Debate {
		s.callVote()
		return
	}
	others := s.membersWhere(func(id council.MemberID) bool { return id != m.Mover })
	s.openAsks(council.AskSecond, drawOrder(s.id, string(m.ID), others)...)
}

// resolveTabledMotions goes on with the motions of a round that was held together: one as any other, several as a
// choice.
func (s *Session) resolveTabledMotions() {
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
		s.setDue(put)
	}
}

func (s *Session) applyDecision(d council.MotionDecided) {
	s.vote.result = d.Result
	s.vote.setSides(d.Choice)
	decides := s.charter.DecidesIn(s.phase.ID)
	switch {
	case d.Result == quorum.Carried:
		c, m := d.Count, s.chosenMotion(d)
		replaced := func(r resolved) bool { return slices.Contains(m.Supersedes, r.Motion) }
		s.carried = append(slices.DeleteFunc(slices.Clone(s.carried), replaced), resolved{council.Resolution{
			Phase: s.phase.ID, Motion: s.motion.ID, Title: m.Title, Text: m.Text, Decision: m.Decision,
			Yes: c.Yes, No: c.No, Abstain: c.Abstain, Invalid: c.Invalid, Absent: c.Absent, Ranked: d.Choice != nil,
		}, s.vote})
		if decides {
			s.decided, s.lost = s.carried, vote{}
		}
	case d.Result == quorum.Lost && len(s.carried) == 0 && decides:
		s.lost = s.vote
	}
	atOnce := s.movedUncontested()
	if d.Result != quorum.Carried || d.Count.Yes != len(s.seats) {
		s.early.agreed = false
	}
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

// membersWhere returns the members for which holds is true, in seat order.
func (s *Session) membersWhere(holds func(council.MemberID) bool) []council.MemberID {
	return slices.DeleteFunc(slices.Clone(s.seats), func(m council.MemberID) bool { return !holds(m) })
}

// afterSecond takes in one answer. The seconder is the first by lot who says yes; it is known as soon as all before it
// have answered. Later answers count only in a debate.
func (s *Session) afterSecond(m council.MemberID, yes bool) {
	last := s.open.markAnswered(m)
	if yes {
		s.vote.choices[m] = council.ChoiceYes
	}
	g := s.phase.Governance
	for i, a := range s.open.asks {
		if !s.open.done[i] || g.Debate && !last {
			break
		}
		if s.vote.choices[a.Member] == council.ChoiceYes {
			s.setDue(council.MotionSeconded{Motion: s.motion.ID, Seconder: a.Member})
			return
		}
	}
	switch {
	case last && g.RequireSeconding:
		s.setDue(council.MotionDied{Motion: s.motion.ID})
	case last:
		s.setDue(council.MotionSeconded{Motion: s.motion.ID})
	}
}

func (s *Session) callVote() {
	kind := council.AskBallot
	if len(s.motion.Options) > 0 {
		kind = council.AskRank
	}
	s.openAsks(kind, s.seats...)
}

func (s *Session) afterBallot(m council.MemberID) {
	if !s.open.markAnswered(m) {
		return
	}
	count := s.vote.count
	switch p := s.amending.pending; {
	case s.motion == nil:
		decision := s.countBallots(s.charter.DraftGovernance(), count)
		s.setDue(council.DraftDecided{DraftRef: s.draft.DraftRef, Decision: decision})
	case len(s.motion.Options) > 0:
		d, chosen := s.countRankings(s.motion.Options, s.vote.ranks, s.countBallots(s.phase.Governance, count))
		s.setDue(council.MotionDecided{Motion: s.motion.ID, Decision: d, Choice: &chosen})
	case p != nil:
		vote := s.countBallots(s.phase.Governance, count)
		s.setDue(council.AmendmentDecided{Motion: s.motion.ID, Amendment: p.ID, Vote: &vote})
	default:
		s.setDue(council.MotionDecided{Motion: s.motion.ID, Decision: s.countBallots(s.phase.Governance, count)})
	}
}

// countBallots decides a count under a phase's governance.
func (s *Session) countBallots(g council.Governance, count quorum.Count) council.Decision {
	rule := g.Rule(len(s.seats))
	rule.Quorum = rule.Required()
	of := rule.Of(count)
	return council.Decision{Result: rule.Decide(count), Rule: rule, Count: count, Needed: rule.Needed(of), Of: of}
}

// chosenMotion returns the motion that carried; of a choice with the chosen option, or the motion of another member.
func (s *Session) chosenMotion(d council.MotionDecided) council.Motion {
	m := *s.motion
	switch {
	case len(m.Of) > 0:
		m = *s.table[*d.Choice.Chosen]
	case d.Choice != nil:
		m.Decision = council.Chosen(m.Options, d.Choice)
	}
	return m
}

type amending struct {
	proposed  []council.Proposal
	accepted  []council.AmendmentID // by the mover
	put       []council.AmendmentID // to the vote
	seconded  map[council.AmendmentID]bool
	withdrawn bool              // the motion
	pending   *council.Proposal // on which ballots are cast
}

func (a *amending) find(id council.AmendmentID) *council.Proposal {
	for i := range a.proposed {
		if a.proposed[i].ID == id {
			return &a.proposed[i]
		}
	}
	return nil
}

// secondPayload checks a second and its stand on the motion. Answers that were not asked for are not recorded.
func (s *Session) secondPayload(answered council.Answered, b council.Second) (council.Payload, error) {
	g := s.phase.Governance
	b.Second = b.Second && g.RequireSeconding
	if b.Stand != council.StandAmend {
		b.Amendment = nil
	}
	switch {
	case !g.Debate:
		b.Stand, b.Amendment = "", nil
	case b.Stand == council.StandAmend && g.Amends() && len(s.motion.Options) == 0:
		if b.Amendment == nil {
			return nil, badReply("AMEND needs an amendment")
		}
		forgotten := strings.Contains(b.Amendment.Strike, council.ForgottenMark)
		if problem := s.amendProblem(*b.Amendment); problem != "" && !forgotten {
			return nil, badReply("the amendment: %s", problem)
		}
	case b.Stand == "" && b.Second: // it seconds, and takes no side
	case b.Stand != council.StandSupport && b.Stand != council.StandOppose:
		return nil, badReply("there is no stand %q", b.Stand)
	}
	return council.SecondAnswered{Answered: answered, Motion: s.motion.ID, Second: b}, nil
}

// amendProblem returns why the motion cannot be amended so, or "".
func (s *Session) amendProblem(a council.Amendment) string {
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
	s.openAsks(council.AskAmend, s.seats...)
}

func (s *Session) amendPayload(answered council.Answered, b council.Amend) (council.Payload, error) {
	for i, id := range b.Amendments {
		if p := s.amending.find(id); p == nil || p.By == answered.Ask.Member() || slices.Contains(b.Amendments[:i], id) {
			return nil, badReply("%s is no amendment of another member, or is named twice", id)
		}
	}
	b.Withdraw = b.Withdraw && answered.Ask.Member() == s.motion.Mover
	return council.AmendmentsAnswered{Answered: answered, Motion: s.motion.ID, Amend: b}, nil
}

// afterAmend takes in a member's answer on the amendments. When all have answered, the motion is withdrawn, or the
// amendments are weighed.
func (s *Session) afterAmend(m council.MemberID, b council.Amend) {
	a := &s.amending
	if m == s.motion.Mover {
		a.accepted, a.withdrawn = b.Amendments, b.Withdraw
	} else {
		for _, id := range b.Amendments {
			a.seconded[id] = true
		}
	}
	if !s.open.markAnswered(m) {
		return
	}
	if a.withdrawn {
		s.setDue(council.MotionDied{Motion: s.motion.ID, Withdrawn: true})
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
	s.setDue(weighed)
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
	case s.amendProblem(p.Amendment) != "":
		s.setDue(council.AmendmentDecided{Motion: s.motion.ID, Amendment: p.ID})
	case queue == &a.put:
		a.pending = p
		s.openAsks(council.AskBallot, s.seats...)
	default:
		s.setDue(s.amendedEvent(p))
	}
}

// amendedEvent returns the motion as an amendment leaves it.
func (s *Session) amendedEvent(p *council.Proposal) council.MotionAmended {
	w, _ := s.motion.Wording().Amended(p.Amendment)
	return council.MotionAmended{Motion: s.motion.ID, Amendment: p.ID, Wording: w}
}
