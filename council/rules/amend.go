package rules

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

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
