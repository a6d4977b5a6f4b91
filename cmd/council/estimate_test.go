package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/workspace"
	"github.com/council-engine/council/workspace/run"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

// priced returns a short charter at a server, whose tokens cost usd for a million.
func priced(address string, usd float64) council.Charter {
	c := shortCharter(address)
	c.Output.Type = council.OutputNone
	c.Prices = []council.Rate{{Provider: "openai-compatible", Model: "*", AsOf: "2026-11-01", Input: usd, Output: usd}}
	return c
}

// dear is a price by which the short session usually costs more than 2 USD.
const dear = 500

func TestEstimate_StandsInOneLineBeforeTheFirstCall(t *testing.T) {
	s := newStreet(t)
	s.steady = true
	d := newWorkplace(t, s.url)
	const words = "About 16 calls in 9 waits, "
	convene := []string{"convene", "Shall we?", "--config", d.config}
	d.write(priced(s.url, 1))
	refused := &refusal{401, `{"error":{"message":"No such key."}}`}
	s.shut.Store(refused)
	for _, flags := range [][]string{nil, {"--json"}, {"--quiet"}} {
		d.run(cli.ExitSuspended, append(convene, flags...)...)
		said, quiet := d.out.String()+d.errs.String(), slices.Contains(flags, "--quiet")
		if n := strings.Count(said, "About "); n != map[bool]int{false: 1}[quiet] ||
			!quiet && !strings.Contains(said, words+"0.043 USD, to this machine.\n") {
			t.Errorf("%s: %d estimates:\n%s", flags, n, said)
		}
	}
	unpriced := shortCharter(s.url)
	unpriced.Output.Type = council.OutputNone
	d.write(unpriced)
	s.shut.Store(nil)
	d.run(cli.ExitOK, convene...)
	d.says(&d.out, words+"price unknown, to this machine.\n")
	s.shut.Store(refused)
	d.run(cli.ExitSuspended, "reopen", "latest", "--because", "Once more.")
	d.says(&d.out, "waits, price unknown, to this machine.\n")
	d.run(cli.ExitOK, "convene", "Shall we?", "--model", "rehearsal")
	check.NeverSays(t, d.out.String(), "About ")
	d.run(cli.ExitOK, "reopen", "latest", "--because", "Once more.", "--model", "rehearsal")
	check.NeverSays(t, d.out.String(), "About ")
}

// A session whose estimate is above ask-above-usd makes no call, wherever it is asked for, unless it has a budget or a
// person at a terminal agrees.
func TestEstimate_ADearSessionWithoutABudgetMakesNoCall(t *testing.T) {
	s := newStreet(t)
	d := newWorkplace(t, s.url)
	d.write(priced(s.url, dear))
	convene := func(flags ...string) []string {
		return append([]string{"convene", "Shall we?", "--config", d.config}, flags...)
	}
	refused := " USD, which is above 2.00 USD, and no budget is set, so nothing was begun"
	runs(t, testOnlyApp(&d.out, &d.errs), cli.ExitOK, "schedule", "add", "dear", "--root", d.root, "--cron", "0 8 * * *",
		"--", "--config", d.config, "Shall we?")
	for name, do := range map[string]func(){
		"no terminal":              func() { d.run(cli.ExitError, convene()...) },
		"--yes without a terminal": func() { d.run(cli.ExitError, convene("--yes")...) },
		"a no":                     func() { d.types("n\n", cli.ExitError, convene()...) },
		"no reply":                 func() { d.types("", cli.ExitError, convene()...) },
		"a batch": func() {
			d.types("y\n", cli.ExitError, "convene", "--batch", d.batchOf(1), "--config", d.config)
		},
		"a routine": func() { d.run(cli.ExitError, "schedule", "run", "dear") },
	} {
		do()
		said := d.errs.String()
		check.Says(t, said, refused, "--budget-usd 22")
		if n := s.server.Calls.Load(); n > 0 {
			t.Errorf("%s: %d calls were made", name, n)
		}
	}
	if found, _ := filepath.Glob(filepath.Join(d.root, "sessions", "*")); len(found) > 0 {
		t.Errorf("sessions were begun: %s", found)
	}
	c := newCallerOf(t, func() *cli.Env { return testOnlyApp(nil, nil) })
	check.OK(t, os.WriteFile(site.ConfigFile, check.Get(os.ReadFile(d.config))(t), 0o600))
	c.refuses(refused, "convene", arguments{"topic": "Shall we?"})
	check.Is(t, "calls for an agent", 0, s.server.Calls.Load())

	v := browse(t)
	check.OK(t, os.WriteFile(site.ConfigFile, check.Get(os.ReadFile(d.config))(t), 0o600))
	_, page := v.send("/convene", "topic", "Shall we?", "act", "begin")
	v.holds(page, "this would usually cost 21.27 USD")
	check.Is(t, "calls for a page", 0, s.server.Calls.Load())

	err := workspace.With(t.TempDir(), workspace.Options{Create: true}, func(w *workspace.Workspace) error {
		_, err := w.Convene(t.Context(), run.Request{Topic: "Shall we?", Choice: seat.Choice{Config: d.config}})
		return err
	})
	if workspace.CodeOf(err) != workspace.OverBudget {
		t.Errorf("the error of the library has the code %v: %v", workspace.CodeOf(err), err)
	}
	check.Is(t, "calls for a program", 0, s.server.Calls.Load())
}

func TestEstimate_ADearSessionBeginsWithABudgetOrAYes(t *testing.T) {
	s := newStreet(t)
	s.with = refusal{401, `{"error":{"message":"No such key."}}`} // from the second call on
	s.stop.Store(1)
	d := newWorkplace(t, s.url)
	convene := []string{"convene", "Shall we?", "--config", d.config}
	begins := func(flags ...string) func() {
		return func() { d.run(cli.ExitSuspended, append(convene, flags...)...) }
	}
	for name, begin := range map[string]func(){
		"a yes":    func() { d.types("y\n", cli.ExitSuspended, convene...) },
		"--yes":    func() { d.types("", cli.ExitSuspended, append(convene, "--yes")...) },
		"a budget": begins("--budget-usd", "100"),
		"no limit": begins("--budget-usd", "0"),
		"a batch's budget": func() {
			d.run(cli.ExitSuspended, "convene", "--batch", d.batchOf(1), "--config", d.config, "--budget-usd", "100")
		},
		"tokens": begins("--budget-tokens", "1000000"),
		"the configuration": func() {
			c := priced(s.url, dear)
			c.Budget.USD = 100
			d.write(c)
			begins()()
		},
		"the policy": func() {
			d.put("policy.toml", "[session]\ntokens = 1_000_000\n")
			begins()()
			check.OK(t, os.Remove(filepath.Join(d.root, "policy.toml")))
		},
		"the user's setting": func() {
			d.env = map[string]string{"COUNCIL_ASK_ABOVE_USD": "0"}
			begins()()
			d.env = nil
		},
	} {
		d.write(priced(s.url, dear))
		before := s.admitted.Load()
		begin()
		if s.admitted.Load() == before {
			t.Errorf("%s: no call was made", name)
		}
	}
}

// A repository's settings can lower the amount above which a person is asked, and not raise it above the default.
func TestAskAboveUSD_OfAWorkspaceIsOnlyLowered(t *testing.T) {
	s := newStreet(t)
	s.steady = true
	d := newWorkplace(t, s.url)
	d.write(priced(s.url, dear))
	for _, raised := range []string{"0", "1000"} {
		d.put("config.toml", "ask-above-usd = "+raised+"\n")
		d.run(cli.ExitError, "convene", "Shall we?", "--config", d.config)
		check.Is(t, "calls with "+raised, 0, s.server.Calls.Load())
	}
	d.run(cli.ExitOK, "config", "get", "ask-above-usd")
	check.Is(t, "the setting", "2\n", d.out.String())
	d.write(priced(s.url, 1))
	d.put("config.toml", "ask-above-usd = 0.01\n")
	d.run(cli.ExitError, "convene", "Shall we?", "--config", d.config)
	d.says(&d.errs, "which is above 0.01 USD")
	check.Is(t, "calls above the lowered amount", 0, s.server.Calls.Load())
}
