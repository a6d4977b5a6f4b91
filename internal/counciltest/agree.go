package counciltest

import "github.com/council-engine/council/council"

// Agree returns the answer of an agreeable member to any ask: the first seat leads, each turn is a motion, and all
// second, approve and rank the first option highest. Motions and drafts name their asks, so none is moved twice.
func Agree(v council.View) council.Body {
	text := string(v.Ask.ID)
	switch v.Ask.Kind {
	case council.AskPosition:
		p := council.Position{Position: "P", Confidence: 0.5, Stance: "yes", CandidateID: v.Seats[0]}
		if options := v.Charter.Options; len(options) > 0 {
			p.Ranking = council.Ranks{options[:1]}
		}
		return p
	case council.AskNominate:
		return council.Nomination{Rationale: "R", CandidateID: v.Seats[0]}
	case council.AskTurn:
		return council.Turn{Action: council.ActionCallVote, MotionTitle: "T", MotionText: text, DecisionIfPass: "D"}
	case council.AskReply:
		return council.Answer{Answer: "A"}
	case council.AskSecond:
		return council.Second{Rationale: "R", Stand: council.StandSupport, Second: true}
	case council.AskAmend:
		return council.Amend{Rationale: "R"}
	case council.AskBallot:
		return council.Ballot{Rationale: "R", Ballot: council.ChoiceYes, Stance: "yes"}
	case council.AskRank:
		return council.Ranked{Rationale: "R", Ranking: council.Ranks{v.Motion.Options[:1]}}
	case council.AskAssess:
		return council.Assessment{Citations: []string{"e1"}}
	case council.AskSummary:
		return council.Summary{SummaryMarkdown: "S"}
	case council.AskDraft:
		return council.Draft{Markdown: "# " + text}
	case council.AskReview:
		return council.Review{CriticalBlockers: []council.Blocker{{Section: "S", Problem: "P", Severity: "high"}}}
	}
	return council.Dissent{Dissent: "D"}
}
