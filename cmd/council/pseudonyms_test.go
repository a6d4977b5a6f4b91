package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// With pseudonyms, the server is sent no member's name, the record holds names alone and verifies, and the session is
// the one that it is without.
func TestASessionUnderPseudonymsIsRecordedWithNames(t *testing.T) {
	named := regexp.MustCompile(`Member m\d|id m\d|[de]\d+\.m\d\.b\d`)
	sit := func(anonymous bool) []any {
		talk := counciltest.Deliberation{Rounds: 1, Last: "m3", Leader: "m1", Contribution: "A remark."}
		var mu sync.Mutex
		sent := 0
		server := counciltest.NewServer(t, func(r counciltest.Request) string {
			mu.Lock()
			defer mu.Unlock()
			sent++
			if found := named.Find(r.Body); anonymous && found != nil {
				t.Errorf("call %d, of %s for %s, names %q", sent, r.Model, r.Contract, found)
			}
			return talk.Reply(r)
		})
		d := newSteadyWorkplace(t, server.URL)
		c := shortCharter(server.URL)
		c.Deliberation.AnonymizePeers = anonymous
		doc := check.Get(json.Marshal(c))(t)
		check.OK(t, os.WriteFile(d.config, doc, 0o600))
		d.run(cli.ExitOK, "convene", "Shall we?", "--config", d.config)
		d.says(&d.out, "Member m2")
		d.run(cli.ExitOK, "verify")
		var events []any
		for _, e := range theEvents(t, d.root)[1:] {
			events = append(events, masked(e.Value(), e.Get("type").String()))
		}
		return events
	}
	if diff := cmp.Diff(sit(false), sit(true)); diff != "" {
		t.Errorf("(-names +pseudonyms):\n%.3000s", diff)
	}
}

// theEvents returns the events of the only session.
func theEvents(t *testing.T, root string) []gjson.Result {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root, "sessions", "*", "events.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%d sessions: %v", len(files), err)
	}
	doc, err := os.ReadFile(files[0])
	if err != nil || !json.Valid(doc) {
		t.Fatalf("the log is not JSON: %v", err)
	}
	return gjson.ParseBytes(doc).Array()
}
