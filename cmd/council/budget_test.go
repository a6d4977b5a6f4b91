package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// billed is a council on a server that adds up what it would bill.
type billed struct {
	testing.TB
	server          *counciltest.Server
	tokens, longest atomic.Int64 // of all calls; of the dearest one
	charter         council.Charter
	dir             string
	loud            bool // it is told what happens
	out, errs       bytes.Buffer
}

// bill seats a council whose tokens cost a dollar a million, whatever their kind.
func bill(t testing.TB, members, rounds int) *billed {
	b := &billed{TB: t, dir: t.TempDir()}
	talk := counciltest.Deliberation{Rounds: rounds, Last: fmt.Sprintf("m%d", members), Leader: "m1",
		Contribution: contribution}
	b.server = counciltest.NewServer(t, func(r counciltest.Request) string {
		text := talk.Reply(r)
		tokens := int64(len(r.Body)/4 + len(text)/4)
		b.tokens.Add(tokens)
		for before := b.longest.Load(); before < tokens &&
			!b.longest.CompareAndSwap(before, tokens); before = b.longest.Load() {
		}
		return text
	})
	b.charter = counciltest.Charter(members, rounds, b.server.URL)
	b.charter.Prices = []council.Rate{{Provider: "openai-compatible", Model: "*", AsOf: "2026-11-21", Input: 1, Output: 1}}
	return b
}

// run carries out a command in a process that may be killed, and returns its exit code.
func (b *billed) run(plan *filetest.Plan, args ...string) int {
	b.Helper()
	b.out.Reset()
	b.errs.Reset()
	a := testOnlyApp(&b.out, &b.errs)
	a.Now, a.Random = steadyNow, steady{}
	if plan != nil {
		plan.NoSync = true
		a.Layer = plan.Watch
	}
	return runLine(a, context.Background(), append(args, "--root", filepath.Join(b.dir, ".council")))
}

func (b *billed) convene(plan *filetest.Plan, flags ...string) int {
	b.Helper()
	doc := check.Get(json.Marshal(b.charter))(b)
	config := filepath.Join(b.dir, site.ConfigFile)
	check.OK(b, os.WriteFile(config, doc, 0o600))
	if !b.loud {
		flags = append(flags, "--quiet")
	}
	return b.run(plan, append([]string{"convene", "Shall we go on?", "--config", config}, flags...)...)
}

// What is killed after it was billed and before it is kept leaves nothing but a doubt. It is counted all the same, so a
// cap holds, whatever happens: but for one call a member in flight.
func TestACapHoldsAcrossKills(t *testing.T) {
	counciltest.NotUnderRace(t)
	for name, flags := range map[string][]string{"tokens": {"--budget-tokens", "60000"},
		"dollars": {"--budget-usd", "0.06"}} {
		t.Run(name, func(t *testing.T) {
			const limit, kills = 60_000, 5
			b := bill(t, 3, 5)
			first := &filetest.Plan{On: "write m2.jsonl #6"}
			if b.convene(first, flags...); first.Struck() == "" {
				t.Fatalf("it was not struck\n%s", &b.errs)
			}
			for range kills - 1 {
				plan := &filetest.Plan{On: "write m2.jsonl #1"} // of the answer to the same question
				b.run(plan, "resume", "latest", "--quiet")
				if plan.Struck() == "" {
					t.Fatalf("it was not struck\n%s", &b.errs)
				}
			}
			if code := b.run(nil, "resume", "latest", "--quiet"); code != cli.ExitSuspended ||
				!strings.Contains(b.errs.String(), "suspended: budget: the next") {
				t.Fatalf("exit code %d\n%s", code, &b.errs)
			}
			sum, members := b.tokens.Load(), int64(len(b.charter.Members))
			t.Logf("billed %d of %d tokens; the dearest call took %d", sum, limit, b.longest.Load())
			if sum > limit+members*b.longest.Load() {
				t.Errorf("%d tokens were billed", sum)
			}
			if sum > limit {
				t.Errorf("%d tokens were billed, more than the estimates of this council are wrong by", sum)
			}
			calls := b.server.Calls.Load()
			for range 3 { // a resume brings no fresh budget
				if code := b.run(nil, "resume", "latest", "--quiet"); code != cli.ExitSuspended || b.server.Calls.Load() != calls {
					t.Errorf("exit code %d after %d further calls", code, b.server.Calls.Load()-calls)
				}
			}
			if code := b.run(nil, "resume", "latest", "--quiet", flags[0], "0"); code != cli.ExitOK {
				t.Errorf("without the cap: exit code %d\n%s", code, &b.errs)
			}
			if code := b.run(nil, "verify"); code != cli.ExitOK {
				t.Errorf("verify: exit code %d\n%s", code, &b.out)
			}
		})
	}
}
