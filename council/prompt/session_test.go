package prompt_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	rulesCharter "github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/counciltest"
)

// play takes a session from its opening to its close. Every ask goes to answer, which may return a fault.
func play(t testing.TB, s *rules.Session, answer func(council.View) council.Reply) {
	t.Helper()
	counciltest.Hold(t, s, counciltest.Answers(answer))
}

func convene(t testing.TB, topic council.Topic, c council.Charter, memory ...council.Reminder) *rules.Session {
	t.Helper()
	return counciltest.Open(t, "20261121-100000-a-test-k3v9", topic, c, memory...)
}

// charter seats the first n of nine members for two phases and a document.
func charter(n, rounds int) council.Charter {
	names := []string{"Ada", "Bob", "Cyn", "Dov", "Eve", "Fay", "Gus", "Hal", "Ivy"}
	roles := []string{"architect", "operator", "skeptic", "economist", "lawyer", "designer", "tester", "historian", "user"}
	c := council.Charter{
		CouncilName: "Bridge council",
		Purpose:     "To decide how the bridge is renewed.",
		SessionPolicy: council.SessionPolicy{EntryPhaseID: "explore", MaxPhaseTransitions: 2,
			PhaseContextVerbosity: council.VerbosityStandard},
		Phases:              []council.Phase{phase("explore", rounds), phase("decide", rounds)},
		Output:              council.Output{Type: council.OutputDocumentation},
		DocumentationReview: council.DocumentationReview{MaxRevisionRounds: 1, Sections: []string{"Decision", "Risks"}},
		Deliberation:        council.Deliberation{SealedPositions: true},
		Storage:             council.Storage{RootDir: ".council", MemoryDir: ".council/memory"},
		Execution:           council.Execution{RequireHumanApproval: true, DefaultExecutorProfile: "engineer"},
	}
	c.Phases[0].Transitions = []council.Transition{
		{To: "decide", When: council.TriggerAlways, Reason: "What is known must be decided upon."}}
	for i := range n {
		c.Members = append(c.Members, council.Member{
			ID: council.MemberID(strings.ToLower(names[i])), Name: names[i], Role: roles[i],
			SystemPrompt: "You look at the matter as " + roles[i] + ".", Traits: []string{"careful", "dry"},
			FocusWeights: map[string]float64{"cost": 0.3, "safety": 0.7},
			Model:        council.Model{Provider: "vendorprovider", Model: "vendormodel"},
		})
	}
	return c
}

func phase(id council.PhaseID, rounds int) council.Phase {
	options := council.Deliverable{ID: "options", Description: "The options with their costs", Required: true}
	return council.Phase{ID: id, Goal: "To " + string(id) + " how to renew the bridge",
		PromptGuidance:       []string{"Name what you do not know."},
		Deliverables:         []council.Deliverable{options},
		Governance:           council.Governance{RequireSeconding: true, MajorityThreshold: "0.5", CountOf: "members"},
		StopConditions:       council.StopConditions{MaxRounds: rounds, EndOnMajorityVote: true},
		MemoryPolicy:         council.MemoryPolicy{IncludePriorPhaseSummary: true},
		EvidenceRequirements: council.EvidenceRequirements{MinCitations: 1},
		QualityGates:         []string{"Every cost has a source"},
		Fallback:             council.Fallback{Resolution: "The bridge stays as it is.", Action: council.FallbackEndSession}}
}

// steady answers as long-winded but orderly members do: they contribute chars characters in every turn, the last seat
// moves a motion in the last round, all but the second seat agree, and the first version of the document is rejected.
func steady(chars int) func(council.View) council.Reply {
	return func(v council.View) council.Reply {
		r := council.Reply{Ask: v.Ask.ID}
		switch v.Ask.Kind {
		case council.AskPosition:
			r.Body = council.Position{Position: speech(v, 60), Confidence: 0.6, Overlooked: []string{"The lease ends in May."}}
			if options := v.Charter.Options; len(options) > 0 {
				p := r.Body.(council.Position)
				p.Ranking, p.Stance = council.Ranks{{options[1]}, {options[0], council.NoneOfThese}}, options[1]
				r.Body = p
			}
			if v.Charter.IsAuto() {
				p := r.Body.(council.Position)
				p.Overlooked, p.Counter, p.ChangeMind = nil, speech(v, 40), speech(v, 40)
				p.Stance, p.CandidateID = []string{"In two halves", "All at once",
					"In two halves"}[slices.Index(v.Seats, v.Ask.Member)],
					v.Seats[0]
				if len(v.Charter.Options) > 0 {
					p.Ranking = council.Ranks{{p.Stance}}
				}
				r.Body = p
			}
		case council.AskPropose:
			r.Body = council.Answers{Crux: "Can the traffic stop?", Text: speech(v, 80), Answers: []council.Held{
				{Answer: "In two halves", HeldBy: []council.MemberID{v.Seats[0], v.Seats[2]}},
				{Answer: "All at once", HeldBy: v.Seats[1:2]}},
				Summary: council.Summary{SummaryMarkdown: speech(v, 80), RequiresExecution: true,
					ExecutionBrief: &council.Brief{Objective: "Renew it.", RecommendedExecutorProfile: "engineer",
						Steps: []council.Step{{Step: "Close one half."}}, AcceptanceCriteria: []string{"Traffic never stops."}}}}
		case council.AskNominate:
			r.Body = council.Nomination{Rationale: speech(v, 40), CandidateID: v.Seats[0]}
		case council.AskTurn:
			if v.MayAsk && v.Turn == 1 {
				r.Body = council.Turn{Action: council.ActionAsk, To: v.Seats[1], Question: speech(v, 20)}
				break
			}
			last := v.Round == v.Phase.StopConditions.MaxRounds && v.Turn == len(v.Seats)
			if last && len(v.Charter.OptionsOf(v.Phase)) == 0 {
				r.Body = council.Turn{Action: council.ActionCallVote, MotionTitle: "Renew in two halves", MotionText: speech(v, 80),
					DecisionIfPass: "The bridge is renewed in two halves."}
				break
			}
			r.Body = council.Turn{Action: council.ActionContribute, Message: speech(v, chars)}
		case council.AskReply:
			r.Body = council.Answer{Answer: speech(v, 40)}
		case council.AskSecond:
			r.Body = council.Second{Rationale: speech(v, 40), Second: true}
			if v.Phase.Governance.Debate {
				r.Body = stands(v)
			}
		case council.AskAmend:
			said := council.Amend{Rationale: speech(v, 40)}
			for _, p := range v.Proposed {
				if p.By != v.Ask.Member && (v.Motion.Mover != v.Ask.Member || p.Substitute == nil) {
					said.Amendments = append(said.Amendments, p.ID)
				}
			}
			r.Body = said
		case council.AskBallot:
			choice := council.ChoiceYes
			if v.Ask.Member == v.Seats[1] || v.Motion == nil && v.Draft.Version == 1 {
				choice = council.ChoiceNo
			}
			ballot := council.Ballot{Rationale: speech(v, 60), Ballot: choice}
			if v.Charter.IsAuto() && choice == council.ChoiceNo {
				ballot.CriticalBlockers = []council.Blocker{{ID: "b1", Section: "Risks", Problem: "Ice is left out.",
					Impact: "It may slip.", RequiredChange: "Add it.", Severity: "high"}}
			}
			r.Body = ballot
		case council.AskRank:
			r.Body = council.Ranked{Rationale: speech(v, 60),
				Ranking: council.Ranks{{v.Motion.Options[1]}, {v.Motion.Options[0], council.NoneOfThese}}}
			if v.Charter.IsAuto() {
				ranked := council.Ranked{Rationale: speech(v, 60), Ranking: council.Ranks{{v.Motion.Options[0]}}}
				if v.Ask.Member == v.Seats[1] {
					ranked.Ranking = council.Ranks{{v.Motion.Options[1]}}
				}
				r.Body = ranked
			}
		case council.AskAssess:
			r.Body = council.Assessment{
				Deliverables: []council.Claim{{ID: "options", Claim: "They are listed.", Citations: []string{"e9"}, Met: true}},
				Citations:    []string{"e9", "e9000"},
			}
		case council.AskSummary:
			r.Body = council.Summary{SummaryMarkdown: speech(v, 80),
				RequiresExecution: true, ExecutionBrief: &council.Brief{Objective: "Renew it.",
					RecommendedExecutorProfile: "engineer", Motions: standing(v),
					Steps:              []council.Step{{Step: "Close one half."}},
					AcceptanceCriteria: []string{"Traffic never stops."}}}
		case council.AskDraft:
			d := council.Draft{Markdown: "# The bridge\n\n## Decision\n\n" + speech(v, 3*chars) +
				"\n\n## Risks\n\nNone is known."}
			if v.Charter.IsAuto() {
				d.Markdown += "\n\n## Options\n\nTwo."
			}
			for _, b := range v.Blockers {
				d.Responses = append(d.Responses,
					council.BlockerResponse{BlockerID: b.ID, Answer: council.AnswerAccepted, Note: "It is right."})
			}
			r.Body = d
		case council.AskReview:
			r.Body = council.Review{CriticalBlockers: []council.Blocker{{ID: "b1", Section: "Risks", Problem: "Ice is left out.",
				Impact: "It may slip.", RequiredChange: "Add it.", Severity: "high"}}, SuggestedChanges: []string{"Shorten it."}}
		case council.AskDissent:
			r.Body = council.Dissent{Dissent: speech(v, 80)}
		}
		return r
	}
}

// stands makes the second seat substitute the motion, the first change its title, and the others support it.
func stands(v council.View) council.Second {
	b := council.Second{Rationale: speech(v, 40), Second: true, Stand: council.StandSupport}
	switch v.Ask.Member {
	case v.Motion.Mover:
	case v.Seats[0]:
		if !strings.Contains(v.Motion.Text+v.Motion.Title+v.Motion.Decision, "in two halves") {
			break
		}
		b.Stand, b.Amendment = council.StandAmend, &council.Amendment{Strike: "in two halves", Insert: "in three parts"}
	case v.Seats[1]:
		b.Stand, b.Amendment = council.StandAmend, &council.Amendment{Substitute: &council.Wording{
			MotionTitle: "Leave the bridge", MotionText: "The bridge is left as it is.", DecisionIfPass: "Nothing is done."}}
	}
	return b
}

// debating returns the charter with a debate on motions in its last phase.
func debating(c council.Charter) council.Charter {
	c.Phases[1].Governance.Debate, c.Phases[1].Governance.MaxAmendments = true, 2
	return c
}

// speech is about n characters of prose that differs with the ask.
func speech(v council.View, n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, "%s says in %s that point %d bears on the cost, on the time and on the safety of the bridge. ",
			v.Ask.Member, v.Ask.ID, i+1)
	}
	return strings.TrimSpace(b.String()[:n])
}

func asking(c council.Charter) council.Charter {
	for i := range c.Phases {
		c.Phases[i].StopConditions.MaxQuestions = 1
	}
	return c
}

// auto returns the charter at the pace auto, as it is opened.
func auto(c council.Charter) council.Charter {
	c.Deliberation.Pace = council.PaceAuto
	rulesCharter.SetPace(&c)
	return c
}

// choosing returns the charter with a first phase that ranks options.
func choosing(c council.Charter) council.Charter {
	c.Options, c.Phases[0].Decides = []string{"In two halves", "All at once"}, true
	return c
}

// standing lists the motions that the view's member may name.
func standing(v council.View) (ids []string) {
	for _, id := range v.Standing {
		ids = append(ids, string(id))
	}
	return ids
}

// converse plays a session in which every seat has one conversation, and hands answer each ask with its prompt.
func converse(t testing.TB, s *rules.Session, limits prompt.Limits,
	answer func(council.View, *prompt.Prompt) council.Reply) {
	t.Helper()
	seats := map[council.MemberID]*prompt.Conversation{}
	play(t, s, func(v council.View) council.Reply {
		if seats[v.Ask.Member] == nil {
			seats[v.Ask.Member] = prompt.NewConversation(limits)
		}
		return answer(v, seats[v.Ask.Member].Next(v))
	})
}
