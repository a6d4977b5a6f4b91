package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/counciltest"
)

// TestALogThatWasCutIsFoundByWhatMemoryKnows cuts the last events off a closed session that has no anchor, and has all
// its files rendered again. The conversations hold none of the last consequences, but memory and the episode were made
// from the whole log.
func TestALogThatWasCutIsFoundByWhatMemoryKnows(t *testing.T) {
	counciltest.NotUnderRace(t)
	tr, restore := newMarket(t, 3).kept(t)
	for _, without := range []string{"", "episodes", "memory"} {
		restore()
		folder := filepath.Join(tr.root(), "sessions", crashSession)
		path := filepath.Join(folder, "events.json")
		log, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		cut := append(log[:bytes.LastIndex(log, []byte("\n,{"))+1], ']')
		if err := errors.Join(os.WriteFile(path, cut, 0o600), os.RemoveAll(filepath.Join(tr.root(), without, "2026")),
			os.RemoveAll(filepath.Join(folder, "anchors"))); err != nil {
			t.Fatal(err)
		}
		if without == "memory" {
			if err := os.RemoveAll(filepath.Join(tr.root(), "memory")); err != nil {
				t.Fatal(err)
			}
		}
		tr.wants(tr.run(nil, "rebuild", crashSession), cli.ExitOK)
		tr.wants(tr.run(nil, "verify", crashSession), cli.ExitDamaged)
		for by, expected := range map[string]bool{"The journal of memory": without != "memory",
			"The episode": without != "episodes"} {
			if strings.Contains(tr.out.String(), by) != expected {
				t.Errorf("without %q, %s: expected %v\n%s", without, by, expected, &tr.out)
			}
		}
		if !strings.Contains(tr.out.String(), "it has been cut short") {
			t.Errorf("it does not say what happened:\n%s", &tr.out)
		}
	}
}

// TestMemoryInAFolderOfTheRecordIsRefused names a folder that the record keeps for itself. Nothing is made there.
func TestMemoryInAFolderOfTheRecordIsRefused(t *testing.T) {
	m := newMarket(t, 3)
	tr := m.trial(t, filepath.Join(t.TempDir(), "site"), "inside")
	for _, name := range []string{"sessions", "sessions/memory", "turns", "locks/here"} {
		var c map[string]any
		if err := json.Unmarshal(m.doc, &c); err != nil {
			t.Fatal(err)
		}
		c["storage"].(map[string]any)["memoryDir"] = filepath.Join(tr.root(), name)
		doc, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(tr.config(), doc, 0o600); err != nil {
			t.Fatal(err)
		}
		tr.wants(tr.convene(nil), cli.ExitError)
		if !strings.Contains(tr.errs.String(), "name another folder in storage.memoryDir") {
			t.Errorf("%s: it says\n%s", name, &tr.errs)
		}
		if calls, _ := m.bill(tr.key); calls > 0 {
			t.Errorf("%s: %d calls were made", name, calls)
		}
		if _, err := os.Stat(filepath.Join(tr.root(), name, "COUNCIL.json")); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: memory is there: %v", name, err)
		}
	}
}
