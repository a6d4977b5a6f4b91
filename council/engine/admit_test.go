package engine_test

import (
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func TestWhatIsNotAdmittedIsNotPut(t *testing.T) {
	tb := sit(t, 3, nil)
	var admitted [][]council.AskID
	short := council.Fault{Kind: council.FaultBudget, Message: "3 tokens too few"}
	left := 2 // groups of questions that are admitted
	tb.options.Admit = func(views []council.View) *council.Fault {
		var asks []council.AskID
		for _, v := range views {
			asks = append(asks, v.Ask.ID)
		}
		if admitted = append(admitted, asks); len(admitted) > left {
			return &short
		}
		return nil
	}
	tb.suspended(council.FaultBudget)
	tb.wantTail("ROUND_STARTED", "MOTION_MADE a", "SESSION_SUSPENDED")
	if got := tb.session.Suspended(); got.Message != short.Message {
		t.Errorf("it says %q", got.Message)
	}
	if len(admitted) != 3 || len(admitted[0]) != 3 || len(admitted[1]) != 1 || len(admitted[2]) != 2 {
		t.Errorf("asked to be admitted: %v", admitted)
	}
	check.Is(t, "b was asked questions, its vote alone", 1, len(tb.members["b"].asked))
	left = 1000
	tb.closed()
}
