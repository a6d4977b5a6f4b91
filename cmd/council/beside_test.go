package main

import (
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/session"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/run"
)

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
		for _, w := range words {
			if !strings.Contains(text, w) {
				t.Errorf("%s: it does not say %q:\n%s", where, w, text)
			}
		}
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
