package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// steadfast answers every question of a session with the same words, whenever it is asked.
func steadfast(r counciltest.Request) string {
	switch r.Contract {
	case "reply_position":
		return `{"position":"It is so.\nANSWER: A","confidence":0.6,"overlooked":[]}`
	case "reply_nominate":
		return `{"rationale":"Knows the field.","candidateId":"m1"}`
	case "reply_turn":
		return `{"action":"CALL_VOTE","motionTitle":"It","motionText":"That it is so.","decisionIfPass":"It is.\nANSWER: A"}`
	case "reply_second":
		return `{"rationale":"It is time.","stand":"SUPPORT","second":true}`
	case "reply_ballot":
		return `{"rationale":"It is sound.","ballot":"YES"}`
	case "reply_assess":
		return `{"deliverables":[],"qualityGates":[],"assumptions":[],"risks":[],"citations":[]}`
	}
	return `{"summaryMarkdown":"We agreed.","requiresExecution":false}`
}

// examined is a folder in which a council is evaluated on two questions.
type examined struct {
	*testing.T
	server    *counciltest.Server
	calls     atomic.Int64 // the server's own count, of all questions but seconds
	dir       string
	out, errs bytes.Buffer
	signals   chan os.Signal
	asked     atomic.Pointer[func(counciltest.Request)] // told of every question, of withdrawn ones late; may be nil
}

func newExamined(t *testing.T) *examined {
	e := &examined{T: t, dir: t.TempDir()}
	t.Chdir(e.dir) // where its workspace is made
	e.server = counciltest.NewServer(t, func(r counciltest.Request) string {
		if told := e.asked.Load(); told != nil {
			(*told)(r)
		}
		if r.Contract != "reply_second" { // the others are withdrawn once the first has seconded, asked or not
			e.calls.Add(1)
		}
		return steadfast(r)
	})
	writeCouncil(t, site.ConfigFile, shortCharter(e.server.URL))
	check.OK(t, os.WriteFile("set.jsonl", []byte(`{"id": "one", "question": "Is it one?", "choices": ["yes", "no"], "answer": "A"}
{"id": "two", "question": "Is it two?", "choices": ["yes", "no"], "answer": "A"}`), 0o600))
	return e
}

// run evaluates into a folder and returns the calls that the server counted.
func (e *examined) run(plan *filetest.Plan, want int, out string, flags ...string) int64 {
	e.Helper()
	e.out.Reset()
	e.errs.Reset()
	before := e.calls.Load()
	a := testOnlyApp(&e.out, &e.errs)
	if plan != nil {
		a.Layer = plan.Watch
	}
	if e.signals != nil {
		a.Signals = catching(e.signals)
	}
	args := append([]string{"eval", filepath.Join(e.dir, "set.jsonl"), "--config", filepath.Join(e.dir, site.ConfigFile),
		"--out", filepath.Join(e.dir, out)}, flags...)
	if code := runLine(a, e.Context(), args); want >= 0 && code != want {
		e.Fatalf("%v: exit code %d, not %d\n%s%s", flags, code, want, &e.out, &e.errs)
	}
	return e.calls.Load() - before
}

func (e *examined) read(out, name string) string {
	e.Helper()
	return readFile(e, filepath.Join(e.dir, out, name))
}

// found returns the report without its tokens: a suspension is two events, so that later ones have longer numbers, and
// prompts grow by a few bytes.
func (e *examined) found(out string) string {
	e.Helper()
	return regexp.MustCompile(`"tokens": \d+`).ReplaceAllString(e.read(out, "report.json"), "")
}

// TestEval_AnEvaluationThatIsKilledGoesOn kills the command at operations on the disk and runs it again: the reports
// are the same bytes as without the kill, and no answer on record is bought again. At most one question a member was
// under way.
func TestEval_AnEvaluationThatIsKilledGoesOn(t *testing.T) {
	counciltest.NotUnderRace(t)
	e := newExamined(t)
	plan := &filetest.Plan{}
	calls := e.run(plan, cli.ExitOK, "whole")
	check.Is(t, "the second run asked times", 0, e.run(nil, cli.ExitOK, "whole"))
	want, lines := e.read("whole", "report.json"), e.read("whole", resultsOf)
	operations := plan.Count()
	for at := 1; at <= operations; at += max(1, operations/counciltest.Often(3, 24)) {
		out := fmt.Sprintf("killed-%d", at)
		first := e.run(&filetest.Plan{At: at, Moment: filetest.Half}, -1, out)
		second := e.run(nil, cli.ExitOK, out)
		if got := e.read(out, "report.json"); got != want {
			t.Errorf("killed at operation %d, the report is another", at)
		}
		if got := e.read(out, resultsOf); got != lines {
			t.Errorf("killed at operation %d, the results are others", at)
		}
		if first+second > calls+3 {
			t.Errorf("killed at operation %d, it asked %d and %d times, and without the kill %d", at, first, second, calls)
		}
	}
}

const resultsOf = "results.jsonl"

func TestEval_AnEvaluationKeepsToItsBudgetAndGoesOnWithALargerOne(t *testing.T) {
	e := newExamined(t)
	e.run(nil, cli.ExitOK, "free")
	all := gjson.Get(e.read("free", "report.json"), "dataset.summary.councilCost.tokens").Int()
	if all == 0 {
		t.Fatal("the server says nothing of tokens")
	}
	limit := all * 3 / 4
	capped := fmt.Sprintf("--budget-tokens=%d", limit)
	e.run(nil, cli.ExitSuspended, "capped", capped)
	report := e.read("capped", "report.json")
	check.Is(t, "questions that are answered", 1, gjson.Get(report, "dataset.summary.questions").Int())
	check.Says(t, gjson.Get(report, "dataset.stopped").String(), "budget")
	if spent := e.spent("capped"); spent > limit {
		t.Errorf("%d tokens are spent of %d", spent, limit)
	}
	check.Is(t, "with the same budget it asked times more", 0, e.run(nil, cli.ExitSuspended, "capped", capped))
	e.run(nil, cli.ExitOK, "capped")
	check.Equal(t, "the report of two runs is not that of one", e.found("free"), e.found("capped"))
}

// spent adds up what the sessions of an evaluation record, closed or not.
func (e *examined) spent(out string) (tokens int64) {
	e.Helper()
	logs, err := filepath.Glob(filepath.Join(e.dir, out, "record", "sessions", "*", "events.json"))
	if err != nil || len(logs) == 0 {
		e.Fatal("there are no sessions: ", err)
	}
	for _, log := range logs {
		text := check.Get(os.ReadFile(log))(e)
		for _, usage := range gjson.GetBytes(text, "#.payload.usage").Array() {
			for _, kind := range []string{"inputTokens", "cachedTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens"} {
				tokens += usage.Get(kind).Int()
			}
		}
	}
	return tokens
}

func TestEval_ASessionIsGivenNoMoreThanWhatIsLeft(t *testing.T) {
	type took = council.Amount
	minutes := func(n float64) int64 { return int64(n * 60_000) }
	for _, test := range []struct {
		name  string
		caps  site.Caps
		own   council.Budget
		spent site.Spending
		want  council.Budget
		over  string
	}{
		{"no caps", site.Caps{}, council.Budget{Tokens: 5}, site.Spending{Amount: took{Tokens: 1000, Unknown: true}},
			council.Budget{Tokens: 5}, ""},
		{"all is left", site.Caps{Tokens: 100, USD: 2, Time: time.Hour}, council.Budget{}, site.Spending{},
			council.Budget{Tokens: 100, USD: 2, Minutes: 60}, ""},
		{"some is left", site.Caps{Tokens: 100, USD: 2, Time: time.Hour}, council.Budget{},
			site.Spending{Amount: took{Tokens: 40, Cost: council.Dollars(0.5)}, MS: minutes(15)},
			council.Budget{Tokens: 60, USD: 1.5, Minutes: 45}, ""},
		{"the charter allows one session less", site.Caps{Tokens: 100}, council.Budget{Tokens: 10, USD: 1},
			site.Spending{Amount: took{Tokens: 40}}, council.Budget{Tokens: 10, USD: 1}, ""},
		{"the charter allows one session more", site.Caps{Tokens: 100}, council.Budget{Tokens: 70},
			site.Spending{Amount: took{Tokens: 40}}, council.Budget{Tokens: 60}, ""},
		{"tokens are spent", site.Caps{Tokens: 100}, council.Budget{}, site.Spending{Amount: took{Tokens: 100}},
			council.Budget{}, "the budget of tokens is spent"},
		{"dollars are spent", site.Caps{USD: 2}, council.Budget{}, site.Spending{Amount: took{Cost: council.Dollars(2.01)}},
			council.Budget{}, "the budget of US dollars is spent"},
		{"time is spent", site.Caps{Time: time.Minute}, council.Budget{}, site.Spending{MS: minutes(1)}, council.Budget{},
			"the budget of time is spent"},
		{"who knows what was spent", site.Caps{USD: 2}, council.Budget{}, site.Spending{Amount: took{Unknown: true}},
			council.Budget{}, "what a reply cost is not known, so that a budget in US dollars cannot be held"},
	} {
		got, over := test.caps.Rest(test.own, test.spent)
		if over != test.over || over == "" && got != test.want {
			t.Errorf("%s: %+v, %q; not %+v, %q", test.name, got, over, test.want, test.over)
		}
	}
}

type fixedBill struct{}

func (fixedBill) Spent() council.Usage        { return council.Usage{InputTokens: 40, ElapsedMS: 7} }
func (fixedBill) Cost() (council.Money, bool) { return council.Dollars(0.4), true }

func TestEval_WhatNoEventHoldsCountsAgainstTheCaps(t *testing.T) {
	var s site.Spending
	s.Add(fixedBill{}, site.Beside{Late: site.PaidSum{Asks: 1, Amount: council.Amount{Tokens: 3,
		Cost: council.Dollars(0.03)}},
		Cut: site.PaidSum{Asks: 2, Amount: council.Amount{Tokens: 2, Cost: council.Dollars(0.02)}}})
	check.Is(t, "it", (site.Spending{Amount: council.Amount{Tokens: 45, Cost: council.Dollars(0.45)}, MS: 7}), s)
	if s.Add(fixedBill{}, site.Beside{Late: site.PaidSum{Amount: council.Amount{Unknown: true}}}); !s.Unknown {
		t.Error("a late answer of unknown cost is known")
	}
}

// TestEval_AnEvaluationThatIsStoppedFinishesWhatIsInHand: a Ctrl-C in the middle of a question loses nothing, and the
// same command asks exactly what is left.
func TestEval_AnEvaluationThatIsStoppedFinishesWhatIsInHand(t *testing.T) {
	e := newExamined(t)
	calls := e.run(nil, cli.ExitOK, "whole")
	for _, at := range []string{"reply_position", "reply_turn"} {
		signals := make(chan os.Signal, 1)
		e.signals = signals
		var once sync.Once
		stop := func(r counciltest.Request) {
			if r.Contract == at {
				once.Do(func() { signals <- os.Interrupt })
			}
		}
		e.asked.Store(&stop)
		first := e.run(nil, cli.ExitSuspended, at)
		check.Says(t, e.errs.String(), "the evaluation stopped: ")
		e.asked.Store(nil)
		e.signals = nil
		if second := e.run(nil, cli.ExitOK, at); first == 0 || first+second != calls {
			t.Errorf("stopped at %s, it asked %d and %d times, and without the stop %d", at, first, second, calls)
		}
		check.Equal(t, fmt.Sprintf("stopped at %s, the report is another", at), e.found("whole"), e.found(at))
	}
}
