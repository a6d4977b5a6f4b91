package main

import (
	"io/fs"
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

// put writes a file below the record's folder.
func (d *workplace) put(name, text string) {
	d.Helper()
	path := filepath.Join(d.root, name)
	check.OK(d, os.MkdirAll(filepath.Dir(path), 0o700))
	check.OK(d, os.WriteFile(path, []byte(text), 0o600))
}

// What a person writes into MEMORY.md with an editor stands in the prompts of the next council, named as that person's,
// without its secrets, and in the record; a clean slate is not told it.
func TestTheNextCouncilKnowsWhatAPersonNoted(t *testing.T) {
	counciltest.NotUnderRace(t)
	o := listen(t)
	o.put("memory/MEMORY.md", "---\ntags: [money]\n---\nWe pay in groats.\nThe key is "+plantedSecrets["topic"]+".\n")
	o.put("memory/items/bus.md", "NATS was tried in Ghent.\n")
	o.put("memory/items/bad.md", "\xff\xfe\xfd")
	prompts, recorded := o.convene()
	check.Says(t, prompts, "Notes of the person who convened you", "memory/MEMORY.md, 5 lines, numbered",
		"4| We pay in groats.", "1| NATS was tried in Ghent.")
	check.NeverSays(t, prompts+recorded, plantedSecrets["topic"])
	if !strings.Contains(recorded, `We pay in groats.`) || !strings.Contains(recorded, `"note":{}`) {
		t.Errorf("the record says %s", recorded)
	}
	o.says(&o.out, "Your note: ")
	o.says(&o.out, "1 secret was cut from ")
	o.says(&o.out, "bad.md")
	if prompts, recorded = o.convene("--no-memory"); strings.Contains(prompts+recorded, "groats") {
		t.Error("a clean slate is told of notes")
	}
	text, err := os.ReadFile(filepath.Join(o.root, "memory/items/bus.md"))
	if string(text) != "NATS was tried in Ghent.\n" || err != nil {
		t.Errorf("the note is now %q, %v", text, err)
	}
}

// A persona is taken from the file that the configuration names, else from the member's SOUL.md, else from the
// configuration; it is frozen into the record.
func TestAPersonaIsKeptApartFromTheConfiguration(t *testing.T) {
	o := listen(t)
	o.put("memory/members/m1/SOUL.md", "You are the soul of m1.\n")
	o.put("memory/members/m2/SOUL.md", "You are the soul of m2.\n")
	o.point("m1", "personas/one.md")
	dir := filepath.Dir(o.config)
	check.OK(t, os.MkdirAll(filepath.Join(dir, "personas"), 0o700))
	file := filepath.Join(dir, "personas", "one.md")
	check.OK(t, os.WriteFile(file, []byte("You are the file of m1.\r\n"), 0o600))
	prompts, recorded := o.convene()
	for _, want := range []string{"the file of m1.", "the soul of m2.", "You look at things from side m3."} {
		if !strings.Contains(prompts, want) || !strings.Contains(recorded, want) {
			t.Errorf("%q is not told and recorded", want)
		}
	}
	if strings.Contains(prompts, "soul of m1") || strings.Contains(prompts, "from side m2") {
		t.Error("a persona is told that another stands before")
	}
	if page, err := os.ReadFile(filepath.Join(o.root, "memory/m1/AGENT.md")); err != nil ||
		!strings.Contains(string(page), "Persona from: personas/one.md") {
		t.Errorf("AGENT.md says %s, %v", page, err)
	}
}

func TestPersona_ThatCannotBeReadIsRefusedWithItsPath(t *testing.T) {
	o := listen(t)
	dir := filepath.Dir(o.config)
	outside := filepath.Join(t.TempDir(), "x.md")
	for name, text := range map[string]string{outside: "Outside.", "bad.md": "\xff\xfe\xfd", "empty.md": " ",
		"key.pem": "Key."} {
		if !filepath.IsAbs(name) {
			name = filepath.Join(dir, name)
		}
		check.OK(t, os.WriteFile(name, []byte(text), 0o600))
	}
	for link, to := range map[string]string{"link.md": outside, "secret.md": "key.pem"} {
		check.OK(t, os.Symlink(to, filepath.Join(dir, link)))
	}
	for _, name := range []string{"none.md", "bad.md", "empty.md", "key.pem", "link.md", "secret.md", "../x.md", outside,
		"."} {
		o.point("m1", name)
		o.run(cli.ExitError, "convene", "Shall we?", "--config", o.config)
		o.says(&o.errs, "the persona of m1 cannot be taken from ")
		if name != "." {
			o.says(&o.errs, filepath.Base(name))
		}
	}
	check.ErrorIs(t, "a session was begun", fs.ErrNotExist, check.Err(os.Stat(filepath.Join(o.root, "sessions"))))
}

// point has a member's persona taken from a file.
func (d *workplace) point(member, file string) {
	d.Helper()
	doc := check.Get(os.ReadFile(d.config))(d)
	before, rest, _ := strings.Cut(string(doc), `"id":"`+member+`"`)
	if _, old, ok := strings.Cut(rest, `,"systemPromptFile":`); ok && strings.HasPrefix(rest, `,"systemPromptFile"`) {
		_, rest, _ = strings.Cut(old, `",`)
		rest = "," + rest
	}
	doc = []byte(before + `"id":"` + member + `","systemPromptFile":"` + file + `"` + rest)
	check.OK(d, os.WriteFile(d.config, doc, 0o600))
}
