package rules

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/citation"
	"github.com/council-engine/council/council/quorum"
)

// visit is the visit to a phase under way, with its round and turn. Some of it outlasts the visit.
type visit struct {
	*record
	poll *poll

	// Of the whole session.
	number      int // of visits so far
	transitions int
	last        council.PhaseID // that was entered
	added       []council.Added // the options that members added
	agreed      bool            // all members agree, as far as the record shows
	everCited   []string        // by turns so far

	// Of the visit. The phase is nil between visits.
	phase      *council.Phase
	asked      int // questions that members put
	carried    []carriedMotion
	ending     council.DebateEnd // why the debate ends once the choice that is put is decided; "" otherwise
	debate     council.DebateClosed
	assessment *council.Assessment

	// Of the round and the turn; 0 outside of rounds.
	round       int
	turn        int
	spoke       int               // contributions, motions and questions
	passed      int               // passes
	moved       int               // motions, questions and added options
	cited       int               // citations that no turn had before
	together    bool              // all members have their turn at once
	leaderFirst bool              // the leader has the first turn
	table       []*council.Motion // the motions of a round together
	matter      matter
	question    *council.Question
}

func (v *visit) enter(id council.PhaseID, reason string) step {
	v.phase, v.last = v.charter.Phase(id), id
	v.number++
	v.carried, v.assessment, v.asked = nil, nil, 0
	if v.charter.DecidesIn(id) {
		v.decided, v.lost = nil, vote{}
	}
	return due(council.PhaseStarted{Phase: id, Visit: v.number, Goal: v.phase.Goal, Reason: reason})
}

func (v *visit) callRound() step {
	v.round++
	v.turn, v.spoke, v.passed, v.moved, v.cited, v.table = 0, 0, 0, 0, 0, nil
	// While all agree, the leader begins a phase, to move at once; where options are ranked there is nothing to move.
	v.leaderFirst = v.agreed && v.round == 1 && !v.ranksOptions()
	v.together = v.phase.Turns == council.TurnsTogether && !v.leaderFirst
	return due(council.RoundStarted{Round: v.round, Of: v.phase.StopConditions.MaxRounds})
}

func (v *visit) callTurns() step {
	if !v.together {
		return v.nextTurn()
	}
	var all step
	for _, m := range v.seats {
		all.asks = append(all.asks, v.askInTurn(council.AskTurn, m).asks...)
	}
	return all
}

// askInTurn puts a question that is named by the member's turn.
func (v *visit) askInTurn(kind council.AskKind, m council.MemberID) step {
	return v.ask(kind, string(v.turnID(m))+".", m)
}

// turnID names a member's turn in the round under way, and a motion made in it. If held together: that of the seat.
func (v *visit) turnID(m council.MemberID) council.MotionID {
	turn := v.turn
	if v.together {
		turn = slices.Index(v.seats, m) + 1
	}
	return council.MotionID(v.roundID() + ".t" + strconv.Itoa(turn))
}

func (v *visit) roundID() string { return v.place() + "r" + strconv.Itoa(v.round) }
func (v *visit) place() string   { return "p" + strconv.Itoa(v.number) + "." }

// addCited takes in the first citations of a turn.
func (v *visit) addCited(cites []string) {
	v.cited += len(cites)
	v.everCited = append(v.everCited, cites...)
}

// afterTurn goes on after a turn: in a round that is held together after the last.
func (v *visit) afterTurn() step {
	switch {
	case !v.together:
		return v.nextTurn()
	case len(v.open.out) == 0:
		return due(council.TurnsOpened{Round: v.round})
	}
	return step{}
}

// nextTurn gives the floor to the next seat, or ends the round.
func (v *visit) nextTurn() step {
	v.matter, v.question = matter{}, nil
	// A round is nothing new if nothing was moved and nothing cited for the first time. The first round never is.
	switch nothingNew := v.charter.Deliberation.ContestedOnly && v.round > 1 && v.moved == 0 && v.cited == 0; {
	case v.turn < len(v.seats) && !v.together:
		v.turn++
		return v.askInTurn(council.AskTurn, v.memberInTurn())
	case v.spoke == 0 && v.passed == 0:
		return v.closeDebate(council.EndUnanswered)
	case v.spoke == 0:
		return v.endDebate(council.EndAllPassed)
	case v.round >= v.phase.StopConditions.MaxRounds:
		return v.endDebate(council.EndRoundLimit)
	case nothingNew:
		return v.endDebate(council.EndNothingNew)
	}
	return v.callRound()
}

func (v *visit) memberInTurn() council.MemberID {
	seats := v.seats
	switch {
	case v.leaderFirst:
		seats = append([]council.MemberID{v.leader},
			v.membersWhere(func(m council.MemberID) bool { return m != v.leader })...)
	case v.phase.Turns == council.TurnsRotate:
		return seats[(v.turn+v.round-2)%len(seats)]
	}
	return seats[v.turn-1]
}

// takeMotion puts a motion that was made in a turn, or keeps it until all turns of its round are in.
func (v *visit) takeMotion(e council.Event, p council.MotionMade) step {
	v.spoke++
	v.moved++
	m := &council.Motion{
		ID: p.Motion, Mover: e.Actor, Title: p.MotionTitle, Text: p.MotionText, Decision: p.DecisionIfPass,
		Options: p.Options, Seq: e.Seq, Supersedes: p.Supersedes,
	}
	if v.together {
		v.table = append(v.table, m)
		return v.afterTurn()
	}
	return v.setMatter(m).begin()
}

func (v *visit) setMatter(m *council.Motion) *matter {
	v.matter = matter{record: v.record, governance: v.phase.Governance, motion: m,
		seconds: map[council.MemberID]bool{}}
	return &v.matter
}

// putTable puts the motions of a round that was held together: one as any other, several as a choice.
func (v *visit) putTable() step {
	switch len(v.table) {
	case 0:
		return v.nextTurn()
	case 1:
		return v.setMatter(v.table[0]).begin()
	}
	put := council.ChoicePut{Motion: council.MotionID(v.roundID() + ".choice"), Options: council.MotionOptions(v.table)}
	put.Motions = council.Map(v.table, func(m *council.Motion) council.MotionID { return m.ID })
	return due(put)
}

func (v *visit) callChoice(e council.Event, p council.ChoicePut) step {
	v.ending = p.Reason
	m := v.setMatter(&council.Motion{ID: p.Motion, Title: v.topic.Text, Options: p.Options, Seq: e.Seq, Of: p.Motions})
	if v.charter.IsAuto() { // the last ballot counts
		v.carried, v.decided, v.lost = nil, nil, vote{}
		return v.poll.collect()
	}
	return m.callVote()
}

// takeQuestion puts a question to its addressee, before the round goes on.
func (v *visit) takeQuestion(e council.Event, p council.QuestionPut) step {
	v.spoke++
	v.moved++
	v.asked++
	if p.Unanswered {
		return v.nextTurn()
	}
	v.question = &council.Question{By: e.Actor, To: p.To, Text: p.Question, Seq: e.Seq}
	return v.askInTurn(council.AskReply, p.To)
}

// takeDecision takes in the result of a motion, and ends the debate if that does.
func (v *visit) takeDecision(d council.MotionDecided) step {
	v.vote.result = d.Result
	v.vote.setSides(d.Choice)
	decides, carried := v.charter.DecidesIn(v.phase.ID), d.Result == quorum.Carried
	switch {
	case carried:
		c, m := d.Count, v.chosenMotion(d)
		replaced := func(r carriedMotion) bool { return slices.Contains(m.Supersedes, r.Motion) }
		v.carried = append(slices.DeleteFunc(slices.Clone(v.carried), replaced), carriedMotion{council.Resolution{
			Phase: v.phase.ID, Motion: d.Motion, Title: m.Title, Text: m.Text, Decision: m.Decision,
			Yes: c.Yes, No: c.No, Abstain: c.Abstain, Invalid: c.Invalid, Absent: c.Absent, Ranked: d.Choice != nil,
		}, v.vote})
		if decides {
			v.decided, v.lost = v.carried, vote{}
		}
	case d.Result == quorum.Lost && len(v.carried) == 0 && decides:
		v.lost = v.vote
	}
	if v.charter.IsAuto() {
		return v.poll.next(d)
	}
	uncontested := v.agreed && v.leaderFirst && v.turn == 1 // moved by the leader at once
	if !carried || d.Count.Yes != len(v.seats) {
		v.agreed = false
	}
	switch {
	case uncontested && v.agreed:
		return v.closeDebate(council.EndUncontested)
	case carried && (v.phase.StopConditions.EndOnMajorityVote || v.ending != ""):
		return v.closeDebate(council.EndMajorityVote)
	case v.ending != "":
		return v.closeDebate(v.ending)
	}
	return v.nextTurn()
}

// chosenMotion returns the motion that carried; of a choice with the chosen option, or the motion of another member.
func (v *visit) chosenMotion(d council.MotionDecided) council.Motion {
	m := *v.matter.motion
	switch {
	case len(m.Of) > 0:
		m = *v.table[*d.Choice.Chosen]
	case d.Choice != nil:
		m.Decision = council.Chosen(m.Options, d.Choice)
		if proposed, ok := v.poll.proposal.Payload.(council.AnswersProposed); ok && *d.Choice.Chosen == 0 {
			m.Text = proposed.Text
		}
	}
	return m
}

// ranksOptions reports whether the phase under way ranks options when its debate ends.
func (v *visit) ranksOptions() bool { return len(v.charter.OptionsOf(v.phase)) > 0 }

func (v *visit) mayAsk() bool {
	return v.phase != nil && !v.together && v.asked < v.phase.StopConditions.MaxQuestions
}

// endDebate closes a debate whose rounds are over, after a vote on the options where the phase has any.
func (v *visit) endDebate(reason council.DebateEnd) step {
	if !v.ranksOptions() {
		return v.closeDebate(reason)
	}
	options, _ := v.charter.OptionsAt(v.phase, v.added, v.asOf(), "")
	v.round, v.turn = 0, 0
	return due(council.ChoicePut{Motion: council.MotionID(v.place() + "choice"), Options: options, Reason: reason})
}

func (v *visit) closeDebate(reason council.DebateEnd) step {
	v.round, v.turn, v.matter, v.ending = 0, 0, matter{}, ""
	return due(council.DebateClosed{Reason: reason, Resolutions: motionIDs(v.carried)})
}

// afterDebate has the leader assess the phase, if that declares anything to judge.
func (v *visit) afterDebate(p council.DebateClosed) step {
	v.debate = p
	if assesses(v.phase) {
		return v.ask(council.AskAssess, v.place(), v.leader)
	}
	return v.end()
}

// end checks the assessment against the record and chooses where to go.
func (v *visit) end() step {
	end := council.PhaseEnded{Phase: v.phase.ID, Reason: v.debate.Reason, Resolutions: v.debate.Resolutions,
		Assessed: v.assessment != nil}
	if len(v.carried) == 0 {
		end.Fallback = v.phase.Fallback.Resolution
	}
	if assesses(v.phase) {
		v.checkAssessment(v.phase, *cmp.Or(v.assessment, &council.Assessment{}), &end)
	}
	if by, to := NextPhase(v.phase, end); to != "" && v.transitions >= v.charter.SessionPolicy.MaxPhaseTransitions {
		end.LimitReached = true
	} else if end.Next = to; by != nil {
		end.Via, end.NextReason = by.When, by.Reason
	} else if to != "" {
		end.ViaFallback, end.NextReason = true, v.phase.Fallback.Resolution
	}
	return due(end)
}

// NextPhase returns where a phase leads that ended so: by the matching transition of the lowest priority, or by the
// fallback when that is nil, or to the closing when to is empty.
func NextPhase(p *council.Phase, end council.PhaseEnded) (by *council.Transition, to council.PhaseID) {
	resolved := len(end.Resolutions) > 0
	matches := map[council.Trigger]bool{council.TriggerMajorityVote: resolved,
		council.TriggerRoundLimit: !end.Reason.ByVote(), council.TriggerAlways: true}
	for i := range p.Transitions {
		if t := &p.Transitions[i]; matches[t.When] && (by == nil || t.Priority < by.Priority) {
			by = t
		}
	}
	switch {
	case by != nil:
		return by, by.To
	case !resolved && p.Fallback.Action == council.FallbackTransition:
		return nil, p.Fallback.TransitionToPhaseID
	}
	return nil, ""
}

// firstCited lists, sorted, the existing citations of a turn that no turn had before. Lines that it looked up count.
// It is nil where the charter does not debate the contested only.
func (v *visit) firstCited(a council.Answered, texts ...string) []string {
	if !v.charter.Deliberation.ContestedOnly {
		return nil
	}
	given, first := citation.GivenIn(v.log), []string(nil)
	add := func(cite string) {
		if !slices.Contains(v.everCited, cite) {
			first = append(first, cite)
		}
	}
	for _, use := range a.Tools {
		for _, l := range use.Given {
			add(fmt.Sprintf("%s:%d-%d", l.File, l.From, l.To))
		}
	}
	for _, text := range texts {
		for _, cite := range citation.Find(text, given, citation.Moment{AsOf: a.AsOf, Event: v.asOf() + 1}) {
			if cite.Fault == "" {
				add(cite.Text)
			}
		}
	}
	slices.Sort(first)
	return slices.Compact(first)
}
