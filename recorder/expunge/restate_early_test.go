package expunge_test

import (
	"slices"
	"strconv"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/charter"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/wire"
)

// held returns the log of a session of three in which members answer as say does.
func held(t *testing.T, change func(*council.Charter), say func(council.Ask) council.Body) []council.Event {
	t.Helper()
	c := counciltest.Small("ada", "bob", "cyn")
	c.Phases[0].Governance = council.Governance{MajorityThreshold: "0.5", CountOf: "cast"}
	c.Phases[0].StopConditions = council.StopConditions{MaxRounds: 5}
	c.Deliberation = council.Deliberation{SealedPositions: true, Stances: true, ContestedOnly: true}
	change(&c)
	s := counciltest.Open(t, "s1", council.Topic{Text: "Shall we?"}, c)
	return counciltest.Hold(t, s, counciltest.Answers(func(v council.View) council.Reply {
		return council.Reply{Ask: v.Ask.ID, Body: say(v.Ask)}
	})).Events()
}

// early returns the log of a session that ends early: its members agree, or a round brings nothing new.
func early(t *testing.T, agree bool) []council.Event {
	t.Helper()
	turns := 0
	return held(t, func(*council.Charter) {}, func(a council.Ask) council.Body {
		switch a.Kind {
		case council.AskPosition:
			if !agree {
				return council.Position{Position: "P", Confidence: 1, Stance: "as " + string(a.Member)}
			}
			return council.Position{Position: "P", Confidence: 1, Stance: "yes"}
		case council.AskNominate:
			return council.Nomination{Rationale: "R", CandidateID: "cyn"}
		case council.AskTurn:
			turns++
			switch {
			case agree:
				return council.Turn{Action: council.ActionCallVote, MotionTitle: "T", MotionText: "X", DecisionIfPass: "D"}
			case turns == 2:
				return council.Turn{Action: council.ActionPass, Reason: "See (e2)."}
			}
			return council.Turn{Action: council.ActionContribute, Message: "See (e" + strconv.Itoa(min(turns, 4)) + ")."}
		case council.AskBallot:
			return council.Ballot{Rationale: "R", Ballot: council.ChoiceYes, Stance: "yes"}
		}
		return council.Summary{SummaryMarkdown: "S"}
	})
}

// Whatever is forgotten of a session that ended early, it ended as the rules say.
func TestRestateEarly_AnEarlyStopOutlivesForgottenWords(t *testing.T) {
	for _, agree := range []bool{true, false} {
		events := early(t, agree)
		want := council.EndNothingNew
		if agree {
			want = council.EndUncontested
		}
		ended := func(e council.Event) bool {
			p, ok := e.Payload.(council.DebateClosed)
			return ok && p.Reason == want
		}
		if !slices.ContainsFunc(events, ended) {
			t.Fatalf("the session did not end as %s", want)
		}
		outlives(t, events)
	}
}

// outlives holds that the rules still yield a log when the words of any event are erased, or of all, or any phrase.
func outlives(t *testing.T, events []council.Event) {
	t.Helper()
	var entries []wire.Entry
	for _, e := range events {
		entries = append(entries, wire.Entry{Event: e, ID: e.Seq.ID()})
	}
	all := expunge.Erasing{}
	sets := []expunge.Erasing{{Events: []council.Seq{2, 3}}, {Events: []council.Seq{2, 3, 4}}}
	for _, e := range events[1:] {
		all.Events = append(all.Events, e.Seq)
		sets = append(sets, expunge.Erasing{Events: []council.Seq{e.Seq}})
		for kind, text := range council.Texts(e.Payload) {
			if kind != council.TextID && len(text) > 3 {
				sets = append(sets, expunge.Erasing{Phrases: []string{text}})
			}
		}
	}
	for _, what := range append(sets, all) {
		left := append([]wire.Entry(nil), entries...)
		for seq, payload := range expunge.NewPlan(entries, what).Reduce() {
			left[seq-1].Payload, left[seq-1].Forgotten = payload, true
		}
		_, err := rules.Replay(rules.Log(expunge.Restate(left)...))
		check.That(t, err == nil, "%v forgotten: %v", what, err)
	}
}

// Two members add what counts as one option, a third another one: whatever of it is forgotten, the same is ranked.
func TestRestateEarly_AddedOptionsOutliveForgottenWords(t *testing.T) {
	added := map[council.MemberID]string{"ada": "Redis Streams", "bob": "redis: streams", "cyn": "RabbitMQ"}
	events := held(t, func(c *council.Charter) {
		c.Options, c.Phases[0].Turns = []string{"NATS", "Kafka"}, council.TurnsTogether
		c.Phases[0].StopConditions.MaxRounds = 1
	}, func(a council.Ask) council.Body {
		switch a.Kind {
		case council.AskPosition:
			return council.Position{Position: "P", Confidence: 1, Ranking: council.Ranks{{"NATS"}}}
		case council.AskNominate:
			return council.Nomination{Rationale: "R", CandidateID: "cyn"}
		case council.AskTurn:
			return council.Turn{Action: council.ActionAddOption, Message: "It runs.", Option: added[a.Member]}
		case council.AskRank:
			return council.Ranked{Rationale: "R", Ranking: council.Ranks{{"Redis Streams"}, {"RabbitMQ"}}}
		}
		return council.Summary{SummaryMarkdown: "S"}
	})
	last, _ := events[len(events)-1].Payload.(council.SessionClosed)
	check.Equal(t, "the choice", []string{"Redis Streams"}, last.Decisions())
	outlives(t, events)
}

// A session at the pace auto with a proposal, a round on the difference and dissents outlives forgotten words.
func TestRestateEarly_AVoteAtOnceOutlivesForgottenWords(t *testing.T) {
	for _, options := range [][]string{nil, {"NATS", "Kafka"}} {
		ranked := map[council.MemberID]council.Ranks{"ada": {{"NATS"}}, "bob": {{"NATS"}}, "cyn": {{"Kafka"}}}
		votes := 0
		events := held(t, func(c *council.Charter) {
			c.Deliberation.Pace, c.Options, c.Output.Type = council.PaceAuto, options, council.OutputDocumentation
			c.DocumentationReview.MaxRevisionRounds = 1
			charter.SetPace(c)
		}, func(a council.Ask) council.Body {
			switch a.Kind {
			case council.AskPosition:
				p := council.Position{Position: "Reasons of " + string(a.Member), Confidence: 1, CandidateID: "cyn",
					Counter: "A counter", ChangeMind: "A fact"}
				if p.Stance = ranked[a.Member][0][0]; options != nil {
					p.Stance, p.Ranking, p.Missing = "", ranked[a.Member], "Redis Streams"
				}
				return p
			case council.AskPropose:
				return council.Answers{Crux: "Which cost?", Text: "We take NATS.", Answers: []council.Held{
					{Answer: "NATS", HeldBy: []council.MemberID{"ada", "bob"}},
					{Answer: "Kafka", HeldBy: []council.MemberID{"cyn"}}},
					Summary: council.Summary{SummaryMarkdown: "We talked.", RequiresExecution: true,
						ExecutionBrief: &council.Brief{Objective: "Run it", RecommendedExecutorProfile: "engineer",
							Steps: []council.Step{{Step: "Buy it"}}}}}
			case council.AskRank:
				return council.Ranked{Rationale: "It suits " + string(a.Member), Ranking: ranked[a.Member]}
			case council.AskDraft:
				return council.Draft{Markdown: "# The queue\n\nWe take NATS, " + string(a.ID) + "."}
			case council.AskBallot:
				if a.Member != "ada" { // after a revision bob votes YES too
					votes++
				}
				if a.Member == "cyn" || a.Member == "bob" && votes < 3 {
					return council.Ballot{Rationale: "No price is named.", Ballot: council.ChoiceNo,
						CriticalBlockers: []council.Blocker{{ID: "b1", Section: "Costs", Problem: "There is no price",
							Impact: "It may be dear", RequiredChange: "Name a price", Severity: "high"}}}
				}
				return council.Ballot{Rationale: "It says so.", Ballot: council.ChoiceYes}
			}
			return council.Summary{SummaryMarkdown: "We summed up."}
		})
		last, _ := events[len(events)-1].Payload.(council.SessionClosed)
		check.Equal(t, "the choice", []string{"NATS"}, last.Decisions())
		outlives(t, events)
	}
}
