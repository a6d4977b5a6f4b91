package evaluation_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/schemas"
)

// hostileWords would be markup, an address, a script or a colour if they were more than text.
const hostileWords = "<script>alert(1)</script><img src=https://evil.example/x.png>\x1b[31m\u202e{{.}} \"' onload=x"

func found() map[string]*evaluation.Report {
	c := &council.Charter{CouncilName: hostileWords}
	for _, id := range []council.MemberID{"ada", "bob", "cyn"} {
		c.Members = append(c.Members, council.Member{ID: id, Model: council.Model{Provider: "openai", Model: hostileWords}})
	}
	right, wrong := evaluation.Verdict{Answer: "Lyon", Readable: true, Right: true},
		evaluation.Verdict{Answer: hostileWords, Readable: true}
	single := func(v ...evaluation.Verdict) []evaluation.Single {
		var all []evaluation.Single
		for i, m := range c.Members {
			all = append(all, evaluation.Single{Member: m.ID, Verdict: v[i],
				Cost: evaluation.Cost{Calls: 1, Tokens: 1234, USD: 0.01, Known: true}})
		}
		return all
	}
	positions, whole := evaluation.Cost{Calls: 3, Tokens: 3702, USD: 0.03, Known: true},
		evaluation.Cost{Calls: 20, Tokens: 45_678, USD: 0.4}
	results := []evaluation.Result{
		{Question: "q1", Asked: hostileWords, Expected: "Lyon", Session: "eval-1", Singles: single(right, wrong, wrong),
			Plurality: wrong, Council: right, Decided: true, Positions: positions, Whole: whole},
		{Question: "q2", Asked: "Which?", Expected: "Lyon", Session: "eval-2", Singles: single(right, wrong,
			evaluation.Verdict{}), Plurality: right, Tie: true, Positions: positions, Whole: whole},
		{Question: hostileWords, Asked: "Which?", Expected: "Lyon", Session: "eval-3", Singles: single(right, right, wrong),
			Plurality: right, Council: evaluation.Verdict{}, Decided: true, Positions: positions, Whole: whole},
	}
	return map[string]*evaluation.Report{
		"dataset": {Format: evaluation.Format, Dataset: &evaluation.Dataset{
			File: "sets/" + hostileWords, SHA256: council.Digest("x"), Questions: 9, Wanted: 5, Council: c.CouncilName,
			Stopped: "the budget of tokens is spent", Summary: evaluation.Summarise(c, results), Results: results,
		}},
		"simulation": {Format: evaluation.Format, Simulation: &evaluation.Simulation{Rows: []evaluation.Row{{
			Voters: evaluation.Voters{Members: 3, Accuracy: 0.7, Spread: 0.2, Correlation: 0.2, Attractor: 0.8, Samples: 5,
				Repetition: 0.5, Conformity: 0.3, Correction: 0.1, Draws: 100_000, Sessions: 2000, Seed: 1},
			Theory: 0.7672,
			Policies: []evaluation.Ruled{
				{Rule: "one", Questions: 100_000, Decided: 100_000, Coverage: 1, Right: 0.7, Answers: 1},
				{Rule: "auto", Questions: 2000, Decided: 1600, Coverage: 0.8, Right: 0.75, Answers: 5.7},
			},
		}}}},
	}
}

func TestReport_TheReportsAreWhatTheGoldenFilesSay(t *testing.T) {
	for name, r := range found() {
		text := check.Get(r.HTML())(t)
		doc := check.Get(r.JSON())(t)
		for file, got := range map[string][]byte{name + ".html": text, name + ".json": doc} {
			check.Golden(t, filepath.Join("testdata", file), string(got))
		}
	}
}

// TestReport_ThePageIsOneFileAndLoadsNothing: words of data sets and members are text, and the page has no element that
// the template does not have.
func TestReport_ThePageIsOneFileAndLoadsNothing(t *testing.T) {
	template := check.Get(os.ReadFile("page.html"))(t)
	tag := regexp.MustCompile(`<[a-zA-Z!/][a-zA-Z0-9]*`)
	known := map[string]bool{}
	for _, name := range tag.FindAllString(string(template), -1) {
		known[name] = true
	}
	for name, r := range found() {
		text := check.Get(r.HTML())(t)
		for _, element := range tag.FindAllString(string(text), -1) {
			if !known[element] {
				t.Errorf("%s: %s stands in the page, and in no template", name, element)
			}
		}
		check.NeverSays(t, string(text), "<script", "<img", "<link", "@import", "url(", "\x1b", "\u202e")
		if addresses := regexp.MustCompile(`(src|href)=`).FindAllString(strings.ReplaceAll(string(text), "src=https", ""),
			-1); addresses != nil {
			t.Errorf("%s: the page leads elsewhere: %v", name, addresses)
		}
	}
}

func TestReport_TheJSONIsWhatItsSchemaSays(t *testing.T) {
	for name, r := range found() {
		doc := check.Get(r.JSON())(t)
		check.ErrorIs(t, name, nil, schemas.Validate("evaluation", doc))
	}
	none := check.Get(json.Marshal(evaluation.Report{Format: evaluation.Format}))(t)
	if schemas.Validate("evaluation", none) == nil {
		t.Error("a report of nothing is taken")
	}
}
