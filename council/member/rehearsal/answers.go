package rehearsal

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/minutes"
)

func hasPlace(p passage) bool { return p.place != "" }
func anyPassage(passage) bool { return true }

func (s seat) position() council.Body {
	p := council.Position{Confidence: 0.5}
	text := "There is no document to quote, so I have only the topic. "
	if found := s.passages.best(s.focus, 2, hasPlace); len(found) > 0 {
		text = "This bears on it: " + found[0].quote() + ". "
		p.Overlooked = council.Map(found[1:], passage.plain)
	}
	p.Position = "I look at this for " + s.focus.name + ". " + text + "Whatever we decide must say " + s.focus.asks + "."
	if s.Charter.AsksStances() {
		p.Stance = shorten("first "+s.focus.name, council.MaxStance)
	}
	if options := slices.Concat(s.Charter.Options, s.Options); len(options) > 0 {
		p.Ranking = s.ranking(options)
	}
	if s.Charter.IsAuto() {
		p.Counter, p.ChangeMind = "It leaves out all but "+s.focus.name+".", "A document that says "+s.focus.asks+"."
	}
	if s.Charter.Deliberation.ElectWithPositions {
		p.CandidateID = s.nominate().CandidateID
	}
	return p
}

const proposed = 5 // answers at most

// propose lists the stances of the positions; those that have no room go with the last.
func (s seat) propose() council.Body {
	out := council.Answers{Crux: "What comes first?",
		Summary: council.Summary{SummaryMarkdown: "Rehearsal: no model was asked. Each position asks for its own focus."}}
	positions := s.log.Positions()
	for _, m := range s.Positions {
		answer := positions[m].Stance()
		at := slices.IndexFunc(out.Answers, func(other council.Held) bool { return other.Answer == answer })
		if at < 0 {
			at = min(len(out.Answers), proposed-1)
		}
		if at == len(out.Answers) {
			out.Answers = append(out.Answers, council.Held{Answer: answer})
		}
		out.Answers[at].HeldBy = append(out.Answers[at].HeldBy, m)
	}
	slices.SortStableFunc(out.Answers, func(a, b council.Held) int { return len(b.HeldBy) - len(a.HeldBy) })
	f := s.cast[out.Answers[0].HeldBy[0]]
	out.Text = "Our answer to " + s.question() + " says " + f.asks + "."
	out.RequiresExecution, out.ExecutionBrief = true, &council.Brief{Objective: out.Text,
		RecommendedExecutorProfile: cmp.Or(strings.TrimSpace(s.Charter.Execution.DefaultExecutorProfile), "engineer"),
		Steps: []council.Step{{Step: "Write down " + f.asks + ".",
			AcceptanceCriteria: []string{"It can be read " + f.asks + "."}}}}
	return out
}

func (s seat) rank() council.Body {
	b := council.Ranked{Rationale: "In the order in which they serve " + s.focus.name + ".",
		Ranking: s.ranking(s.Motion.Options)}
	if s.Charter.IsAuto() && b.Ranking.First() != s.Motion.Options[0] {
		b.Blockers = []string{"It must say " + s.focus.asks + "."}
	}
	return b
}

// ranking lists options in their order, or backwards for every second seat.
func (s seat) ranking(options []string) council.Ranks {
	ranks := council.Map(options, func(o string) []string { return []string{o} })
	if slices.Index(s.Seats, s.Seat.ID)%2 == 1 {
		slices.Reverse(ranks)
	}
	return ranks
}

// nominate names the other member whose focus most passages fit.
func (s seat) nominate() council.Nomination {
	var best council.MemberID
	most := -1
	for _, id := range s.Seats {
		n := 0
		for _, p := range s.passages {
			n += min(1, countFits(s.cast[id].words, p.words))
		}
		if id != s.Seat.ID && n > most {
			best, most = id, n
		}
	}
	return council.Nomination{CandidateID: best,
		Rationale: fmt.Sprintf("%d of the passages that we were given fit what %s looks for, %s.", most, s.name(best),
			s.cast[best].name)}
}

// reply quotes the passage that bears most on the member's focus.
func (s seat) reply() council.Body {
	for _, found := range s.passages.best(s.focus, 1, anyPassage) {
		return council.Answer{Answer: "This: " + found.quote() + "."}
	}
	return council.Answer{Answer: "I was given nothing but the topic, so I do not know."}
}

// turn moves a motion where one is due, puts the one question of a session, quotes a new passage, or passes.
func (s seat) turn() council.Body {
	if s.isMotionDue() {
		if motion, fresh := s.move(); fresh {
			return motion
		}
	}
	asked := slices.ContainsFunc(s.log.Visits, func(v *minutes.Visit) bool { return v.Asked > 0 })
	if s.MayAsk && !asked && s.Round == 1 && s.Turn == len(s.Seats) && s.Phase.StopConditions.MaxRounds > 1 {
		to := s.nominate().CandidateID
		return council.Turn{Action: council.ActionAsk, To: to,
			Question: "Which passage bears most on " + s.cast[to].name + "?"}
	}
	text := "I have nothing to quote on " + s.focus.name
	found := s.passages.best(s.focus, 1, s.isUnquoted)
	switch {
	case len(found) > 0 && countFits(s.focus.words, found[0].words) > 0:
		text = "For " + s.focus.name + ": " + found[0].quote()
	case s.Round > 1:
		return council.Turn{Action: council.ActionPass, Reason: "Nothing on " + s.focus.name + " is left to quote."}
	}
	return council.Turn{Action: council.ActionContribute,
		Message: text + ". I ask that the decision say " + s.focus.asks + "."}
}

// isMotionDue reports whether to move: from the second round on, where none has carried in the phase, and
// after a lost one when the member did not vote for it.
func (s seat) isMotionDue() bool {
	if len(s.Charter.Options) > 0 {
		return false // options are ranked when the debate ends
	}
	rounds, here := s.Phase.StopConditions.MaxRounds, s.motionsHere()
	if s.Blind() { // every third member moves at once, where the phase is there to decide
		return s.Round == rounds && len(s.Phase.Transitions) == 0 && slices.Index(s.Seats, s.Seat.ID)%3 == 0
	}
	if len(here) == 0 {
		return s.Round >= 2 || rounds <= 1 && s.Turn > len(s.Seats)/2
	}
	yes := slices.ContainsFunc(here[len(here)-1].Ballots, func(b minutes.Ballot) bool {
		return b.Member == s.Seat.ID && b.Ballot == string(council.ChoiceYes)
	})
	return len(here) < 3 && !slices.ContainsFunc(here, isCarried) && (!yes || s.Turn == len(s.Seats))
}

// move collects requests of members. The first motion of a phase holds few and the next ones more, so that votes
// differ. It is not fresh if every such motion was lost before.
func (s seat) move() (motion council.Turn, fresh bool) {
	n := len(s.Seats)
	for take := []int{2 + n/8, max(2, n-1), n}[min(2, len(s.motionsHere()))]; take <= n; take++ {
		m := s.collect(take)
		says := council.Wording{MotionText: m.MotionText, DecisionIfPass: m.DecisionIfPass}
		if council.LostBefore(s.Events, says, nil) == 0 {
			return m, true
		}
	}
	return motion, false
}

// collect moves the requests of so many members, from this one on.
func (s seat) collect(take int) council.Turn {
	at := slices.Index(s.Seats, s.Seat.ID)
	var list, asks []string
	for i := range take {
		id := s.Seats[(at+i)%len(s.Seats)]
		f := s.cast[id]
		if slices.Contains(asks, f.asks) {
			continue
		}
		asks = append(asks, f.asks)
		line := "- " + f.asks + ", for " + f.name + ", as " + s.name(id) + " asks"
		for _, found := range s.passages.best(f, 1, anyPassage) {
			line += ": " + found.quote()
		}
		list = append(list, line)
	}
	text := "That our answer to " + s.question() + " say:\n\n" + strings.Join(list, "\n")
	return council.Turn{Action: council.ActionCallVote, MotionText: text,
		MotionTitle: "Answer “" + innerQuotes.Replace(shorten(s.Topic.Text, 60)) + "” for " +
			shorten(s.cast.subjects(text, s.Seats), 60),
		DecisionIfPass: "The answer to “" + innerQuotes.Replace(shorten(s.Topic.Text, 100)) + "” says " +
			strings.Join(asks, "; ") + "."}
}

func (s seat) holdsRequest() bool { return strings.Contains(s.Motion.Text, s.focus.asks) }

// second seconds a motion that holds the member's request, and in the last round any motion. Where the phase asks for
// stands, all members but the one before the mover propose to add theirs.
func (s seat) second() council.Body {
	b := council.Second{Second: true, Stand: council.StandSupport,
		Rationale: "It holds what I ask for on " + s.focus.name + "."}
	if !s.holdsRequest() {
		b.Stand, b.Rationale = council.StandOppose, "It leaves out "+s.focus.name+"."
		b.Second = s.Round >= s.Phase.StopConditions.MaxRounds
	}
	if !s.Phase.Governance.Debate {
		b.Stand = ""
		return b
	}
	b.Second = b.Second && s.Phase.Governance.RequireSeconding
	next := s.Seats[(slices.Index(s.Seats, s.Seat.ID)+1)%len(s.Seats)]
	if s.holdsRequest() || next == s.Motion.Mover || !s.Phase.Governance.Amends() || len(s.Motion.Options) > 0 {
		return b
	}
	last := s.Motion.Text[strings.LastIndexByte(s.Motion.Text, '\n')+1:]
	add := &council.Amendment{Strike: last,
		Insert: last + "\n- " + s.focus.asks + ", for " + s.focus.name + ", as " + s.name(s.Seat.ID) + " asks"}
	if _, problem := s.Motion.Wording().Amended(*add); problem == "" {
		b.Stand, b.Amendment = council.StandAmend, add
	}
	return b
}

// amend accepts, as the mover, the first amendment, and leaves the others to the vote; everybody else seconds them.
func (s seat) amend() council.Body {
	b := council.Amend{Rationale: "The council should decide on it."}
	for _, p := range s.Proposed {
		if p.By != s.Seat.ID && (len(b.Amendments) == 0 || s.Motion.Mover != s.Seat.ID) {
			b.Amendments = append(b.Amendments, p.ID)
		}
	}
	return b
}

// ballot votes on the draft, for every amendment, or for a motion that holds the member's request.
func (s seat) ballot() council.Body {
	b := council.Ballot{Ballot: council.ChoiceYes, Rationale: "It says " + s.focus.asks + "."}
	missed, misses := s.missedPassage()
	switch {
	case s.Motion == nil && misses:
		b.Ballot, b.Rationale = council.ChoiceNo, "It does not quote what bears on "+s.focus.name+": "+missed.quote()+"."
	case s.Motion == nil:
		b.Rationale = "It quotes what bears on " + s.focus.name + ", or there is nothing to quote."
	case len(s.Proposed) > 0:
		b.Rationale = "It adds to the motion, and takes nothing away."
	case !s.holdsRequest() && s.cast.subjects(s.Motion.Text, s.Seats) == "":
		b.Ballot, b.Rationale = council.ChoiceAbstain, "It takes up nothing that a rehearsed member asks for."
	case !s.holdsRequest():
		b.Ballot, b.Rationale = council.ChoiceNo, "It does not say "+s.focus.asks+"."
	}
	if s.Motion == nil && s.Charter.IsAuto() && b.Ballot != council.ChoiceYes {
		b.CriticalBlockers = s.review().CriticalBlockers
	}
	if s.Motion != nil && len(s.Proposed) == 0 && s.Charter.AsksStances() {
		b.Stance = shorten("first "+s.focus.name, council.MaxStance)
		if s.holdsRequest() {
			b.Stance = "all that was asked for"
		}
	}
	return b
}

// dissent is for a member whose request is not in the motion that was decided last.
func (s seat) dissent() council.Body {
	voted := slices.DeleteFunc(slices.Clone(s.log.Motions), func(m *minutes.Motion) bool { return m.Vote == nil })
	if n := len(voted); n > 0 && !strings.Contains(voted[n-1].Text, s.focus.asks) {
		return council.Dissent{Dissent: fmt.Sprintf("The motion of %s does not say %s. I asked for it, and still do.",
			voted[n-1].Event, s.focus.asks)}
	}
	return council.Dissent{}
}

// assess reports for each deliverable whether a motion carried. Quality gates are not met.
func (s seat) assess() council.Body {
	var a council.Assessment
	var cites []string
	claim := "Nothing carried in this phase."
	here := s.motionsHere()
	if i := slices.IndexFunc(here, isCarried); i >= 0 {
		m := here[i]
		cites = []string{m.Event, m.DecidedIn}
		if claim = text(m); len(m.Options) == 0 {
			claim = "The motion in " + m.Event + " carried. It takes up " + s.cast.subjects(m.Text, s.Seats) + "."
		}
		a.Citations = cites
		for _, f := range s.cast.focusesIn(m.Text, s.Seats) {
			if len(a.Risks) < 8 {
				a.Risks = append(a.Risks, council.Risk{Risk: "It is not known " + f.asks + ".",
					Mitigation: "Write down " + f.asks + "."})
			}
		}
	}
	for _, e := range s.visit {
		if _, is := e.Payload.(council.ContributionMade); is && len(a.Citations) < 10 {
			a.Citations = append(a.Citations, e.Seq.ID())
		}
	}
	for _, d := range s.Phase.Deliverables {
		a.Deliverables = append(a.Deliverables,
			council.Claim{ID: d.ID, Claim: claim, Citations: cites, Met: len(cites) > 0})
	}
	for _, gate := range s.Phase.QualityGates {
		a.QualityGates = append(a.QualityGates, council.Claim{ID: gate, Claim: "A rehearsal does not judge quality."})
	}
	for _, p := range s.passages {
		if strings.Contains(p.text, " must ") && len(a.Constraints) < 4 {
			a.Constraints = append(a.Constraints, p.plain())
		} else if strings.Contains(p.text, " about ") && len(a.Assumptions) < 4 {
			a.Assumptions = append(a.Assumptions, p.plain())
		}
	}
	return a
}

// text returns the words of a motion that carried; options have none.
func text(m *minutes.Motion) string {
	return cmp.Or(m.Text, "The council ranked the options and chose “"+m.Decision+"”.")
}

// summary returns the leader's account: the resolution, and the steps that it asks for.
func (s seat) summary() council.Body {
	out := council.Summary{SummaryMarkdown: "Rehearsal: no model was asked. The council was asked " + s.question() + "."}
	m := s.resolution()
	if m == nil {
		out.Undecided = &council.Undecided{Alternatives: council.Map(s.Seats, func(id council.MemberID) council.Alternative {
			asks := s.cast[id].asks
			return council.Alternative{Answer: "Write down " + asks + ".", HeldBy: []council.MemberID{id},
				RightIf: "it is not known " + asks}
		})}
		return out
	}
	out.SummaryMarkdown += "\n\nWhat was resolved:\n\n" + text(m)
	b := &council.Brief{Objective: m.Decision, Motions: council.Strings(s.Standing),
		RecommendedExecutorProfile: cmp.Or(strings.TrimSpace(s.Charter.Execution.DefaultExecutorProfile), "engineer")}
	for _, f := range s.cast.focusesIn(m.Text, s.Seats) {
		b.Steps = append(b.Steps, council.Step{Step: "Write down " + f.asks + ".",
			AcceptanceCriteria: []string{"It can be read " + f.asks + "."}})
		b.Risks = append(b.Risks, council.BriefRisk{Risk: "It is not known " + f.asks + "."})
	}
	if len(b.Steps) > 0 {
		out.RequiresExecution, out.ExecutionBrief = true, b
	}
	return out
}
