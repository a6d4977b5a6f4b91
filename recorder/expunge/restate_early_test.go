package expunge_test

import (
	"strconv"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/rules"
	"github.com/council-engine/council/recorder/expunge"
	"github.com/council-engine/council/recorder/wire"
)

// early returns the log of a session that ends early: its members agree, or a round brings nothing new.
func early(t *testing.T, agree bool) []council.Event {
	t.Helper()
	seat := func(id council.MemberID) council.Member {
		return council.Member{
			ID:           id,
			Name:         string(id),
			Role:         "r",
			SystemPrompt: "s",
			Model:        council.Model{Provider: "script", Model: "m"},
		}
	}
	started, err := rules.Open("s1", council.Topic{Text: "Shall we?"}, council.Charter{
		CouncilName: "C", Purpose: "P", Output: council.Output{Type: council.OutputNone},
		SessionPolicy: council.SessionPolicy{EntryPhaseID: "decide", MaxPhaseTransitions: 1,
			PhaseContextVerbosity: "standard"},
		Phases: []council.Phase{{ID: "decide", Goal: "G",
			Governance:     council.Governance{MajorityThreshold: "0.5", CountOf: "cast"},
			StopConditions: council.StopConditions{MaxRounds: 5},
			Fallback:       council.Fallback{Resolution: "N", Action: council.FallbackEndSession}}},
		Deliberation: council.Deliberation{SealedPositions: true, Stances: true, ContestedOnly: true},
		Members:      []council.Member{seat("ada"), seat("bob"), seat("cyn")},
		Storage: council.Storage{
			RootDir:   "r",
			MemoryDir: "m",
		},
		Execution: council.Execution{DefaultExecutorProfile: "e"},
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := rules.Replay(rules.Log(started))
	if err != nil {
		t.Fatal(err)
	}
	turns := 0
	for s.Ready().Outcome == nil {
		e := s.Ready().Event
		if e == nil {
			a := s.Ready().Asks[0]
			r := council.Reply{Ask: a.ID}
			switch a.Kind {
			case council.AskPosition:
				p := council.Position{Position: "P", Confidence: 1, Stance: "yes"}
				if !agree {
					p.Stance = "as " + string(a.Member)
				}
				r.Body = p
			case council.AskNominate:
				r.Body = council.Nomination{Rationale: "R", CandidateID: "cyn"}
			case council.AskTurn:
				turns++
				r.Body = council.Turn{Action: council.ActionContribute, Message: "See (e" + strconv.Itoa(min(turns, 4)) + ")."}
				if turns == 2 {
					r.Body = council.Turn{Action: council.ActionPass, Reason: "See (e2)."}
				}
				if agree {
					r.Body = council.Turn{Action: council.ActionCallVote, MotionTitle: "T", MotionText: "X", DecisionIfPass: "D"}
				}
			case council.AskBallot:
				r.Body = council.Ballot{Rationale: "R", Ballot: council.ChoiceYes, Stance: "yes"}
			default:
				r.Body = council.Summary{SummaryMarkdown: "S"}
			}
			next, err := s.Answer(r)
			if err != nil {
				t.Fatal(err)
			}
			e = &next
		}
		if err := s.Apply(*e); err != nil {
			t.Fatal(err)
		}
	}
	return s.Events()
}

// Whatever is forgotten of a session that ended early, it ended as the rules say.
func TestAnEarlyStopOutlivesForgottenWords(t *testing.T) {
	for _, agree := range []bool{true, false} {
		events := early(t, agree)
		want := council.EndNothingNew
		if agree {
			want = council.EndUncontested
		}
		found := false
		var entries []wire.Entry
		for _, e := range events {
			p, ok := e.Payload.(council.DebateClosed)
			found = found || ok && p.Reason == want
			entries = append(entries, wire.Entry{Event: e, ID: e.Seq.ID()})
		}
		if !found {
			t.Fatalf("the session did not end as %s", want)
		}
		all := make([]council.Seq, 0, len(events))
		sets := [][]council.Seq{}
		for _, e := range events[1:] {
			all = append(all, e.Seq)
			sets = append(sets, []council.Seq{e.Seq})
		}
		for _, named := range append(sets, all, []council.Seq{2, 3}, []council.Seq{2, 3, 4}) {
			left := append([]wire.Entry(nil), entries...)
			for seq, payload := range expunge.NewPlan(entries, named, nil).Reduce() {
				left[seq-1].Payload, left[seq-1].Forgotten = payload, true
			}
			if _, err := rules.Replay(rules.Log(expunge.Restated(left)...)); err != nil {
				t.Errorf("agree %t, %v forgotten: %v", agree, named, err)
			}
		}
	}
}
