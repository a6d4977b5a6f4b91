package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
)

func TestTurnsAndAmendmentsAreAnsweredByFlags(t *testing.T) {
	debate := &council.Phase{Governance: council.Governance{Debate: true, MaxAmendments: 2, RequireSeconding: true}}
	for name, test := range map[string]struct {
		kind  council.AskKind
		flags answerOptions
		want  council.Body
	}{
		"pass": {council.AskTurn, answerOptions{pass: "Heard enough."},
			council.Turn{Action: council.ActionPass, Reason: "Heard enough."}},
		"move": {council.AskTurn, answerOptions{move: "Keep", text: "It runs.", because: "We keep it."},
			council.Turn{Action: council.ActionCallVote, MotionTitle: "Keep", MotionText: "It runs.",
				DecisionIfPass: "We keep it."}},
		"add": {council.AskTurn, answerOptions{text: "It is simpler.", stance: "Redis"},
			council.Turn{Action: council.ActionAddOption, Message: "It is simpler.", Option: "Redis"}},
		"accept": {council.AskAmend, answerOptions{ballot: "e14, e15", because: "Both help."},
			council.Amend{Rationale: "Both help.", Amendments: []council.AmendmentID{"e14", "e15"}}},
		"none": {council.AskAmend, answerOptions{ballot: "none", because: "No."}, council.Amend{Rationale: "No."}},
		"withdraw": {council.AskAmend, answerOptions{ballot: "Withdraw", because: "No."},
			council.Amend{Rationale: "No.", Withdraw: true}},
	} {
		v := council.View{Ask: council.Ask{ID: "q", Member: "kim", Kind: test.kind}, Charter: &council.Charter{},
			Phase: debate, Proposed: []council.Proposal{{ID: "e14"}, {ID: "e15"}}}
		if name == "add" {
			v.Options, v.MayAdd = []string{"NATS", "Kafka"}, true
		}
		got, err := answerFromFlags(new(cli.Env), v, test.flags)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
