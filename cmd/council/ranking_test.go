package main

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// ranking returns a workplace whose three members rank NATS, Kafka and keep Postgres as rank says, and the function
// that lists what a member was asked when it was asked for a ranking.
func ranking(t *testing.T, rank func(r counciltest.Request) string) (*workplace, func(model string) []string) {
	talk := counciltest.Deliberation{Rounds: 1, Last: "m3", Leader: "m1", Contribution: "A remark."}
	var mu sync.Mutex
	asked := map[string][]string{}
	server := counciltest.NewServer(t, func(r counciltest.Request) string {
		switch r.Contract {
		case "reply_position":
			return `{"position": "P", "confidence": 0.5, "overlooked": [], "ranking": ["Kafka"]}`
		case "reply_turn":
			return `{"action": "PASS", "reason": "Heard enough."}`
		case "reply_rank":
			mu.Lock()
			defer mu.Unlock()
			asked[r.Model] = append(asked[r.Model], gjson.GetBytes(r.Body, "messages.@reverse.0.content").String())
			return `{"rationale": "R", "ranking": ` + rank(r) + `}`
		}
		return talk.Reply(r)
	})
	d := newWorkplace(t, server.URL)
	d.write(counciltest.Charter(3, 1, server.URL))
	return d, func(model string) []string {
		mu.Lock()
		defer mu.Unlock()
		return asked[model]
	}
}

var queueOptions = []string{"convene", "Which queue?", "--option", "NATS", "--option", "Kafka", "--option",
	"keep Postgres", "--quiet"}

// Members that ranked Kafka first, with the ranks before the names, once chose keep Postgres: the option whose number
// was its rank.
func TestRanking_RanksBeforeNamesInvertNoDecision(t *testing.T) {
	d, asked := ranking(t, func(counciltest.Request) string { return `["1. Kafka", "2. NATS", "3. keep Postgres"]` })
	d.run(cli.ExitOK, append(queueOptions, "--config", d.config)...)
	d.run(cli.ExitOK, "show")
	d.says(&d.out, "Kafka is chosen")
	for _, m := range []string{"m1", "m2", "m3"} {
		if n := len(asked(m)); n != 1 {
			t.Errorf("want %s asked once, it was asked %d times", m, n)
		}
	}
	if first := asked("m1")[0]; !strings.Contains(first, "NATS (option 1)") || strings.Contains(first, "1. NATS") {
		t.Errorf("want the options by name with the number behind, got %s", first)
	}
}

func TestRanking_OneThatStaysUnclearIsAskedForOnceMoreAndInvalid(t *testing.T) {
	d, asked := ranking(t, func(r counciltest.Request) string {
		if r.Model == "m3" {
			return `["2. NATS", "1. Kafka"]`
		}
		return `["Kafka"]`
	})
	d.run(cli.ExitOK, append(queueOptions, "--config", d.config)...)
	if prompts := asked("m3"); len(prompts) != 2 || !strings.Contains(prompts[1], `["2. NATS", "1. Kafka"]`) ||
		!strings.Contains(prompts[1], `before "2. NATS" is not that of its place`) {
		t.Errorf("want one more question that names the entry, got %q", prompts)
	}
	for file, want := range map[string][]string{
		"session.json":  {`"INVALID"`, `[\"2. NATS\", \"1. Kafka\"]`},
		"transcript.md": {"INVALID", "2. NATS", "1. Kafka"},
	} {
		d.run(cli.ExitOK, "show", "--file", file)
		for _, words := range want {
			d.says(&d.out, words)
		}
	}
	if log := d.wrote("events.json"); !strings.Contains(log, `"MEMBER_FAULTED"`) ||
		!strings.Contains(log, `[\"2. NATS\", \"1. Kafka\"]`) {
		t.Error("want the entries in MEMBER_FAULTED")
	}
	d.run(cli.ExitOK, "verify")
}

// Seen: first preferences A, B and C of three seats ended as "chosen, above none of these by 3 of 3", with exit code 0
// and a handoff, by lot.
func TestFirstPreferencesABCOfThreeSeats_AreUndecidedWithALeaning(t *testing.T) {
	d, _ := ranking(t, func(r counciltest.Request) string {
		return map[string]string{"m1": `["Kafka", "NATS", "keep Postgres"]`, "m2": `["NATS", "keep Postgres", "Kafka"]`,
			"m3": `["keep Postgres", "Kafka", "NATS"]`}[r.Model]
	})
	d.run(cli.ExitNotDecided, append(slices.DeleteFunc(slices.Clone(queueOptions), isQuiet), "--config", d.config)...)
	d.says(&d.out, "The council did not reach a resolution. It leans to: Kafka")
	check.NeverSays(t, d.out.String(), "Chosen, ranked")
	d.run(cli.ExitOK, "show")
	d.says(&d.out, "carried no motion. The council leans to “Kafka”.")
	d.run(cli.ExitOK, "show", "--file", "session.json")
	if got := gjson.Get(d.out.String(), "outcome.leaning").String(); got != "Kafka" {
		t.Errorf("want the leaning Kafka in session.json, got %q", got)
	}
	for name := range contents(t, filepath.Join(d.root, "sessions")) {
		if filepath.Base(name) == "execution-handoff.json" {
			t.Errorf("want no handoff, got %s", name)
		}
	}
}

func isQuiet(arg string) bool { return arg == "--quiet" }
