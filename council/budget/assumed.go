package budget

import (
	"slices"

	"github.com/council-engine/council/council"
)

// body returns the assumed answer to a question. resolved: its phase is resolved. last: of those open together.
func (w *course) body(v council.View, resolved, last bool) council.Body {
	text := string(v.Ask.ID)
	switch v.Ask.Kind {
	case council.AskPosition:
		p := council.Position{Position: text, Confidence: 1, CandidateID: v.Seats[0], Stance: "agreed"}
		if w.kind != least {
			p.Stance = string(v.Ask.Member)
		}
		if options := slices.Concat(v.Charter.Options, v.Options); len(options) > 0 {
			p.Ranking = council.Ranks{options[:1]}
			if v.Charter.IsAuto() {
				p.Ranking, p.Missing = w.rankAtOnce(v, options)
			}
		}
		return p
	case council.AskPropose:
		proposal := council.Answers{Crux: text, Text: text, Summary: council.Summary{SummaryMarkdown: text}}
		for i, m := range v.Positions {
			if i == 0 || w.kind != least {
				proposal.Answers = append(proposal.Answers, council.Held{Answer: string(m)})
			}
			last := len(proposal.Answers) - 1
			proposal.Answers[last].HeldBy = append(proposal.Answers[last].HeldBy, m)
		}
		return proposal
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
		if v.Charter.IsAuto() {
			var ranked council.Ranked
			ranked.Ranking, ranked.Missing = w.rankAtOnce(v, v.Motion.Options)
			return ranked
		}
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

// rankAtOnce returns the assumed ballot at the pace auto: all agree; or the last seat does not before the round; or all
// reject the answers, change their ballots in every round, and name an answer that is missing.
func (w *course) rankAtOnce(v council.View, options []string) (ranking council.Ranks, missing string) {
	first, none := council.Ranks{options[:1]}, council.Ranks{{council.NoneOfThese}}
	switch {
	case w.kind == most && v.Round%2 == 1:
		return append(none, options[:1]), ""
	case w.kind == most:
		return none, "missing"
	case w.kind == usual && v.Round == 0 && v.Ask.Member == v.Seats[len(v.Seats)-1]:
		return none, ""
	}
	return first, ""
}

// lastTurn reports whether a turn, or the motion that was made in it, is the last of its phase.
func lastTurn(v council.View) bool {
	return v.Round == v.Phase.StopConditions.MaxRounds && (v.Turn == 0 || v.Turn == len(v.Seats))
}

// turn returns the assumed turn. In a round that is held together one member moves, as several motions would be one.
func (w *course) turn(v council.View, resolved bool, text string) council.Turn {
	switch moves := len(v.Options) == 0 && (v.Turn > 0 || v.Ask.Member == v.Seats[len(v.Seats)-1]); {
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
