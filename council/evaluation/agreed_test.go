package evaluation_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/check"
)

// agreed returns so many decisions of three seats, of which the first are right.
func agreed(n, right int, change func(*evaluation.Agreed)) (all []evaluation.Agreed) {
	for i := range n {
		a := evaluation.Agreed{Session: council.SessionID(fmt.Sprint("s", i)), Pace: council.PaceAuto,
			Seats: []string{"a/x", "b/y", "c/z"}, For: 3, Right: i < right}
		if change != nil {
			change(&a)
		}
		all = append(all, a)
	}
	return all
}

func TestEvaluated_CountsOnlyDecisionsWithTheSameAgreement(t *testing.T) {
	like := agreed(1, 0, nil)[0]
	for name, test := range map[string]struct {
		change func(*evaluation.Agreed)
		n      int
		want   *minutes.Evaluated
	}{
		"the same":               {nil, 20, &minutes.Evaluated{Right: 17, Questions: 20}},
		"too few":                {nil, 19, nil},
		"another split":          {func(a *evaluation.Agreed) { a.For = 2 }, 20, nil},
		"another pace":           {func(a *evaluation.Agreed) { a.Pace = "" }, 20, nil},
		"another model":          {func(a *evaluation.Agreed) { a.Seats = []string{"a/x", "b/y", "d/z"} }, 20, nil},
		"with spares":            {func(a *evaluation.Agreed) { a.Seats = append(a.Seats, "d/z") }, 20, nil},
		"one session many times": {func(a *evaluation.Agreed) { a.Session = "s" }, 20, nil},
	} {
		check.Equal(t, name, test.want, like.Evaluated(agreed(test.n, 17, test.change)))
	}
	check.Equal(t, "two runs of the same", &minutes.Evaluated{Right: 17, Questions: 20},
		like.Evaluated(append(agreed(20, 17, nil), agreed(20, 17, nil)...)))
}

func TestParseAgreements_TakesOnlyWhatAnEvaluationWrites(t *testing.T) {
	whole := string(check.Get(json.Marshal(evaluation.Agreements{Format: evaluation.Format,
		Decisions: agreed(2, 1, nil)}))(t))
	check.Equal(t, "the decisions", agreed(2, 1, nil), check.Get(evaluation.ParseAgreements([]byte(whole)))(t))
	for name, text := range map[string]string{
		"empty":             "",
		"cut off":           whole[:len(whole)/2],
		"followed by more":  whole + whole,
		"of another format": strings.Replace(whole, `"format":1`, `"format":2`, 1),
		"more than seats":   strings.Replace(whole, `"for":3`, `"for":4`, 1),
		"nobody":            strings.Replace(whole, `"for":3`, `"for":0`, 1),
		"of no session":     strings.Replace(whole, `"s1"`, `""`, 1),
		"text for a number": strings.Replace(whole, `"for":3`, `"for":"3"`, 1),
	} {
		if found, err := evaluation.ParseAgreements([]byte(text)); err == nil {
			t.Errorf("%s: want an error, got %+v", name, found)
		}
	}
}
