package run_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/workspace/run"
)

func TestAnswer_TurnsAndAmendmentsAreAnsweredByFlags(t *testing.T) {
	debate := &council.Phase{Governance: council.Governance{Debate: true, MaxAmendments: 2, RequireSeconding: true}}
	for name, test := range map[string]struct {
		kind  council.AskKind
		flags run.Answer
		want  council.Body
	}{
		"pass": {council.AskTurn, run.Answer{Pass: "Heard enough."},
			council.Turn{Action: council.ActionPass, Reason: "Heard enough."}},
		"move": {council.AskTurn, run.Answer{Move: "Keep", Text: "It runs.", Because: "We keep it."},
			council.Turn{Action: council.ActionCallVote, MotionTitle: "Keep", MotionText: "It runs.",
				DecisionIfPass: "We keep it."}},
		"add": {council.AskTurn, run.Answer{Text: "It is simpler.", Stance: "Redis"},
			council.Turn{Action: council.ActionAddOption, Message: "It is simpler.", Option: "Redis"}},
		"accept": {council.AskAmend, run.Answer{Ballot: "e14, e15", Because: "Both help."},
			council.Amend{Rationale: "Both help.", Amendments: []council.AmendmentID{"e14", "e15"}}},
		"none": {council.AskAmend, run.Answer{Ballot: "none", Because: "No."}, council.Amend{Rationale: "No."}},
		"withdraw": {council.AskAmend, run.Answer{Ballot: "Withdraw", Because: "No."},
			council.Amend{Rationale: "No.", Withdraw: true}},
	} {
		v := council.View{Ask: council.Ask{ID: "q", Member: "kim", Kind: test.kind}, Charter: &council.Charter{},
			Phase: debate, Motion: &council.Motion{}, Proposed: []council.Proposal{{ID: "e14"}, {ID: "e15"}}}
		if name == "add" {
			v.Options, v.MayAdd = []string{"NATS", "Kafka"}, true
		}
		got, err := test.flags.Body(v)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		} else if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
