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
	"github.com/council-engine/council/internal/check"
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
		log := check.Get(os.ReadFile(path))(t)
		cut := append(log[:bytes.LastIndex(log, []byte("\n,{"))+1], ']')
		check.OK(t, errors.Join(os.WriteFile(path, cut, 0o600), os.RemoveAll(filepath.Join(tr.root(), without, "2026")),
			os.RemoveAll(filepath.Join(folder, "anchors"))))
		if without == "memory" {
			check.OK(t, os.RemoveAll(filepath.Join(tr.root(), "memory")))
		}
		tr.wants(tr.run(nil, "rebuild", crashSession), cli.ExitOK)
		tr.wants(tr.run(nil, "verify", crashSession), cli.ExitDamaged)
		for by, expected := range map[string]bool{"The journal of memory": without != "memory",
			"The episode": without != "episodes"} {
			if strings.Contains(tr.out.String(), by) != expected {
				t.Errorf("without %q, %s: expected %v\n%s", without, by, expected, &tr.out)
			}
		}
		check.Says(t, tr.out.String(), "it has been cut short")
	}
}

// TestMemoryInAFolderOfTheRecordIsRefused names a folder that the record keeps for itself. Nothing is made there.
func TestMemoryInAFolderOfTheRecordIsRefused(t *testing.T) {
	m := newMarket(t, 3)
	tr := m.trial(t, filepath.Join(t.TempDir(), "site"), "inside")
	for _, name := range []string{"sessions", "sessions/memory", "turns", "locks/here"} {
		var c map[string]any
		check.OK(t, json.Unmarshal(m.doc, &c))
		c["storage"].(map[string]any)["memoryDir"] = filepath.Join(tr.root(), name)
		doc := check.Get(json.Marshal(c))(t)
		check.OK(t, os.WriteFile(tr.config(), doc, 0o600))
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
