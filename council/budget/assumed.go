package budget

import (
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
)

// maxQuestions is how many questions of a session a forecast follows.
const maxQuestions = 20_000

// follow returns the course of one case. Whether phases come to a resolution is chosen so that the session has the
// fewest questions at least, and the most at most; usually each does.
func follow(c *council.Charter, kind outcome, systems []int64) *course {
	resolved := map[council.PhaseID]bool{}
	for _, p := range c.Phases {
		resolved[p.ID] = kind == usual
	}
	best := newCourse(c, kind, systems)
	best.run(resolved)
	for again := kind != usual; again && !best.more; {
		again = false
		for _, p := range c.Phases {
			other := newCourse(c, kind, systems)
			resolved[p.ID] = !resolved[p.ID]
			other.run(resolved)
			if kind == least && other.asks < best.asks || kind == most && other.asks > best.asks {
				best, again = other, true
			} else {
				resolved[p.ID] = !resolved[p.ID]
			}
		}
	}
	return best
}

// run puts the questions of a session in which the phases named come to a resolution.
func (w *course) run(resolved map[council.PhaseID]bool) {
	c := *w.charter
	c.Budget = council.Budget{}
	opening, err := rules.Open("forecast", council.Topic{Text: "forecast"}, c)
	if err != nil {
		return
	}
	s, err := rules.Replay(rules.Log(opening))
	apply := func(e council.Event, failed error) {
		if err = failed; err == nil {
			err = s.Apply(e)
		}
	}
	unable := 0 // members that could not give the answer of a leader
	for err == nil {
		next := s.Ready()
		switch {
		case next.Outcome != nil:
			return
		case next.Event != nil:
			apply(*next.Event, nil)
			continue
		case w.asks >= maxQuestions:
			w.more = true
			return
		}
		k := next.Asks[0].Kind
		var asked []council.MemberID
		usable, anyone := 0, k == council.AskReply || w.kind == least && (leads(k) || k == council.AskSecond)
		for i, a := range next.Asks {
			if s.Ready().Event != nil {
				break // the second that was needed is there
			}
			r := council.Reply{Ask: a.ID}
			if w.kind == most && leads(a.Kind) && unable < len(w.own)-1 {
				unable++
				r.Fault = &council.Fault{Kind: council.FaultUnparsable}
			} else {
				unable, usable = 0, usable+1
				v := s.View(a)
				r.Body = w.body(v, v.Phase != nil && resolved[v.Phase.ID], i == len(next.Asks)-1)
				t, _ := r.Body.(council.Turn)
				anyone = anyone || w.kind == least && v.Turn > 0 && t.Action == council.ActionCallVote
			}
			apply(s.Answer(r))
			asked = append(asked, a.Member)
		}
		w.add(asked, k, usable, anyone)
	}
	w.more = true // a test holds that the rules take the assumed answers
}

// leads reports whether only a leader is asked.
func leads(k council.AskKind) bool {
	return k == council.AskAssess || k == council.AskSummary || k == council.AskDraft
}

// body returns the assumed answer to a question, in a phase that comes to a resolution or not. last: to the last of the
// questions that are open together.
func (w *course) body(v council.View, resolved, last bool) council.Body {
	text := string(v.Ask.ID)
	switch v.Ask.Kind {
	case council.AskPosition:
		p := council.Position{Position: text, Confidence: 1, CandidateID: v.Seats[0], Stance: "agreed"}
		if w.kind != least {
			p.Stance = string(v.Ask.Member)
		}
		if len(v.Charter.Options) > 0 {
			p.Ranking = council.Ranks{v.Charter.Options[:1]}
		}
		return p
	case council.AskNominate:
		return council.Nomination{CandidateID: v.Seats[0]}
	case council.AskTurn:
		return w.turn(v, resolved, text)
	case council.AskReply:
		return council.Answer{Answer: text}
	case council.AskSecond:
		second := council.Second{Second: w.kind == least || last, Stand: council.StandSupport}
		if w.kind == most && v.Phase.Governance.Amends() && len(v.Motion.Options) == 0 {
			second.Stand = council.StandAmend
			other := council.Wording{MotionTitle: text, MotionText: text, DecisionIfPass: text}
			second.Amendment = &council.Amendment{Substitute: &other}
		}
		return second
	case council.AskAmend:
		var amend council.Amend
		for _, p := range v.Proposed {
			if p.By != v.Ask.Member && v.Motion.Mover != v.Ask.Member {
				amend.Amendments = append(amend.Amendments, p.ID)
			}
		}
		return amend
	case council.AskBallot:
		yes := len(v.Proposed) == 0 && resolved && (w.kind != most || lastTurn(v)) // on a motion
		if v.Motion == nil {
			revisions := min(1, v.Charter.DocumentationReview.MaxRevisionRounds)
			yes = w.kind == least || w.kind == usual && v.Draft.Version > revisions
		}
		if yes {
			return council.Ballot{Ballot: council.ChoiceYes}
		}
		return council.Ballot{Ballot: council.ChoiceAbstain}
	case council.AskRank:
		if resolved {
			return council.Ranked{Ranking: council.Ranks{v.Motion.Options[:1]}}
		}
		return council.Ranked{Ranking: council.Ranks{{council.NoneOfThese}}}
	case council.AskAssess:
		return council.Assessment{}
	case council.AskSummary:
		return council.Summary{SummaryMarkdown: text}
	case council.AskDraft:
		return council.Draft{Markdown: text}
	case council.AskReview:
		return council.Review{CriticalBlockers: []council.Blocker{{Problem: text}}}
	}
	return council.Dissent{Dissent: text}
}

// lastTurn reports whether a turn, or the motion that was made in it, is the last of its phase.
func lastTurn(v council.View) bool {
	return v.Round == v.Phase.StopConditions.MaxRounds && (v.Turn == 0 || v.Turn == len(v.Seats))
}

// turn returns the assumed turn. In a round that is held together one member moves, because several motions would come
// to one vote without a second.
func (w *course) turn(v council.View, resolved bool, text string) council.Turn {
	moves := len(v.Options) == 0 && (v.Turn > 0 || v.Ask.Member == v.Seats[len(v.Seats)-1])
	switch {
	case moves && (w.kind == most || w.kind == usual && lastTurn(v) ||
		w.kind == least && resolved && v.Round == 1 && v.Turn <= 1):
		return council.Turn{Action: council.ActionCallVote, MotionTitle: text, MotionText: text, DecisionIfPass: text}
	case w.kind == least:
		return council.Turn{Action: council.ActionPass}
	case w.kind == most && v.MayAsk:
		to := v.Seats[0]
		if to == v.Ask.Member {
			to = v.Seats[1]
		}
		return council.Turn{Action: council.ActionAsk, To: to, Question: text}
	}
	return council.Turn{Action: council.ActionContribute, Message: text + " [" + v.Ask.AsOf.ID() + "]"}
}
