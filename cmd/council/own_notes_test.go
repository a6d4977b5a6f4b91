package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

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

// Recall finds notes as they are now, and leads to their files.
func TestNotesAreRecalledAsTheyAreNow(t *testing.T) {
	counciltest.NotUnderRace(t)
	o := listen(t)
	o.convene()
	o.put("memory/items/ferry.md", "The ferry sails at dawn.\n")
	o.put("memory/daily/2026-11-01.md", "Kim counted the gulls.\n")
	o.run(cli.ExitOK, "recall", "ferry", "dawn", "--root", o.root)
	o.says(&o.out, "The ferry sails at dawn.")
	o.says(&o.out, "Open it: "+filepath.ToSlash(filepath.Join(o.root, "memory/items/ferry.md")))
	o.run(cli.ExitOK, "recall", "gulls", "--kind", "note", "--json", "--root", o.root)
	o.says(&o.out, `"id":"daily/2026-11-01.md","kind":"note"`)
	o.put("memory/items/ferry.md", "The ferry is sold.\n")
	o.run(cli.ExitOK, "recall", "dawn", "--root", o.root)
	check.NeverSays(t, o.out.String(), "sails")
	o.run(cli.ExitOK, "recall", "ferry", "--member", "m1", "--root", o.root)
	check.NeverSays(t, o.out.String(), "sold")
	o.run(cli.ExitOK, "memory", "check", "--root", o.root)
}
