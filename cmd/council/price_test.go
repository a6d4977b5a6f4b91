package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/session"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/run"
)

// caching fronts a model server as a provider that reads half of each prompt from its cache.
func caching(t *testing.T, s http.Handler) string {
	t.Helper()
	front := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		told := httptest.NewRecorder()
		s.ServeHTTP(told, r)
		w.WriteHeader(told.Code)
		fmt.Fprint(w, promptTokens.ReplaceAllStringFunc(told.Body.String(), func(usage string) string {
			n, _ := strconv.Atoi(promptTokens.FindStringSubmatch(usage)[1])
			return fmt.Sprintf(`%s,"prompt_tokens_details":{"cached_tokens":%d}`, usage, n/2)
		}))
	}))
	t.Cleanup(front.Close)
	return front.URL
}

var promptTokens = regexp.MustCompile(`"prompt_tokens":(\d+)`)

// The outcome has calls, cost and time in one line, against five answers of one member: 5 × (29/4 tokens of prompt and
// 300 of reply) at 10 USD for a million.
func TestPrice_StandsInOneLineOfTheOutcome(t *testing.T) {
	s := newStreet(t)
	s.steady = true
	d := newWorkplace(t, s.url)
	c := priced(s.url, 10)
	c.Deliberation.Stances = true
	d.write(c)
	line := regexp.MustCompile(
		`(?m)^(?:Cost:   )?(\d+) calls, (\S+) USD, \d+ s: (\S+) times what asking one member five ` +
			`times would have cost\.$`)
	read := func(where string) {
		t.Helper()
		all := line.FindAllStringSubmatch(d.out.String(), -1)
		if len(all) != 1 {
			t.Fatalf("%s: %d lines, want one:\n%s", where, len(all), &d.out)
		}
		d.run(cli.ExitOK, "show", "--json")
		usage := gjson.Get(d.out.String(), "usage")
		cost := usage.Get("cost.total").Float()
		check.Is(t, where+": the calls", usage.Get("total.calls").String(), all[0][1])
		check.Is(t, where+": the cost", council.Dollars(cost).String(), all[0][2]+" USD")
		check.Is(t, where+": the multiple", fmt.Sprintf("%.1f", cost/(5*(7+300)*10/1e6)), all[0][3])
	}
	d.run(cli.ExitOK, "convene", "Shall we?", "--config", d.config)
	read("at the close")
	d.run(cli.ExitOK, "show")
	read("in the transcript")
	c.Prices = nil
	d.write(c)
	d.run(cli.ExitOK, "convene", "Shall we?", "--config", d.config)
	if !regexp.MustCompile(`Cost:   \d+ calls, price unknown, \d+ s\.\n`).MatchString(d.out.String()) {
		t.Errorf("without prices it says:\n%s", &d.out)
	}
	d.run(cli.ExitOK, "convene", "Shall we?", "--model", "rehearsal")
	d.says(&d.out, "Cost:   none; no model was asked.")
}

func TestCachedShare_StandsInUsageAndReceipt(t *testing.T) {
	s := newStreet(t)
	s.steady = true
	address := caching(t, s.server)
	d := newWorkplace(t, address)
	c := priced(address, 10)
	c.Deliberation.Stances = true
	d.write(c)
	d.run(cli.ExitOK, "convene", "Shall we?", "--config", d.config)
	d.run(cli.ExitOK, "show", "--json")
	if share := gjson.Get(d.out.String(), "receipt.cachedShare").Float(); share < 0.49 || share > 0.5 {
		t.Errorf("the receipt has the share %v, want a half", share)
	}
	d.run(cli.ExitOK, "show")
	d.says(&d.out, "- **Read from a cache:** 50 % of the tokens of prompts.")
	d.run(cli.ExitOK, "usage", "--by", "model")
	if n := strings.Count(d.out.String(), " (50 %)"); n != 4 { // three models and all
		t.Errorf("%d rows have the share:\n%s", n, &d.out)
	}
	d.run(cli.ExitOK, "usage", "--json")
	for row := range strings.Lines(d.out.String()) {
		if share := gjson.Get(row, "cachedShare").Float(); share < 0.49 || share > 0.5 {
			t.Errorf("the share is %v in %s", share, row)
		}
	}
}

var thousands = regexp.MustCompile(`([\d,]+) tokens`)

// told adds up the tokens of all lines that begin with one of the words.
func told(t *testing.T, text string, beginnings ...string) (sum int64) {
	t.Helper()
	for line := range strings.Lines(text) {
		for _, begin := range beginnings {
			if found := thousands.FindStringSubmatch(line); strings.HasPrefix(line, begin) && found != nil {
				n := check.Get(strconv.ParseInt(strings.ReplaceAll(found[1], ",", ""), 10, 64))(t)
				sum += n
			}
		}
	}
	return sum
}

// unlocked refuses the key of the member whose second counts first, once. The others have answered by the time that the
// session is resumed; it then seconds, and what they said comes too late.
func unlocked(t *testing.T, b *billed) {
	var refused atomic.Bool
	first := lot(crashSession, "p1.r1.t5", "m1", "m2", "m3", "m4")[0]
	url := counciltest.NewFront(t, b.server, func(w http.ResponseWriter, c counciltest.Call) bool {
		if c.Model != first || c.Contract != "reply_second" || !refused.CompareAndSwap(false, true) {
			return false
		}
		http.Error(w, `{"error": {"message": "no such key"}}`, http.StatusUnauthorized)
		return true
	})
	for i := range b.charter.Members {
		b.charter.Members[i].Model.BaseURL = url
	}
}

// What came too late is in no event, and on the bill: what is shown adds up to what the server counted. At the close,
// where one line has the price, that is what council show --cost adds up.
func TestBeside_WhatCameTooLateIsToldAndCapped(t *testing.T) {
	b := bill(t, 5, 1)
	b.charter.Phases, b.charter.Phases[0].Transitions = b.charter.Phases[:1], nil
	b.charter.Phases[0].Governance.Debate = false // all are awaited in a debate
	b.charter.Output.Type = council.OutputNone
	unlocked(t, b)
	holds := func(where string, code, want int, words ...string) {
		t.Helper()
		text := b.out.String() + b.errs.String()
		if code != want {
			t.Fatalf("%s: exit code %d\n%s", where, code, text)
		}
		check.Says(t, text, words...)
		if sum := told(t, text, "Cost:", "Also paid for:"); where != "closed" && sum != b.tokens.Load() {
			t.Errorf("%s: it tells of %d tokens, and the server counted %d\n%s", where, sum, b.tokens.Load(), text)
		}
	}
	b.loud = true
	holds("suspended", b.convene(nil), cli.ExitSuspended, "Also paid for: 3 answers that count once the session goes on: ")
	holds("shown", b.run(nil, "show", "--cost"), cli.ExitOK, "Also paid for: 3 answers that count once")
	limit := b.tokens.Load() + 8_000 // enough for the one second, not for the vote
	for range 2 {                    // once as they become late, once in a process that finds them so
		code := b.run(nil, "resume", "--budget-tokens", fmt.Sprint(limit))
		left := fmt.Sprintf("and %d of %d are left", limit-b.tokens.Load(), limit)
		holds("capped", code, cli.ExitSuspended, "the next 5 questions need", left,
			"Also paid for: 3 answers that came too late to count: ")
	}
	holds("closed", b.run(nil, "resume", "--budget-tokens", "0"), cli.ExitOK, "Cost:   24 calls, ",
		"Also paid for: 3 answers that came too late to count: ")
	holds("shown", b.run(nil, "show", "--cost"), cli.ExitOK, "Also paid for: 3 answers that came too late to count: ",
		" USD")
}

func TestBeside_ASuspensionIsToldInWholeSentences(t *testing.T) {
	for words, want := range map[string]string{
		"transport: is the server running?": "transport: is the server running?", "rate: Slow down.": "rate: Slow down.",
		"auth: no such key": "auth: no such key.",
	} {
		if got := run.EndSentence(words); got != want {
			t.Errorf("%q", got)
		}
	}
}

// What helps against a budget that is spent names flags that there are.
func TestBeside_TheHintForABudgetNamesFlagsOfResume(t *testing.T) {
	resume := session.NewResume(&cli.Env{})
	for _, word := range strings.Fields(run.ResumeHint(council.FaultBudget)) {
		if name, ok := strings.CutPrefix(strings.Trim(word, "(),.;"), "--"); ok && resume.Flags().Lookup(name) == nil {
			t.Errorf("council resume has no flag --%s", name)
		}
	}
}
