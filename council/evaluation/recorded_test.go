package evaluation_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/schemas"
)

// recordings are those of testdata/recorded, each read once.
var recordings = map[string]*evaluation.Recording{}

// played plays panels, of which each lists the beginnings of its models, on a file of testdata/recorded.
func played(t *testing.T, file string, panels ...string) *evaluation.Recorded {
	t.Helper()
	if recordings[file] == nil {
		recordings[file] = parsed(t, string(check.Get(os.ReadFile("testdata/recorded/"+file+".csv"))(t)))
	}
	return playedBy(t, recordings[file], panels...)
}

func parsed(t *testing.T, doc string) *evaluation.Recording {
	t.Helper()
	return check.Get(evaluation.ParseRecording([]byte(doc)))(t)
}

func playedBy(t *testing.T, r *evaluation.Recording, panels ...string) *evaluation.Recorded {
	t.Helper()
	var names [][]string
	for _, panel := range panels {
		names = append(names, strings.Split(panel, ","))
	}
	return check.Get(r.Play(names))(t)
}

// ruled returns the row of a rule.
func ruled(t *testing.T, p evaluation.Panel, rule string) evaluation.Ruled {
	t.Helper()
	at := slices.IndexFunc(p.Rules, func(r evaluation.Ruled) bool { return r.Rule == rule })
	if at < 0 {
		t.Fatalf("%v have no rule %q", p.Models, rule)
	}
	return p.Rules[at]
}

// cells is a row of the table that was counted by hand from the same files: the best alone, leaning, lot, what the
// majority decides and how often it is right then, and the same of all.
func cells(t *testing.T, p evaluation.Panel) string {
	best := 0.0
	for _, model := range p.Models {
		best = max(best, ruled(t, p, model).Right)
	}
	decided := func(rule string) string {
		return fmt.Sprintf("%.0f %%, %.1f", 100*ruled(t, p, rule).Coverage, 100*ruled(t, p, rule).Right)
	}
	return fmt.Sprintf("%.1f | %.1f | %.1f | %s | %s", 100*best, 100*ruled(t, p, "plurality, leaning").Right,
		100*ruled(t, p, "plurality, lot").Right, decided("majority"), decided("unanimous"))
}

const (
	equals    = "gemini-1.5-flash,deepseek,llama-3.1-70b"
	cruxEqual = "gpt-4o-2024-08,claude-3-5-sonnet-20241022,gemini-1.5-pro"
	cruxO1    = "o1,gpt-4o-2024-08,claude-3-5-sonnet-20241022"
)

func TestPlay_GivesTheFiguresCountedFromTheSameFiles(t *testing.T) {
	for _, test := range []struct {
		file   string
		played int
		rows   [][3]string // panel, cells, and the percentage in which a split of three is right
	}{
		{"mmlu-pro", 10_326, [][3]string{
			{"gemini-1.5-pro,deepseek,llama-3.1-70b", "71.7 | 73.1 | 71.6 | 88 %, 77.8 | 54 %, 88.3", "61"},
			{equals, "65.5 | 69.1 | 68.9 | 88 %, 75.3 | 53 %, 87.1", "57"},
			{"gemini-1.5-pro," + equals, "71.7 | 73.9 | 72.5 | 74 %, 83.6 | 49 %, 90.0", ""},
			{"gemini-1.5-pro," + equals + ",jamba", "71.7 | 72.8 | 72.0 | 83 %, 79.2 | 38 %, 90.8", ""},
			{"gemini-1.5-pro," + equals + ",jamba,qwen1.5-110b,llama-3-70b,qwen1.5-72b,mixtral",
				"71.7 | 71.7 | 70.5 | 73 %, 80.3 | 22 %, 92.8", ""},
			{"llama-3.1-70b,llama-3-70b,llama-3.1-8b", "64.5 | 63.6 | 60.8 | 81 %, 70.0 | 40 %, 83.6", ""},
			{"llama-3.1-8b,mixtral,yi,phi,mathstral", "45.8 | 53.1 | 52.9 | 63 %, 67.2 | 20 %, 87.3", ""}}},
		{"open-math-l5", 721, [][3]string{{"gemini-1.5-pro,claude-3-5-sonnet-20241022,gpt-4o-2024-08",
			"67.8 | 71.2 | 67.6 | 73 %, 85.5 | 41 %, 95.3", "73"}}},
		{"open-crux", 800, [][3]string{{cruxEqual, "86.9 | 89.5 | 88.4 | 93 %, 93.8 | 76 %, 97.9", "76"},
			{cruxO1, "95.6 | 95.1 | 92.9 | 95 %, 96.4 | 80 %, 98.8", ""}}},
	} {
		var panels []string
		for _, row := range test.rows {
			panels = append(panels, row[0])
		}
		found := played(t, test.file, panels...)
		check.Is(t, test.file+": questions played", test.played, found.Played)
		for i, row := range test.rows {
			check.Is(t, row[0]+": the cells", row[1], cells(t, found.Panels[i]))
			if row[2] != "" {
				split := fmt.Sprintf("%.0f", 100*ruled(t, found.Panels[i], "split majority").Right)
				check.Is(t, row[0]+": a split is right in", row[2], split)
			}
		}
	}
}

// An empty answer to the 21 questions of CRUX whose right answer is empty is right. Counted as unreadable, as the last
// three columns were at first, they give these figures.
func TestPlay_AnEmptyAnswerIsRightWhereTheRightAnswerIsEmpty(t *testing.T) {
	lines := strings.Split(string(check.Get(os.ReadFile("testdata/recorded/open-crux.csv"))(t)), "\n")
	empty := 0
	for i, line := range lines {
		if id, rest, ok := strings.Cut(line, ",,"); ok && strings.HasPrefix(id, "crux-test-#") && !strings.Contains(id, ",") {
			lines[i] = id + ",(an empty text)," + rest
			empty++
		}
	}
	check.Is(t, "right answers that are empty", 21, empty)
	found := playedBy(t, parsed(t, strings.Join(lines, "\n")), cruxEqual, cruxO1)
	check.Equal(t, "the figures", []string{"84.4 | 86.9 | 85.9 | 90 %, 93.6 | 74 %, 97.8",
		"93.0 | 92.5 | 90.3 | 92 %, 96.3 | 78 %, 98.7"}, []string{cells(t, found.Panels[0]), cells(t, found.Panels[1])})
}

// Without spares auto decides exactly as the majority of its first three seats. With two it decides more often, is at
// most 1.2 points less often right, and asks for at most 3.7 answers.
func TestPlay_AutoWithSparesDecidesMoreAtLittleCost(t *testing.T) {
	const equal, stronger = "equal spares", "stronger spares"
	ranges := map[string][2]float64{equal: {0.21, 0.54}, stronger: {0.61, 0.79}}
	for _, test := range []struct{ file, panel, spares string }{
		{"mmlu-pro", equals + ",gemini-1.5-pro,jamba", equal},
		{"mmlu-pro", "llama-3.1-8b,mixtral,yi,phi,mathstral", equal},
		{"open-crux", cruxEqual + ",mistral-large,qwen2.5-72b", equal},
		{"mmlu-pro", "jamba,llama-3-70b,qwen1.5-110b,gemini-1.5-pro,gemini-1.5-flash", stronger},
	} {
		three := strings.Join(strings.Split(test.panel, ",")[:3], ",")
		panels := played(t, test.file, three, test.panel).Panels
		majority, alone := ruled(t, panels[0], "majority"), ruled(t, panels[1], "auto")
		spared, by := ruled(t, panels[1], "auto, 2 spares"), ruled(t, panels[1], "by spares")
		majority.Rule = "auto"
		check.Is(t, test.panel+": auto without spares", majority, alone)
		if spared.Decided != alone.Decided+by.Decided || by.Decided == 0 || spared.Over < -0.012 || spared.Answers > 3.7 ||
			math.Abs(spared.Over-(spared.Right-majority.Right)) > 1e-9 {
			t.Errorf("%s: with spares %+v, without %+v, by spares %+v", test.panel, spared, alone, by)
		}
		if within := ranges[test.spares]; by.Right < within[0] || by.Right > within[1] {
			t.Errorf("%s: the spares were right in %.2f of %d, not %v", test.panel, by.Right, by.Decided, within)
		}
	}
}

func TestPlay_ScoresForecastsAsMeasured(t *testing.T) {
	var got []string
	for _, f := range played(t, "forecasts").Forecasts {
		got = append(got, fmt.Sprintf("%s: %.3f | %.3f | %+.3f (%+.3f to %+.3f) | %.0f %% | %.3f", f.Condition, f.Before,
			f.After,
			f.Change, f.Low, f.High, 100*f.Split, f.SplitOnly))
	}
	check.Equal(t, "the scores", []string{
		"diverse_full: 0.164 | 0.154 | -0.010 (-0.016 to -0.005) | 21 % | 0.155",
		"diverse_info: 0.153 | 0.147 | -0.007 (-0.017 to +0.004) | 52 % | 0.149",
		"diverse_none: 0.166 | 0.169 | +0.002 (-0.009 to +0.014) | 41 % | 0.169",
		"homo_full: 0.173 | 0.177 | +0.004 (-0.001 to +0.011) | 5 % | 0.176",
		"homo_info: 0.162 | 0.168 | +0.007 (-0.006 to +0.019) | 42 % | 0.168",
		"homo_none: 0.171 | 0.178 | +0.006 (-0.001 to +0.017) | 10 % | 0.177",
	}, got)
}

func TestPlay_ItsJSONIsWhatTheSchemaSays(t *testing.T) {
	for _, r := range []*evaluation.Recorded{played(t, "forecasts"), played(t, "open-crux",
		cruxEqual+",mistral,qwen2.5-72b")} {
		r.SHA256 = strings.Repeat("0", 64)
		doc := check.Get((&evaluation.Report{Format: evaluation.Format, Recorded: r}).JSON())(t)
		check.OK(t, schemas.Validate("evaluation", doc))
	}
}

// Counted by hand: a, b and c have 1, 2 and 3 wrong of five questions; the sixth was not put to c.
func TestPlay_CountsASmallFile(t *testing.T) {
	const doc = "id,note,answer,a,b,c,d\n" +
		"1,,x,x,x,x,\n" + // all
		"2,,x,x,y,z,\n" + // a tie, to the first
		"3,,x,,y,z,\n" + // unreadable, then a tie that the right answer is not in
		"4,,\"x,y\",\"x,y\",\"x,y\",,\n" + // two of three
		"5,,,,,q,\n" + // the right answer is an empty text
		"6,,x,y,y,?,\n"
	found := playedBy(t, parsed(t, doc), "a,b,c")
	check.Is(t, "questions", 6, found.Questions)
	check.Is(t, "of these played", 5, found.Played)
	p := found.Panels[0]
	for _, want := range []evaluation.Ruled{
		{Rule: "a", Decided: 5, Coverage: 1, Right: 0.8, Answers: 1}, {Rule: "b", Decided: 5, Coverage: 1, Right: 0.6,
			Answers: 1},
		{Rule: "c", Decided: 5, Coverage: 1, Right: 0.2, Answers: 1},
		{Rule: "plurality, leaning", Decided: 5, Coverage: 1, Right: 0.8, Answers: 3},
		{Rule: "plurality, lot", Decided: 5, Coverage: 1, Right: (3 + 1.0/3) / 5, Answers: 3},
		{Rule: "majority", Decided: 3, Coverage: 0.6, Right: 1, Answers: 3},
		{Rule: "split majority", Decided: 2, Coverage: 0.4, Right: 1, Answers: 3},
		{Rule: "unanimous", Decided: 1, Coverage: 0.2, Right: 1, Answers: 3},
		{Rule: "auto", Decided: 3, Coverage: 0.6, Right: 1, Answers: 3},
	} {
		want.Questions = 5
		got := ruled(t, p, want.Rule)
		if math.Abs(got.Answers-want.Answers) < 1e-9 && math.Abs(got.Right-want.Right) < 1e-9 {
			got.Answers, got.Right = want.Answers, want.Right
		}
		check.Is(t, "the rule", want, got)
	}
	if math.Abs(p.Missed-0.2) > 1e-9 {
		t.Errorf("all miss %.3f", p.Missed)
	}
	// Wrong: a {3}, b {2, 3}, c {2, 3, 4, 5}. φ is (5·1 − 1·2)/√(4·6), (5·1 − 1·4)/√(4·4) and (5·2 − 2·4)/√(6·4).
	phi := (3/math.Sqrt(24) + 1.0/4 + 2/math.Sqrt(24)) / 3
	if math.Abs(p.Correlation-phi) > 1e-9 || math.Abs(p.Votes-3/(1+2*phi)) > 1e-9 {
		t.Errorf("errors correlate by %.4f, not %.4f: %.4f votes", p.Correlation, phi, p.Votes)
	}
	opposed := playedBy(t, parsed(t, "id,answer,a,b\n1,x,x,y\n2,x,y,x\n"), "a,b").Panels[0]
	check.Is(t, "votes of two that never err together", 0, opposed.Votes)
}

func TestParseRecording_NamesTheLineOfAFault(t *testing.T) {
	const head = "id,answer,a,b\n"
	const forecasts = "id,resolution,condition,model,before,after\n"
	for doc, want := range map[string]string{
		"":                               "it has no question",
		"id,answer\n":                    "line 1: its columns are the question",
		"answer,a,b\n":                   "line 1: its columns are the question",
		head:                             "it has no question",
		head + "1,x,x,x\n2,x,x\n":        "record on line 3: wrong number of fields",
		head + "1,x,x,x\n1,x,x,x\n":      `line 3: the question "1" has a line already`,
		head + "1,\"x\ny\",x,x\n1,x,x,x": `line 4: the question "1" has a line already`,
		head + "1,x,x\"y,x\n":            "parse error on line 2, column 6: bare \"",
		"id,resolution,before,after\n":   `line 1: forecasts need the column "condition"`,
		forecasts + "1,1,c,m,50,101\n":   `line 2: after is a number from 0 to 100, not "101"`,
		forecasts + "1,1,c,m,NaN,1\n":    `line 2: before is a number from 0 to 100, not "NaN"`,
		forecasts + "1,yes,c,m,50,10\n":  `line 2: resolution is 0 or 1, not "yes"`,
	} {
		check.Fails(t, doc[:min(len(doc), 80)], check.Err(evaluation.ParseRecording([]byte(doc))), want)
	}
}

func TestPlay_ListsTheModelsThatAPanelCanHave(t *testing.T) {
	r := parsed(t, "id,answer,gpt-4,gpt-4o,claude\n1,x,x,?,x\n")
	for _, test := range []struct {
		panels [][]string
		want   string
	}{
		{nil, "name the models of a panel with --models; it has gpt-4, gpt-4o, claude"},
		{[][]string{{"claude", "gemini"}}, `"gemini" is none of its models, or several: gpt-4, gpt-4o, claude`},
		{[][]string{{""}}, `"" is none of its models, or several: gpt-4, gpt-4o, claude`},
		{[][]string{{"gpt"}}, `"gpt" is none of its models, or several: gpt-4, gpt-4o, claude`},
		{[][]string{{"claude"}, {"gpt-4o"}}, "no question was put to all models of the panels"},
	} {
		check.Fails(t, fmt.Sprint(test.panels), check.Err(r.Play(test.panels)), test.want)
	}
	check.Equal(t, "the panel", []string{"gpt-4", "claude"},
		check.Get(r.Play([][]string{{"gpt-4", "cl"}}))(t).Panels[0].Models)
}
