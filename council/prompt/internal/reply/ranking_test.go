package reply

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// rankings are orders of NATS, Kafka and keep Postgres as members give them, and the meaning of each; "" is asked for
// again.
var rankings = map[string]string{
	// Words, whatever is around them.
	`["NATS", "Kafka"]`:             "NATS > Kafka",
	`["nats", "KAFKA."]`:            "NATS > Kafka",
	`["**NATS**", "_Kafka_"]`:       "NATS > Kafka",
	"[\"`NATS`\", \"“Kafka”\"]":     "NATS > Kafka",
	`["kafka.", "Keep  postgres"]`:  "Kafka > keep Postgres",
	`["- Kafka", "* NATS"]`:         "Kafka > NATS",
	`["keep"]`:                      "keep Postgres",
	`["Postgres"]`:                  "",
	`["NATS JetStream"]`:            "",
	`["not NATS"]`:                  "",
	`["NATS and Kafka"]`:            "",
	`["k"]`:                         "",
	`["Redis", "NATS"]`:             "",
	`["NATS", "Redis"]`:             "",
	`["NATS", true]`:                "",
	`["NATS", ""]`:                  "NATS",
	`["NATS", null]`:                "NATS",
	`["NATS", {"option": "Kafka"}]`: "NATS > Kafka",
	`[{"rank": 1, "option": "NATS"}, {"rank": 2, "option": "Kafka"}]`: "NATS > Kafka",
	`[{"rank": 2, "option": "NATS"}, {"rank": 1, "option": "Kafka"}]`: "",
	`{"1": "NATS"}`:           "",
	`"[\"Kafka\", \"NATS\"]"`: "Kafka > NATS",

	// None of these.
	`["none", "Kafka"]`:                 "none of these > Kafka",
	`["None of these", "Kafka"]`:        "none of these > Kafka",
	`["none of the above"]`:             "none of these",
	`["Kafka", "none of them", "NATS"]`: "Kafka > none of these > NATS",
	`["none (all too dear)", "Kafka"]`:  "none of these > Kafka",

	// Remarks.
	`["NATS (best)", "Kafka"]`:                          "NATS > Kafka",
	`["NATS - cheap", "Kafka – dear"]`:                  "NATS > Kafka",
	`["NATS: cheap, and known", "Kafka, which is not"]`: "NATS > Kafka",
	`["NATS (cheap)", "Kafka (second best)"]`:           "NATS > Kafka",
	`["NATS (1)", "Kafka (2nd)", "keep (worst)"]`:       "NATS > Kafka > keep Postgres",
	`["NATS (latency = 3 ms, > 2)", "Kafka"]`:           "NATS > Kafka",
	`["NATS (worst)", "Kafka"]`:                         "",
	`["NATS", "Kafka (best)"]`:                          "",
	`["Kafka (2)", "NATS (1)"]`:                         "",
	`["NATS (unacceptable)", "Kafka"]`:                  "",
	`["NATS", "none", "Kafka (unacceptable)"]`:          "NATS > none of these > Kafka",
	`["NATS, 2, 1"]`:                                    "",
	`["NATS (fast, Kafka)", "keep"]`:                    "",
	`["not: NATS"]`:                                     "",
	`["NATS-JetStream"]`:                                "",

	// Numbers of options.
	`["2", "1"]`:                             "Kafka > NATS",
	`[2, 1]`:                                 "Kafka > NATS",
	`"2, 1"`:                                 "Kafka > NATS",
	`["2, 1"]`:                               "Kafka > NATS",
	`["Option 2"]`:                           "Kafka",
	`["#2", "(1)", "3."]`:                    "Kafka > NATS > keep Postgres",
	`["Kafka", "1"]`:                         "Kafka > NATS",
	`["4"]`:                                  "",
	`[0]`:                                    "",
	`[1.5]`:                                  "",
	`["2 - cheap"]`:                          "",
	`["Option 2: NATS"]`:                     "",
	`["Option 2: Kafka", "Option 1 (NATS)"]`: "Kafka > NATS",
	`["Kafka (option 2)", "NATS (option 1)"]`: "Kafka > NATS",
	`["NATS (option 2)"]`:                     "",
	`["Option 4"]`:                            "",

	// Ranks.
	`["1. Kafka", "2. NATS", "3. keep Postgres"]`: "Kafka > NATS > keep Postgres",
	`["1) Kafka", "2) NATS"]`:                     "Kafka > NATS",
	`["(1) Kafka", "(2) NATS"]`:                   "Kafka > NATS",
	`["1.Kafka", "2.NATS"]`:                       "Kafka > NATS",
	`["A. Kafka", "B. NATS"]`:                     "Kafka > NATS",
	`["a) Kafka", "b) keep", "c) NATS"]`:          "Kafka > keep Postgres > NATS",
	`["Rank 1: Kafka", "Rank 2: NATS"]`:           "Kafka > NATS",
	`["**1. Kafka** (cheap)", "2. **NATS**"]`:     "Kafka > NATS",
	`["1. Kafka > 2. NATS > 3. keep Postgres"]`:   "Kafka > NATS > keep Postgres",
	`"1. Kafka\n2. NATS\n3. none of these"`:       "Kafka > NATS > none of these",
	`["1. Option 2", "2. Option 1"]`:              "Kafka > NATS",
	`["2. Kafka", "4. none of these"]`:            "",
	`["2. NATS", "1. Kafka"]`:                     "",
	`["1. Kafka", "1. NATS"]`:                     "",
	`["1. Kafka", "3. NATS"]`:                     "",
	`["1. Kafka", "NATS"]`:                        "",
	`["1. Kafka", "2"]`:                           "",
	`["1. 2", "2. 1"]`:                            "",
	`["B. NATS", "A. Kafka"]`:                     "",
	`["B", "A"]`:                                  "",
	`["1. Redis"]`:                                "",

	// Several in one entry.
	`["NATS = Kafka"]`:            "NATS = Kafka",
	`[["NATS", "Kafka"], "keep"]`: "NATS = Kafka > keep Postgres",
	`["Kafka", "1 = 3"]`:          "Kafka > NATS = keep Postgres",
	`[2, [1, 3]]`:                 "Kafka > NATS = keep Postgres",
	`"2 > 1 = 3"`:                 "Kafka > NATS = keep Postgres",
	`"NATS > Kafka"`:              "NATS > Kafka",
	`"NATS -> Kafka → keep"`:      "NATS > Kafka > keep Postgres",
	`"NATS (cheap) > Kafka"`:      "NATS > Kafka",
	`["NATS, Kafka"]`:             "NATS > Kafka",
	`["NATS - Kafka"]`:            "NATS > Kafka",
	`"NATS, Kafka; keep"`:         "NATS > Kafka > keep Postgres",
	`"NATS, cheap, Kafka"`:        "",
	`"NATS, Redis"`:               "",
	`"NATS >= Kafka"`:             "",
	`"NATS < Kafka"`:              "",
	`"NATS > Redis"`:              "",

	// Twice.
	`["NATS", "NATS", "Kafka"]`:  "NATS > Kafka",
	`["NATS", "nats.", "Kafka"]`: "NATS > Kafka",
	`["NATS", "Kafka", "NATS"]`:  "",
	`["NATS", "1"]`:              "",
	`["NATS = Kafka", "NATS"]`:   "",

	// Nothing.
	`[]`: "", `null`: "", `""`: "", `[""]`: "", `{}`: "", `true`: "",
	`"I cannot rank these"`: "", `["I cannot rank these"]`: "",
}

func readRanking(t *testing.T, options []string, said string) (council.Ranks, error) {
	t.Helper()
	var value any
	decoder := json.NewDecoder(strings.NewReader(said))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		t.Fatal(said, err)
	}
	ranks, err := Ranking(options, value)
	_, ok := ranks.Of(options)
	check.That(t, ok, "%s is read as %q, which the rules refuse", said, ranks)
	return ranks, err
}

func TestRanking_IsReadOrUnclear(t *testing.T) {
	check := func(options []string, said, want string) {
		t.Helper()
		ranks, err := readRanking(t, options, said)
		check.That(t, ranks.Words() == want && (err == nil) != (want == ""), "%s: want %q, got %q, %v", said, want,
			ranks.Words(), err)
		if err != nil && (!errors.Is(err, ErrUnclear) || !errors.Is(err, council.ErrBadReply)) {
			t.Errorf("%s: the error is no ErrUnclear: %v", said, err)
		}
	}
	for said, want := range rankings {
		check([]string{"NATS", "Kafka", "keep Postgres"}, said, want)
	}
	nodes := []string{"3", "5", "7"} // which have no numbers
	check(nodes, `["3", "2", "1"]`, "")
	check(nodes, `"3, 2, 1"`, "")
	check(nodes, `["3", "7"]`, "3 > 7")
	check(nodes, `["1. 3", "2. 7"]`, "3 > 7")
	check(nodes, `["Option 3"]`, "")
	plans := []string{"Plan 2", "Plan 1"}
	check(plans, `["2"]`, "")
	check(plans, `["Plan 1", "Plan 2"]`, "Plan 1 > Plan 2")
	check([]string{"a, b", "a", "b = c"}, `["a, b", "b = c"]`, "a, b > b = c")
	check([]string{"a, b", "a", "b = c"}, `"a, b = a > b = c"`, "a, b = a > b = c")
	check([]string{"NATS", "NATS JetStream"}, `["NATS JetStream", "NATS"]`, "NATS JetStream > NATS")
	check([]string{"none yet", "all"}, `["none"]`, "")
	check([]string{"A: use NATS", "B: use Kafka"}, `["B: use Kafka", "A"]`, "B: use Kafka > A: use NATS")
	check([]string{"保留", "更换"}, `["2. 更换", "1. 保留"]`, "")
	check([]string{"保留", "更换"}, `["1. 更换", "2. 保留"]`, "更换 > 保留")
}

func TestRanking_NamesUnclearTextUnchanged(t *testing.T) {
	for said, want := range map[string]string{
		`["NATS", "4"]`:            `It was given as ["NATS", "4"]. The entry "4" is not one of the options, or could be several of them.`,
		`["2. NATS", "1. Kafka"]`:  `The number or the letter before "2. NATS" is not that of its place.`,
		`["NATS (worst)", "keep"]`: `The remark in "NATS (worst)" contradicts its place.`,
		`["keep", "NATS", "keep"]`: `The option "keep Postgres" is named twice, in different ways.`,
		`null`:                     `It was given as []. There is no list of options.`,
		`[["NATS", 7], true]`:      `It was given as ["[\"NATS\",7]", "true"]. The entry "7" is not one of the options, or could be several of them.`,
	} {
		check.Fails(t, said, check.Err(readRanking(t, []string{"NATS", "Kafka", "keep Postgres"}, said)), want)
	}
}

func TestRanking_ARankedBallot(t *testing.T) {
	v := council.View{Ask: council.Ask{Kind: council.AskRank}, Motion: &council.Motion{Options: []string{"NATS", "Kafka"}}}
	want := council.Ranked{Rationale: "Simple.", Ranking: council.Ranks{{"NATS"}}}
	check.Equal(t, "it", council.Body(want), check.Get(Parse(v, `{"rationale": "Simple.", "ranking": ["1"]}`))(t))
	for _, reply := range []string{`{"rationale": "R", "ranking": ["Redis", "NATS"]}`, `{"rationale": "R"}`,
		`{"a": 1} {"rationale": "R", "ranking": null}`} {
		check.ErrorIs(t, reply, ErrUnclear, check.Err(Parse(v, reply)))
	}
	got, err := Parse(v, `I prefer NATS.`)
	check.That(t, err != nil && !errors.Is(err, ErrUnclear), "prose is read as %+v, %v", got, err)
}

func TestRanking_ASealedPositionWithoutAReadableRankingStaysAPosition(t *testing.T) {
	v := viewOf("position")
	v.Charter.Options = []string{"NATS", "Kafka"}
	want := council.Position{Position: "P", Confidence: 0.5, UnreadRanking: []string{"Kafka", "Redis"}}
	const said = `{"position": "P", "confidence": 0.5, "ranking": ["Kafka", "Redis"]}`
	check.Equal(t, "it", council.Body(want), check.Get(Parse(v, said))(t))
}

// FuzzRanking: no text gives a rank to an option of which it names neither a word nor the number.
func FuzzRanking(f *testing.F) {
	for said := range rankings {
		f.Add(said)
	}
	options := []string{"NATS", "Kafka", "keep Postgres"}
	f.Fuzz(func(t *testing.T, said string) {
		var value any = said
		if decoder := json.NewDecoder(strings.NewReader(said)); json.Valid([]byte(said)) {
			decoder.UseNumber()
			check.OK(t, decoder.Decode(&value))
		}
		ranks, err := Ranking(options, value)
		if _, ok := ranks.Of(options); !ok || (err == nil) == (len(ranks) == 0) {
			t.Fatalf("%q is read as %q, %v", said, ranks, err)
		}
		text := strings.ToLower(council.CompactJSON(value))
		for _, option := range strings.Fields(strings.NewReplacer(">", " ", "=", " ").Replace(ranks.Words())) {
			known := map[string][]string{"NATS": {"nats", "1"}, "Kafka": {"kafka", "2"}, "keep": {"keep", "3"},
				"none": {"none", "neither", "no option"}}[option]
			if known != nil && !slices.ContainsFunc(known, func(word string) bool { return strings.Contains(text, word) }) {
				t.Fatalf("%q is read as %q", said, ranks.Words())
			}
		}
	})
}

func TestRanking_AChoiceIsProposedWhereThePhaseAllowsIt(t *testing.T) {
	const said = `{"action": "CALL_CHOICE", "motionTitle": "Which?", "options": ["NATS", "Kafka"]}`
	v := council.View{Ask: council.Ask{Kind: council.AskTurn}, Phase: &council.Phase{}, Turn: 1}
	check.Fails(t, "a vote", check.Err(Parse(v, said)), "")
	v.Phase.Governance.Choices, v.Turn = true, 0
	check.Fails(t, "of a round that is held together", check.Err(Parse(v, said)), "")
	v.Turn = 1
	want := council.Turn{Action: council.ActionCallChoice, MotionTitle: "Which?", Options: []string{"NATS", "Kafka"}}
	check.Equal(t, "it", council.Body(want), check.Get(Parse(v, said))(t))
	for _, options := range []string{`["NATS"]`, `["NATS", "nats "]`, `[]`, `["1","2","3","4","5","6","7","8"]`} {
		check.Fails(t, options, check.Err(Parse(v, strings.Replace(said, `["NATS", "Kafka"]`, options, 1))), "")
	}
}

func TestTurn_AddsAnOptionWhereThePhaseRanksSome(t *testing.T) {
	const said = `{"action": "ADD_OPTION", "message": "It is simpler.", "option": " Redis "}`
	const motion = `{"action": "CALL_VOTE", "motionTitle": "T", "motionText": "T", "decisionIfPass": "Redis"}`
	v := council.View{Ask: council.Ask{Kind: council.AskTurn}, Phase: &council.Phase{}, Turn: 1}
	check.Fails(t, "where no options are ranked", check.Err(Parse(v, said)), "")
	v.Options, v.MayAdd = []string{"NATS", "Kafka"}, true
	want := council.Turn{Action: council.ActionAddOption, Message: "It is simpler.", Option: "Redis"}
	check.Equal(t, "it", council.Body(want), check.Get(Parse(v, said))(t))
	for _, option := range []string{"nats.", "", "none of these"} {
		check.Fails(t, option, check.Err(Parse(v, strings.Replace(said, "Redis", option, 1))), "")
	}
	check.Fails(t, "a motion", check.Err(Parse(v, motion)), "")
}

func TestMissingAnswer_IsOneThatIsNamed(t *testing.T) {
	for said, want := range map[string]string{"Redis": "Redis", "missing": "", "Missing.": "", "none": "",
		"No answer is missing": "", "nothing missing": "", "NATS": "",
		"Missing data raises an alarm": "Missing data raises an alarm"} {
		o := object{in: map[string]any{"missing": said}, problem: new(error)}
		check.Is(t, said, want, o.missingAnswer([]string{"NATS", "Kafka"}))
	}
}
