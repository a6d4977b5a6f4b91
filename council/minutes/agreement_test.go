package minutes

import (
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/quorum"
	"github.com/council-engine/council/internal/check"
)

func TestAgreement(t *testing.T) {
	yes, no := council.ChoiceYes, council.ChoiceNo
	nats := council.Ranks{{"NATS"}, {"Kafka"}, {council.NoneOfThese}}
	both := council.Ranks{{"NATS", "Kafka"}, {council.NoneOfThese}}
	const families, family = "of three families: 87 to 88, 57 to 61", "of one family: 84, 57"
	tests := map[string]struct {
		models  string   // of the seats
		ballots []any    // of the vote
		agreed  bool     // the sealed positions agree
		options []string // of the charter
		change  func(*council.Outcome)
		want    string // empty: there is none
	}{
		"unanimous": {models: "gpt-5 claude-5 gemini-3", ballots: []any{yes, yes, yes}, want: "3 of 3, 3 models of 3, " +
			families},
		"split": {models: "gpt-5 claude-5 gemini-3", ballots: []any{yes, no, yes}, want: "2 of 3, 3 models of 3, " +
			families},
		"seats in turn": {models: "gpt-5 claude-5 gpt-5", ballots: []any{yes, yes, yes}, want: "3 of 3, 2 models of 2"},
		"two families":  {models: "gpt-5 claude-5 gpt-6", ballots: []any{yes, no, yes}, want: "2 of 3, 3 models of 2"},
		"one absent": {models: "gpt-5 claude-5 gemini-3", ballots: []any{yes, yes}, want: "2 of 3, 3 models of 3, " +
			families},
		"in their own words": {models: "gpt-5 claude-5 gemini-3", ballots: []any{yes, yes, yes}, agreed: true,
			want: "3 of 3, 3 models of 3, of three families: 95 to 98, 73 to 75"},
		"in their own words, but not in the vote": {models: "gpt-5 claude-5 gemini-3", ballots: []any{yes, yes, no},
			agreed: true,
			want:   "2 of 3, 3 models of 3, " + families},
		"options": {models: "gpt-5 claude-5 gemini-3", ballots: []any{nats, nats, nats}, agreed: true,
			options: []string{"NATS", "Kafka"}, want: "3 of 3, 3 models of 3, " + families},
		"first with another": {models: "gpt-5 claude-5 gemini-3", ballots: []any{nats, both, nats},
			options: []string{"NATS", "Kafka"}, want: "2 of 3, 3 models of 3, " + families},
		"one family":    {models: "gpt-5 gpt-6 o3", ballots: []any{yes, yes, yes}, want: "3 of 3, 3 models of 1, " + family},
		"one model":     {models: "gpt-5 gpt-5 gpt-5", ballots: []any{yes, yes, yes}, want: "3 of 3, 1 models of 1"},
		"a model alone": {models: "gpt-5", ballots: []any{yes}},
		"a person":      {models: "gpt-5 claude-5 human", ballots: []any{yes, yes, yes}},
		"a script":      {models: "gpt-5 claude-5 script", ballots: []any{yes, yes, yes}},
		"a rehearsal": {models: "gpt-5 claude-5 gemini-3", ballots: []any{yes, yes, yes},
			change: func(o *council.Outcome) { o.Rehearsed = true }},
		"nothing decided": {models: "gpt-5 claude-5 gemini-3", ballots: []any{yes, no, no},
			change: func(o *council.Outcome) { o.Resolutions = nil }},
		"the narrower of two": {models: "gpt-5 claude-5 gemini-3", ballots: []any{yes, yes, yes},
			change: func(o *council.Outcome) {
				o.Resolutions = append([]council.Resolution{{Motion: "m0", Yes: 2}}, o.Resolutions...)
			}, want: "2 of 3, 3 models of 3, " + families},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c := council.Charter{Options: test.options}
			for i, model := range strings.Fields(test.models) {
				m := council.Member{ID: council.MemberID(fmt.Sprint("m", i)), Model: council.Model{Provider: "openai",
					Model: model}}
				if model == "human" || model == "script" {
					m.Model = council.Model{Provider: model}
				}
				c.Members = append(c.Members, m)
			}
			n := council.Seq(0)
			var log []council.Event
			add := func(by council.MemberID, p council.Payload) {
				n++
				log = append(log, council.Event{Seq: n, Actor: by, Payload: p})
			}
			add("", council.SessionStarted{Charter: c})
			add("", council.PositionsOpened{Agreed: test.agreed})
			count, choice := quorum.Count{}, (*quorum.Choice)(nil)
			if test.options == nil {
				add("m0", council.MotionMade{Motion: "m1"})
			} else {
				choice = &quorum.Choice{Chosen: new(int)}
				add("", council.ChoicePut{Motion: "m1", Options: test.options})
			}
			for i, ballot := range test.ballots {
				switch b := ballot.(type) {
				case council.Choice:
					add(c.Members[i].ID, council.BallotCast{Subject: council.Subject{Motion: "m1"}, Ballot: council.Ballot{Ballot: b}})
					if b == yes {
						count.Yes++
					}
				case council.Ranks:
					add(c.Members[i].ID, council.RankingCast{Motion: "m1", Ranked: council.Ranked{Ranking: b}})
					count.Yes++
				}
			}
			add("", council.MotionDecided{Motion: "m1", Choice: choice,
				Decision: council.Decision{Result: quorum.Carried, Count: count}})
			outcome := council.Outcome{Decided: true, Resolutions: []council.Resolution{{Motion: "m1", Yes: count.Yes}}}
			if test.change != nil {
				test.change(&outcome)
			}
			add("", council.SessionClosed{Outcome: outcome})
			got := ""
			if a := Of(log).Agreement(); a != nil {
				got = fmt.Sprintf("%d of %d, %d models of %d", a.For, a.Of, a.Models, len(a.Families))
				if w := a.Measured; w != nil {
					got += fmt.Sprintf(", %s: %s, %s", w.Panel, w.Agreed, w.Split)
				}
			}
			check.Is(t, "the agreement", test.want, got)
		})
	}
}

func TestReceipt_NoneOfTheseIsAStance(t *testing.T) {
	nats, none := council.Ranks{{"NATS"}, {council.NoneOfThese}}, council.Ranks{{council.NoneOfThese}, {"NATS"}}
	sealed := func(stance string, r council.Ranks) council.PositionSealed {
		return council.PositionSealed{Position: council.Position{Stance: stance, Ranking: r}}
	}
	ballot := func(r council.Ranks) council.RankingCast {
		return council.RankingCast{Ranked: council.Ranked{Ranking: r}}
	}
	s := stancesIn([]council.Event{
		{Seq: 2, Actor: "ada", Payload: sealed("", none)}, {Seq: 3, Actor: "bob", Payload: sealed("NATS", nats)},
		{Seq: 4, Actor: "cyn", Payload: sealed("", none)}, {Seq: 5, Actor: "ada", Payload: ballot(nats)},
		{Seq: 6, Actor: "bob", Payload: ballot(none)}, {Seq: 7, Actor: "cyn", Payload: ballot(none)}})
	for m, want := range map[council.MemberID]string{"ada": "none of these, NATS, e5", "bob": "NATS, none of these, e6",
		"cyn": "none of these, none of these, "} {
		h := s.held[m]
		check.Is(t, string(m), want, fmt.Sprintf("%s, %s, %s", h.Stance, h.Last, h.MovedIn))
	}
}
