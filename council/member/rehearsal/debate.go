package rehearsal

import (
	"fmt"
	"slices"
	"strings"

	"github.com/council-engine/council/council"
)

// position returns the member's sealed position.
func (s seat) position() council.Body {
	found := s.best(s.focus, 4, func(p passage) bool { return p.place != "" })
	p := council.Position{Confidence: 0.5}
	text := "I look at this for " + s.focus.name + ". "
	if len(found) == 0 {
		text += "There is no document to quote, so I have only the topic. "
	} else {
		text += "This bears on it: " + found[0].quote() + ". "
		for _, q := range found[1:] {
			if s.owner(q) == s.Seat.ID && len(p.Overlooked) < 2 {
				p.Overlooked = append(p.Overlooked, q.plain())
			}
		}
	}
	p.Position = text + "Whatever we decide must say " + s.focus.asks + "."
	if s.Charter.AsksStances() {
		p.Stance = brief("first "+s.focus.name, council.MaxStance)
	}
	if options := s.Charter.Options; len(options) > 0 {
		p.Ranking = s.ranking(options)
	}
	if s.Charter.Deliberation.ElectWithPositions {
		p.CandidateID = s.nominate().CandidateID
	}
	return p
}

// ranking orders options by how much of what was given fits the member's focus and the option; among equals the first
// seat begins with the first option, the next with the last, and so on by turns.
func (s seat) ranking(options []string) council.Ranks {
	fits := func(option string) (n int) {
		words := wordsOf(option)
		for _, p := range s.passages {
			n += min(1, fit(s.focus.words, p.words)) * shared(words, p.words)
		}
		return n
	}
	turned := slices.Clone(options)
	if slices.Index(s.Seats, s.Seat.ID)%2 == 1 {
		slices.Reverse(turned)
	}
	slices.SortStableFunc(turned, func(a, b string) int { return fits(b) - fits(a) })
	var ranks council.Ranks
	for _, o := range turned {
		ranks = append(ranks, []string{o})
	}
	return ranks
}

// owner returns the seat whose focus a passage fits best, the first of equals.
func (s seat) owner(p passage) council.MemberID {
	var best council.MemberID
	most := 0
	for _, id := range s.Seats {
		if n := fit(s.cast[id].words, p.words); n > most {
			best, most = id, n
		}
	}
	return best
}

// nominate names the other member whose focus most passages fit.
func (s seat) nominate() council.Nomination {
	var best council.MemberID
	most := -1
	for _, id := range s.Seats {
		n := 0
		for _, p := range s.passages {
			n += min(1, fit(s.cast[id].words, p.words))
		}
		if id != s.Seat.ID && n > most {
			best, most = id, n
		}
	}
	return council.Nomination{CandidateID: best,
		Rationale: fmt.Sprintf("%d of the passages that we were given fit what %s looks for, %s.", most, s.name(best),
			s.cast[best].name)}
}

// reply quotes what bears most on the member's focus.
func (s seat) reply() council.Body {
	found := s.best(s.focus, 1, func(passage) bool { return true })
	if len(found) == 0 {
		return council.Answer{Answer: "I was given nothing but the topic, so I do not know."}
	}
	return council.Answer{Answer: "This: " + found[0].quote() + "."}
}

// turn moves a motion where one is due, asks once in a session what another member knows, quotes a passage that was not
// quoted, or passes.
func (s seat) turn() council.Body {
	if s.due() {
		if motion, fresh := s.move(); fresh {
			return motion
		}
	}
	if s.MayAsk && !s.course.asked && s.Round == 1 && s.Turn == len(s.Seats) && s.Phase.StopConditions.MaxRounds > 1 {
		to := s.nominate().CandidateID
		return council.Turn{Action: council.ActionAsk, To: to,
			Question: "Which passage bears most on " + s.cast[to].name + "?"}
	}
	found := s.best(s.focus, 1, s.fresh)
	fits := len(found) > 0 && fit(s.focus.words, found[0].words) > 0
	if !fits && slices.ContainsFunc(s.course.turns, func(e council.Event) bool { return e.Actor == s.Seat.ID }) {
		return council.Turn{Action: council.ActionPass, Reason: "Nothing on " + s.focus.name + " is left to quote."}
	}
	text := "I have nothing to quote on " + s.focus.name
	switch {
	case fits:
		text = "For " + s.focus.name + ": " + found[0].quote()
	case len(found) > 0:
		text = "Nothing that I was given is about " + s.focus.name + "; this comes nearest: " + found[0].quote()
	}
	return council.Turn{Action: council.ActionContribute,
		Message: text + ". I ask that the decision say " + s.focus.asks + "."}
}

// due reports whether this turn is for a motion: from the second round on, where none has carried in the phase, and
// after a lost one when the member did not vote for it.
func (s seat) due() bool {
	if s.Phase == nil || len(s.Charter.Options) > 0 {
		return false // options are ranked when the debate ends
	}
	rounds, here := s.Phase.StopConditions.MaxRounds, s.course.here()
	if s.Blind() { // every third member moves at once, where the phase is there to decide
		return s.Round == rounds && len(s.Phase.Transitions) == 0 && slices.Index(s.Seats, s.Seat.ID)%3 == 0
	}
	if len(here) == 0 {
		return s.Round >= 2 || rounds <= 1 && s.Turn > len(s.Seats)/2
	}
	last := here[len(here)-1]
	yes := slices.Contains(last.votes, vote{s.Seat.ID, council.ChoiceYes})
	return len(here) < 3 && !slices.ContainsFunc(here, (*motion).carried) && (!yes || s.Turn == len(s.Seats))
}

// move collects what was asked for. The first motion of a phase holds few requests and the next ones more, so that
// votes differ and a motion that was lost can be amended. It is not fresh if every such motion was lost before.
func (s seat) move() (motion council.Turn, fresh bool) {
	n := len(s.Seats)
	for take := []int{2 + n/8, max(2, n-1), n}[min(2, len(s.course.here()))]; take <= n; take++ {
		m := s.collect(take)
		says := council.Wording{MotionText: m.MotionText, DecisionIfPass: m.DecisionIfPass}
		if council.LostBefore(s.Events, says, nil) == 0 {
			return m, true
		}
	}
	return motion, false
}

// collect moves what so many members ask for, from this one on.
func (s seat) collect(take int) council.Turn {
	n := len(s.Seats)
	at := slices.Index(s.Seats, s.Seat.ID)
	var list, asks []string
	for i := range take {
		id := s.Seats[(at+i)%n]
		f := s.cast[id]
		if slices.Contains(asks, f.asks) {
			continue
		}
		asks = append(asks, f.asks)
		line := "- " + f.asks + ", for " + f.name + ", as " + s.name(id) + " asks"
		if found := s.best(f, 1, func(passage) bool { return true }); len(found) > 0 {
			line += ": " + found[0].quote()
		}
		list = append(list, line)
	}
	text := "That our answer to " + s.question() + " say:\n\n" + strings.Join(list, "\n")
	return council.Turn{Action: council.ActionCallVote, MotionText: text,
		MotionTitle: "Answer “" + innerQuotes.Replace(brief(s.Topic.Text, 60)) + "” for " + brief(s.subjects(text), 60),
		DecisionIfPass: "The answer to “" + innerQuotes.Replace(brief(s.Topic.Text, 100)) + "” says " +
			strings.Join(asks, "; ") + "."}
}

// subjects names what a text asks for.
func (s seat) subjects(text string) string {
	var names []string
	for _, f := range s.agreed(text) {
		names = append(names, f.name)
	}
	return strings.Join(slices.Compact(names), ", ")
}

// held reports whether a motion holds what this member asks for.
func (s seat) held() bool { return s.Motion != nil && strings.Contains(s.Motion.Text, s.focus.asks) }

// second seconds what holds the member's request, and in the last round whatever there is.
func (s seat) second() council.Body {
	b := council.Second{Rationale: "It leaves out " + s.focus.name + "."}
	switch {
	case s.held():
		b.Second, b.Rationale = true, "It holds what I ask for on "+s.focus.name+"."
	case s.Phase == nil || s.Round >= s.Phase.StopConditions.MaxRounds:
		b.Second, b.Rationale = true, "It leaves out "+s.focus.name+", and the last round is a time to vote."
	}
	return s.stand(b)
}

// ballot votes on the draft, on an amendment, or for a motion that holds what the member asks for.
func (s seat) ballot() council.Body {
	b := council.Ballot{Ballot: council.ChoiceYes, Rationale: "It says " + s.focus.asks + ".",
		Stance: brief("first "+s.focus.name, council.MaxStance)}
	switch {
	case s.Motion == nil && s.Draft != nil:
		return s.ballotOnDraft()
	case len(s.Proposed) > 0:
		return s.ballotOnAmendment()
	case s.Motion == nil:
		b.Ballot, b.Rationale = council.ChoiceAbstain, "There is no motion before me."
	case s.held():
		b.Stance = brief("all that was asked for", council.MaxStance)
	case s.subjects(s.Motion.Text) == "":
		b.Ballot, b.Rationale = council.ChoiceAbstain, "It takes up nothing that a rehearsed member asks for."
	default:
		b.Ballot, b.Rationale = council.ChoiceNo, "It does not say "+s.focus.asks+"."
	}
	if !s.Charter.AsksStances() {
		b.Stance = ""
	}
	return b
}

// dissent is for a member whose request is not in the resolution.
func (s seat) dissent() council.Body {
	for _, m := range slices.Backward(s.course.motions) {
		if m.decision != nil {
			if strings.Contains(m.Text, s.focus.asks) {
				return council.Dissent{}
			}
			return council.Dissent{Dissent: fmt.Sprintf("The motion of %s does not say %s. I asked for it, and still do.",
				m.Seq.ID(), s.focus.asks)}
		}
	}
	return council.Dissent{}
}

// stand adds to the answer of a member where it stands, where that is asked. All members but the last after the
// mover propose to add what they ask for, if the motion does not hold it.
func (s seat) stand(b council.Second) council.Second {
	if s.Phase == nil || !s.Phase.Governance.Debate {
		return b
	}
	b.Second = b.Second && s.Phase.Governance.RequireSeconding
	b.Stand = council.StandOppose
	if s.held() {
		b.Stand = council.StandSupport
		return b
	}
	n := len(s.Seats)
	after := (slices.Index(s.Seats, s.Seat.ID) - slices.Index(s.Seats, s.Motion.Mover) + n) % n
	if !s.Phase.Governance.Amends() || len(s.Motion.Options) > 0 || after > n-2 {
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
		if p.By != s.Seat.ID {
			b.Amendments = append(b.Amendments, p.ID)
		}
	}
	if s.Motion.Mover == s.Seat.ID && len(b.Amendments) > 0 {
		b.Amendments, b.Rationale = b.Amendments[:1], "The first takes nothing from what I ask for."
	}
	return b
}

// ballotOnAmendment votes for what only adds to the motion; the mover holds that enough was added.
func (s seat) ballotOnAmendment() council.Ballot {
	if s.Motion.Mover == s.Seat.ID {
		return council.Ballot{Ballot: council.ChoiceNo, Rationale: "The motion holds enough."}
	}
	return council.Ballot{Ballot: council.ChoiceYes, Rationale: "It adds to the motion, and takes nothing away."}
}
