package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// overheard is a workplace whose models' prompts are kept. Where a fault is named by the model and the contract, that
// reply is not usable.
type overheard struct {
	*workplace
	mu      sync.Mutex
	prompts strings.Builder
	faults  map[string]bool
}

// listen writes a council that remembers.
func listen(t *testing.T) *overheard {
	talk := counciltest.Deliberation{Rounds: 1, Last: "m3", Leader: "m1", Contribution: "The event bus is slow."}
	o := &overheard{}
	server := counciltest.NewServer(t, func(r counciltest.Request) string {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.prompts.Write(r.Body)
		if o.faults[r.Model+" "+r.Contract] {
			return "I would rather not."
		}
		return talk.Reply(r)
	})
	o.workplace = newWorkplace(t, server.URL)
	c := counciltest.Charter(3, 1, server.URL)
	for i := range c.Phases {
		c.Phases[i].MemoryPolicy = council.MemoryPolicy{ReadMemberMemory: true, WriteMemberMemory: true,
			WriteCouncilMemory: true}
	}
	c.Output.Type = council.OutputNone
	o.write(c)
	return o
}

// convene holds one session and returns what its models were sent, and what was recorded of memory when it opened.
func (o *overheard) convene(flags ...string) (prompts, recorded string) {
	o.Helper()
	o.prompts.Reset()
	o.run(cli.ExitOK, append([]string{"convene", "Should we replace the slow event bus with NATS?", "--config", o.config},
		flags...)...)
	log := check.Get(os.ReadFile(filepath.Join(o.root, "sessions", sessionName.FindString(o.out.String()),
		"events.json")))(o)
	opening := strings.Split(string(log), "\n,")
	return o.prompts.String(), opening[0] + opening[1]
}

var sessionName = regexp.MustCompile(`\d{8}-\d{6}-[0-9a-z-]+`)

// ofMemory is what prompts and openings say of memory.
var ofMemory = regexp.MustCompile(`r-[0-9a-z]{12}|remembers|"memory":\[|MEMORY_RECALLED|recalled`)

// What a rehearsal left is told to rehearsals and to no council with models.
func TestARehearsalLeavesNothingThatModelsAreTold(t *testing.T) {
	counciltest.NotUnderRace(t)
	o := listen(t)
	o.convene("--model", "rehearsal")
	o.says(&o.out, "; only rehearsals are told them")
	if _, recorded := o.convene("--model", "rehearsal"); !strings.Contains(recorded, `"memory":[`) {
		t.Error("a rehearsal is told nothing of the one before")
	}
	prompts, recorded := o.convene()
	if found := ofMemory.FindString(prompts + recorded); found != "" || prompts == "" {
		t.Errorf("with %d bytes of prompts, models are told %q of rehearsals", len(prompts), found)
	}
	if prompts, _ = o.convene(); !strings.Contains(prompts, "What the council remembers") {
		t.Error("models are not told what models left")
	}
}

// A clean slate is told to people, reads nothing, and is remembered.
func TestACleanSlateReadsNothingAndIsRemembered(t *testing.T) {
	counciltest.NotUnderRace(t)
	o := listen(t)
	o.convene()
	prompts, recorded := o.convene("--no-memory")
	if found := ofMemory.FindString(prompts + recorded); found != "" || prompts == "" {
		t.Errorf("with %d bytes of prompts, models are told %q", len(prompts), found)
	}
	o.says(&o.out, "Reminded: of nothing (--no-memory).")
	o.says(&o.out, "Memory: ")
	if prompts, _ := o.convene(); !strings.Contains(prompts, "What the council remembers") {
		t.Error("the next session is reminded of nothing")
	}
	o.run(cli.ExitOK, "memory", "list", "--json", "--member", "council", "--kind", "decision")
	if n := strings.Count(o.out.String(), `"eventId"`); n < 3 {
		t.Errorf("the decision rests on %d events of three sessions:\n%s", n, &o.out)
	}
}
