package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
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
