package evaluation_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/council/minutes"
	"github.com/council-engine/council/internal/check"
)

// held is a session as far as it is read.
type held struct {
	charter council.Charter
	events  []council.Event
	outcome *council.Outcome
}

func (h held) ID() council.SessionID       { return "s" }
func (h held) Charter() *council.Charter   { return &h.charter }
func (h held) Events() []council.Event     { return h.events }
func (h held) Ready() council.Ready        { return council.Ready{Outcome: h.outcome} }
func (h held) Spent() council.Usage        { return council.Usage{Calls: 9, InputTokens: 900} }
func (h held) Cost() (council.Money, bool) { return council.Dollars(0.5), true }

var question = &evaluation.Question{ID: "q", Question: "Which?", Choices: []string{"Paris", "Lyon"}, Answer: "b"}

// sealed makes a session of three members with these positions; an empty one is absent.
func sealed(decision, text string, positions ...string) held {
	var h held
	for i, words := range positions {
		id := council.MemberID([]string{"ada", "bob", "cyn", "dan"}[i])
		h.charter.Members = append(h.charter.Members,
			council.Member{ID: id, Model: council.Model{Provider: "script", Model: "m"}})
		answered := council.Answered{Usage: council.Usage{Calls: 1, InputTokens: 100}}
		if words == "" {
			h.events = append(h.events, council.Event{Actor: id,
				Payload: council.MemberFaulted{Answered: answered, Kind: council.AskPosition}})
			continue
		}
		h.events = append(h.events, council.Event{Actor: id,
			Payload: council.PositionSealed{Answered: answered, Position: council.Position{Position: words}}})
	}
	h.outcome = &council.Outcome{}
	if decision != "" {
		h.outcome.Resolutions = []council.Resolution{{Decision: decision, Text: text}}
	}
	return h
}

func TestEvaluation_EachRuleIsHeldAgainstTheRightAnswer(t *testing.T) {
	const a, b = "ANSWER: A", "ANSWER: B"
	wrong, right := evaluation.Verdict{Answer: "Paris", Readable: true},
		evaluation.Verdict{Answer: "Lyon", Readable: true, Right: true}
	for _, test := range []struct {
		name      string
		session   held
		singles   []evaluation.Verdict
		plurality evaluation.Verdict
		tie       bool
		council   evaluation.Verdict
	}{
		{"for the better", sealed(b, "", a, a, b), []evaluation.Verdict{wrong, wrong, right}, wrong, false, right},
		{"for the worse", sealed(a, b, b, b, a), []evaluation.Verdict{right, right, wrong}, right, false, wrong},
		{"a tie is the earlier seat's", sealed(b, "", b, a, "Neither.", a+"\n"+b),
			[]evaluation.Verdict{right, wrong, {}, right}, right, false, right},
		{"a tie of two", sealed(b, "", "Neither.", a, b), []evaluation.Verdict{{}, wrong, right}, wrong, true, right},
		{"from the text where the decision has none", sealed("Do it.", b, b, "", b), []evaluation.Verdict{right, {}, right},
			right, false, right},
		{"no resolution", sealed("", "", "", "", ""), []evaluation.Verdict{{}, {}, {}}, evaluation.Verdict{}, false,
			evaluation.Verdict{}},
	} {
		got := evaluation.Judge(question, test.session)
		var singles []evaluation.Verdict
		for _, s := range got.Singles {
			singles = append(singles, s.Verdict)
		}
		check.Equal(t, fmt.Sprintf("%s: singles", test.name), test.singles, singles)
		if got.Plurality != test.plurality || got.Tie != test.tie {
			t.Errorf("%s: the plurality is %+v, tie %v", test.name, got.Plurality, got.Tie)
		}
		if got.Council != test.council || got.Decided != (test.session.outcome.Resolutions != nil) {
			t.Errorf("%s: the council said %+v, decided %v", test.name, got.Council, got.Decided)
		}
		n := len(singles)
		if got.Positions.Calls != n || got.Positions.Tokens != int64(100*n) ||
			got.Whole != (evaluation.Cost{Calls: 9, Tokens: 900, USD: 0.5, Known: true}) {
			t.Errorf("%s: it took %+v and %+v", test.name, got.Positions, got.Whole)
		}
	}
}

func TestEvaluation_TheSummaryAddsUp(t *testing.T) {
	const a, b = "ANSWER: A", "ANSWER: B"
	c := sealed("", "", a, a, a).charter
	var results []evaluation.Result
	for _, s := range []held{sealed(b, "", a, a, b), sealed(b, "", b, b, a), sealed(a, "", b, b, "Hm."),
		sealed("", "", b, a, "Hm.")} {
		results = append(results, evaluation.Judge(question, s))
	}
	s := evaluation.Summarise(&c, results)
	got := map[string][2]int{
		"ada": {s.Members[0].Right, s.Members[0].Of}, "bob": {s.Members[1].Right, s.Members[1].Of},
		"cyn":    {s.Members[2].Right, s.Members[2].Of},
		"single": {s.Single.Right, s.Single.Of}, "plurality": {s.Plurality.Right, s.Plurality.Of},
		"council":     {s.Council.Right, s.Council.Of},
		"toPlurality": {s.ToPlurality.Better, s.ToPlurality.Worse}, "toCouncil": {s.ToCouncil.Better, s.ToCouncil.Worse},
		"throughout": {s.Throughout.Better, s.Throughout.Worse}, "ties, undecided": {s.Ties, s.Undecided},
		"unreadable": {s.Single.Unreadable, s.Council.Unreadable},
	}
	want := map[string][2]int{
		"ada": {3, 4}, "bob": {2, 4}, "cyn": {1, 4}, "single": {6, 12}, "plurality": {3, 4}, "council": {2, 4},
		// Better: cyn and a in the second and third and fourth; worse: cyn in the first.
		"toPlurality": {4, 1}, "toCouncil": {1, 2}, "throughout": {3, 3}, "ties, undecided": {1, 1}, "unreadable": {2, 1},
	}
	check.Equal(t, "it", want, got)
	check.Is(t, "one better and two worse have the probability", 1, s.Sign)
	if s.CouncilCost.Calls != 36 || s.PluralityCost.Calls != 12 || s.SingleCost.Calls != 4 {
		t.Errorf("it took %+v, %+v, %+v", s.CouncilCost, s.PluralityCost, s.SingleCost)
	}
}

// TestWilson holds the interval against published figures (Newcombe 1998, table I: 81 of 263 and 15 of 148, 0 of 20, 1
// of
// 29) to the digits given there.
func TestWilson(t *testing.T) {
	for _, test := range []struct {
		k, n      int
		low, high float64
	}{
		{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718},
		{29, 29, 0.8830, 1}, {0, 0, 0, 1},
	} {
		share := 0.0
		if test.n > 0 {
			share = float64(test.k) / float64(test.n)
		}
		low, high := evaluation.Wilson(share, test.n)
		if math.Abs(low-test.low) > 0.00005 || math.Abs(high-test.high) > 0.00005 {
			t.Errorf("%d of %d: %.4f to %.4f, not %.4f to %.4f", test.k, test.n, low, high, test.low, test.high)
		}
	}
}

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
