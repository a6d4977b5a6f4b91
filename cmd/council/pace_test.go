package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// met is what a session of five members took, by its log and by its model server.
type met struct {
	log    []gjson.Result
	calls  int
	prompt int // bytes of the prompts of all turns: which ballots are withdrawn before they are sent, chance decides
}

// chain counts the calls that waited for one another: those that were put together, as of the same event, once.
func (m met) chain() int {
	groups := map[int64]bool{}
	for _, e := range m.log {
		if asOf := e.Get("payload.asOf"); asOf.Exists() {
			groups[asOf.Int()] = true
		}
	}
	return len(groups)
}

const goOn = `{"action":"CALL_VOTE","motionTitle":"Go on","motionText":"That we go on.","decisionIfPass":"We go on."}`

// meets holds a session of five members at a model server, of whom the last moves, and the first votes NO on motions.
func meets(t *testing.T, edit func(*council.Charter), args ...string) met {
	t.Helper()
	t.Chdir(t.TempDir())
	var m met
	var mu sync.Mutex
	talk := counciltest.Deliberation{Rounds: 1, Last: "nobody", Leader: "m2",
		Contribution: strings.Repeat("A remark. ", 100)}
	server := counciltest.NewServer(t, func(r counciltest.Request) string {
		mu.Lock()
		m.calls++
		if r.Contract == "reply_turn" {
			m.prompt += len(promptText(r.Body))
		}
		mu.Unlock()
		messages := gjson.GetBytes(r.Body, "messages.#.content").Array()
		asked := messages[len(messages)-1].String()
		switch {
		case r.Contract == "reply_position":
			return `{"position":"Yes.","confidence":0.6,"onlyIKnow":[],"stance":"yes","candidateId":"Member m2 (role m2)"}`
		case r.Contract == "reply_turn" && r.Model == "m5" && strings.Contains(asked, "Your turn: phase decide"):
			return goOn
		case r.Contract == "reply_ballot" && r.Model == "m1" && strings.Contains(asked, "Vote on motion"):
			return `{"rationale":"No.","ballot":"NO"}`
		case r.Contract == "reply_ballot":
			return `{"rationale":"Yes.","ballot":"YES"}`
		}
		return talk.Reply(r)
	})
	c := counciltest.Charter(5, 3, server.URL)
	c.Phases[1].QualityGates = []string{"It can be undone."}
	if edit != nil {
		edit(&c)
	}
	doc := check.Get(json.Marshal(c))(t)
	check.OK(t, os.WriteFile(site.ConfigFile, doc, 0o600))
	var out, errs bytes.Buffer
	a := testOnlyApp(&out, &errs)
	line := append([]string{"convene", "Shall we go on?", "--quiet"}, args...)
	if code := runLine(a, context.Background(), line); code != cli.ExitOK {
		t.Fatalf("exit code %d\n%s%s", code, &out, &errs)
	}
	folders, _ := filepath.Glob(filepath.Join(".council", "sessions", "*", "events.json"))
	if len(folders) != 1 {
		t.Fatalf("%d logs", len(folders))
	}
	log := check.Get(os.ReadFile(folders[0]))(t)
	m.log = gjson.ParseBytes(log).Array()
	return m
}

// A council at each pace takes no more calls that wait for one another than docs/costs.md says.
func TestAPaceBoundsTheCallsThatWaitForOneAnother(t *testing.T) {
	plain := func(c *council.Charter) { c.Output.Type = council.OutputNone }
	for _, tt := range []struct {
		name, pace string
		edit       func(*council.Charter)
		most       int
	}{
		{"quick", "quick", plain, 6},
		{"quick with a document", "quick", nil, 8},
		{"standard with a document", "standard", nil, 16},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := meets(t, tt.edit, "--pace", tt.pace)
			if got := m.chain(); got > tt.most || got < tt.most-3 {
				t.Errorf("%d calls waited for one another; at most %d, and not far fewer", got, tt.most)
			}
			closed := m.log[len(m.log)-1].Get("payload")
			if closed.Get("resolutions.#").Int() != 1 || closed.Get("leader").String() != "m2" {
				t.Errorf("%s", closed)
			}
			if got := m.log[0].Get("payload.charter.deliberation.pace").String(); got != tt.pace {
				t.Errorf("the record says %q for the pace", got)
			}
			t.Logf("%d calls, %d of them one after the other", m.calls, m.chain())
		})
	}
}

// What members are sent in a round that is held together is not more than in one that is held in order.
func TestATogetherRoundsPromptsCostNoMoreThanAnOrderedOnes(t *testing.T) {
	explore := func(how council.Turns) func(*council.Charter) {
		return func(c *council.Charter) {
			c.Output.Type, c.Phases[0].Turns, c.Phases[0].StopConditions.MaxRounds = council.OutputNone, how, 3
		}
	}
	ordered, together := meets(t, explore("")), meets(t, explore(council.TurnsTogether))
	if together.prompt > ordered.prompt {
		t.Errorf("%d bytes of prompts together, %d in order", together.prompt, ordered.prompt)
	}
	t.Logf("%d bytes of prompts together, %d in order", together.prompt, ordered.prompt)
}
