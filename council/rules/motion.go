package rules

import (
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
)

// matter is the motion before the council, with the amendments to it. The zero matter has no motion.
type matter struct {
	*record
	governance council.Governance
	motion     *council.Motion
	seconds    map[council.MemberID]bool
	proposed   []council.Proposal
	accepted   []council.AmendmentID // by the mover
	put        []council.AmendmentID // to the vote
	pending    *council.Proposal     // on which ballots are cast
}

func (m *matter) place() string {
	if m.pending != nil {
		return string(m.motion.ID) + "." + string(m.pending.ID) + "."
	}
	return string(m.motion.ID) + "."
}

// begin asks for seconds and sides, or for the votes at once.
func (m *matter) begin() step {
	if !m.governance.RequireSeconding && !m.governance.Debate {
		return m.callVote()
	}
	others := m.membersWhere(func(id council.MemberID) bool { return id != m.motion.Mover })
	return m.ask(council.AskSecond, m.place(), council.DrawOrder(m.id, string(m.motion.ID), others)...)
}

// afterSecond goes on after one answer. The seconder is the first by lot who says yes; it is known as soon as all
// before it have answered. Later answers count only in a debate.
func (m *matter) afterSecond() step {
	last := len(m.open.out) == 0
	for _, a := range m.open.asks {
		if slices.Contains(m.open.out, a) || m.governance.Debate && !last {
			break
		}
		if m.seconds[a.Member] {
			return due(council.MotionSeconded{Motion: m.motion.ID, Seconder: a.Member})
		}
	}
	switch {
	case last && m.governance.RequireSeconding:
		return due(council.MotionDied{Motion: m.motion.ID})
	case last:
		return due(council.MotionSeconded{Motion: m.motion.ID})
	}
	return step{}
}

func (m *matter) callVote() step {
	kind := council.AskBallot
	if len(m.motion.Options) > 0 {
		kind = council.AskRank
	}
	return m.ask(kind, m.place(), m.seats...)
}

// count decides the motion, or the amendment on which ballots were cast.
func (m *matter) count() step {
	if len(m.motion.Options) > 0 {
		d, chosen := countRankings(m.governance, m.seats, m.motion.Options, m.vote.ranks, m.vote.count.Invalid)
		return due(council.MotionDecided{Motion: m.motion.ID, Decision: d, Choice: &chosen})
	}
	d := countBallots(m.governance, len(m.seats), m.vote.count)
	if m.pending != nil {
		return due(council.AmendmentDecided{Motion: m.motion.ID, Amendment: m.pending.ID, Vote: &d})
	}
	return due(council.MotionDecided{Motion: m.motion.ID, Decision: d})
}

func (m *matter) find(id council.AmendmentID) *council.Proposal {
	return council.Find(m.proposed, func(p council.Proposal) bool { return p.ID == id })
}

// secondPayload checks a second and its side. Answers that were not asked for are not recorded.
func (m *matter) secondPayload(answered council.Answered, b council.Second) (council.Payload, error) {
	g := m.governance
	b.Second = b.Second && g.RequireSeconding
	if b.Stand != council.StandAmend {
		b.Amendment = nil
	}
	switch {
	case !g.Debate:
		b.Stand, b.Amendment = "", nil
	case b.Stand == council.StandAmend && g.Amends() && len(m.motion.Options) == 0:
		if b.Amendment == nil {
			return nil, badReply("AMEND needs an amendment")
		}
		forgotten := strings.Contains(b.Amendment.Strike, council.ForgottenMark)
		if problem := m.amendProblem(*b.Amendment); problem != "" && !forgotten {
			return nil, badReply("the amendment: %s", problem)
		}
	case b.Stand == "" && b.Second: // it seconds, and takes no side
	case b.Stand != council.StandSupport && b.Stand != council.StandOppose:
		return nil, badReply("there is no stand %q", b.Stand)
	}
	return council.SecondAnswered{Answered: answered, Motion: m.motion.ID, Second: b}, nil
}

// amendProblem returns why the motion cannot be amended so, or "".
func (m *matter) amendProblem(a council.Amendment) string {
	amended, problem := m.motion.Wording().Amended(a)
	if lost := council.LostBefore(m.log, amended, nil); problem == "" && lost > 0 {
		return "with it the motion would be one that was lost (" + lost.ID() + ")"
	}
	return problem
}

// callAmendments asks all members about the amendments that were proposed; without any the motion goes to the vote.
func (m *matter) callAmendments() step {
	if len(m.proposed) == 0 {
		return m.callVote()
	}
	slices.SortFunc(m.proposed, func(a, b council.Proposal) int {
		return slices.Index(m.seats, a.By) - slices.Index(m.seats, b.By)
	})
	return m.ask(council.AskAmend, m.place(), m.seats...)
}

func (m *matter) amendPayload(answered council.Answered, b council.Amend) (council.Payload, error) {
	for i, id := range b.Amendments {
		if p := m.find(id); p == nil || p.By == answered.Ask.Member() || slices.Contains(b.Amendments[:i], id) {
			return nil, badReply("%s is no amendment of another member, or is named twice", id)
		}
	}
	b.Withdraw = b.Withdraw && answered.Ask.Member() == m.motion.Mover
	return council.AmendmentsAnswered{Answered: answered, Motion: m.motion.ID, Amend: b}, nil
}

// weigh weighs the amendments by all answers on them, unless the mover withdrew the motion.
func (m *matter) weigh() step {
	var accepted, wanted []council.AmendmentID
	for e, p := range council.Payloads[council.AmendmentsAnswered](m.log) {
		switch {
		case p.Motion != m.motion.ID:
		case p.Withdraw:
			return due(council.MotionDied{Motion: m.motion.ID, Withdrawn: true})
		case e.Actor == m.motion.Mover:
			accepted = p.Amendments
		default:
			wanted = append(wanted, p.Amendments...)
		}
	}
	weighed := council.AmendmentsWeighed{Motion: m.motion.ID}
	for _, p := range m.proposed {
		if slices.Contains(accepted, p.ID) {
			weighed.Accepted = append(weighed.Accepted, p.ID)
		} else if slices.Contains(wanted, p.ID) && len(weighed.Put) < m.governance.MaxAmendments {
			weighed.Put = append(weighed.Put, p.ID)
		}
	}
	return due(weighed)
}

// nextAmendment takes in the next amendment that was accepted, or has the next one voted on, or the motion.
func (m *matter) nextAmendment() step {
	m.pending = nil
	queue := &m.accepted
	if len(m.accepted) == 0 {
		queue = &m.put
	}
	if len(*queue) == 0 {
		return m.callVote()
	}
	p := m.find((*queue)[0])
	*queue = (*queue)[1:]
	switch {
	case m.amendProblem(p.Amendment) != "":
		return due(council.AmendmentDecided{Motion: m.motion.ID, Amendment: p.ID})
	case queue == &m.put:
		m.pending = p
		return m.ask(council.AskBallot, m.place(), m.seats...)
	}
	return m.amend(p)
}

// amend makes the motion due as an amendment leaves it.
func (m *matter) amend(p *council.Proposal) step {
	w, _ := m.motion.Wording().Amended(p.Amendment)
	return due(council.MotionAmended{Motion: m.motion.ID, Amendment: p.ID, Wording: w})
}

var errRanking = badReply("a ranking names each option once, and %s", council.NoneOfThese)

// vote holds the ballots that are being collected, or were counted.
type vote struct {
	count   quorum.Count
	ranks   map[council.MemberID]quorum.Ranking // of a choice
	choices map[council.MemberID]council.Choice // of the valid ballots
	result  quorum.Result
}

func newVote() vote {
	return vote{choices: map[council.MemberID]council.Choice{}, ranks: map[council.MemberID]quorum.Ranking{}}
}

func (v *vote) cast(m council.MemberID, c council.Choice) {
	v.choices[m] = c
	switch c {
	case council.ChoiceYes:
		v.count.Yes++
	case council.ChoiceNo:
		v.count.No++
	case council.ChoiceAbstain:
		v.count.Abstain++
	}
}

// setSides notes the members that voted with the result of a choice: those that rank it, or none of these, first.
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

// canDissent reports whether a member may dissent: from a motion that carried without its YES, or from one that was
// lost although it voted, and not NO.
func (v vote) canDissent(m council.MemberID) bool {
	choice := v.choices[m]
	return v.result == quorum.Carried && choice != council.ChoiceYes ||
		v.result == quorum.Lost && choice != council.ChoiceNo && choice != ""
}

type carriedMotion struct {
	council.Resolution
	vote vote
}

func motionIDs(carried []carriedMotion) []council.MotionID {
	return council.Map(carried, func(r carriedMotion) council.MotionID { return r.Motion })
}
