package member

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/prompt"
	"github.com/council-engine/council/internal/check"
)

func TestFallback_AFallbackAnswersForAModelThatIsMissingOrDown(t *testing.T) {
	tests := []struct {
		kind   council.FaultKind
		stands bool // whether the fallback is asked
	}{
		{council.FaultModelMissing, true}, {council.FaultTransport, true}, {council.FaultTimeout, true},
		{council.FaultAuth, false}, {council.FaultBilling, false}, {council.FaultRate, false}, {council.FaultRefusal, false},
		{council.FaultContextTooLong, false}, {council.FaultBudget, false},
	}
	for _, test := range tests {
		t.Run(string(test.kind), func(t *testing.T) {
			first, second := &fake{steps: []step{fails(test.kind, false, 0)}}, &fake{steps: []step{{text: "x"}}}
			m := Fallback(time.Now, Choice{"openai", "big", first}, Choice{"gemini", "other", second})
			c, err := m.Complete(t.Context(), &prompt.Prompt{})
			if !test.stands {
				if kindOf(err) != test.kind || len(second.asked) > 0 || callErrorOf(err).Usage.InputTokens != 2 {
					t.Errorf("%v, %d calls of the fallback", err, len(second.asked))
				}
				return
			}
			want := council.Usage{Provider: "gemini", Model: "other", Calls: 2, InputTokens: 12, OutputTokens: 1}
			if err != nil || c.Text != "x" || c.Usage != want {
				t.Errorf("%+v, %v", c, err)
			}
		})
	}
}

func TestFallback_IsNamedAsItsProviderReportsIt(t *testing.T) {
	first := &fake{steps: []step{fails(council.FaultModelMissing, false, 0)}}
	second := &fake{steps: []step{{text: "x", usage: council.Usage{Model: "other-2026"}}}}
	c, err := Fallback(time.Now, Choice{"openai", "big", first}, Choice{"gemini", "other", second}).Complete(t.Context(),
		&prompt.Prompt{})
	if err != nil || c.Usage.Model != "other-2026" || c.Usage.Provider != "gemini" {
		t.Errorf("%+v, %v", c.Usage, err)
	}
	sum := c.Usage.Add(council.Usage{Model: "big", Calls: 1})
	if sum.Provider != "" || sum.Model != "big" {
		t.Errorf("the configured model answered last, and the sum says %q of %q", sum.Model, sum.Provider)
	}
}

func TestFallback_AModelThatIsDownRestsAndIsTriedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first := &fake{steps: []step{fails(council.FaultTransport, false, 0), {text: "I am back"}}}
		second := &fake{steps: []step{{text: "x"}}}
		m := Fallback(time.Now, Choice{"a", "one", first}, Choice{"b", "two", second})
		for range 3 {
			check.Is(t, "the reply", "x", check.Get(m.Complete(t.Context(), &prompt.Prompt{}))(t).Text)
		}
		if len(first.asked) != 1 || len(second.asked) != 3 {
			t.Errorf("%d and %d calls: each question waited for the server that is down", len(first.asked), len(second.asked))
		}
		_ = sleep(t.Context(), restTime)
		c := check.Get(m.Complete(t.Context(), &prompt.Prompt{}))(t)
		check.Is(t, "the reply", "I am back", c.Text)
		check.Is(t, "the provider", "", c.Usage.Provider)
	})
}

func TestFallback_NamesEachThatFailed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := func(words string) *fake {
			return &fake{steps: []step{{err: &CallError{Fault: council.Fault{Kind: council.FaultTransport, Message: words},
				Usage: council.Usage{Calls: 1}}}}}
		}
		one, two := down("no route"), down("closed")
		one.steps[0].err.(*CallError).Fault.Kind = council.FaultModelMissing
		m := Fallback(time.Now, Choice{"a", "one", one}, Choice{"b", "two", two})
		for try := range 2 { // the second time both rest, and are asked all the same
			_, err := m.Complete(t.Context(), &prompt.Prompt{})
			call := callErrorOf(err)
			if call.Fault.Kind != council.FaultModelMissing || call.Usage.Calls != 2 || len(two.asked) != try+1 {
				t.Errorf("%v, %+v", err, call.Usage)
			}
			check.Says(t, err.Error(), "a/one: no route", "b/two: closed")
		}
	})
}

func TestFallback_IsNotAskedAfterCancellation(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	second := &fake{steps: []step{{text: "x"}}}
	_, err := Fallback(time.Now, Choice{"a", "one", &fake{steps: []step{{text: "x"}}}},
		Choice{"b", "two", second}).Complete(ctx, &prompt.Prompt{})
	if !errors.Is(err, context.Canceled) || len(second.asked) > 0 {
		t.Errorf("%v", err)
	}
}
