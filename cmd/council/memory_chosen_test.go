package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/memory"
)

// A council that decided thirty things answers the next question in the light of those that matter: its models are sent
// the decisions with their votes, and of constraints, risks and assumptions what bears on the topic. `council memory
// prompt` shows the same, and why.
func TestACouncilAnswersInTheLightOfWhatMatters(t *testing.T) {
	o := listen(t)
	o.convene()
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	var records []memory.Record
	add := func(kind memory.Kind, vote, format string, args ...any) {
		r := memory.Record{ID: memory.NewID(fmt.Sprint(len(records))), Kind: kind, Status: memory.StatusActive, Vote: vote,
			Summary: fmt.Sprintf(format, args...), Tags: []string{}, Confidence: 0.6, Importance: 3,
			CreatedAt: at, UpdatedAt: at, Supersedes: []string{},
			Evidence: []memory.Evidence{{Note: "said"}}}
		records = append(records, r)
	}
	for n := range 30 {
		add(memory.KindDecision, fmt.Sprintf("%d YES to 1 NO", 100+n), "Room %d is painted.", n)
	}
	add(memory.KindRiskPattern, "", "NATS loses messages when a disk is full.")
	for n := range 10 {
		add(memory.KindRiskPattern, "", "Crane %d may fall.", n)
		add(memory.KindAssumption, "", "Visitor %d brings cake.", n)
	}
	doc, err := json.Marshal(map[string]any{"format": 1, "books": []any{map[string]any{"records": records}}})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "book.json")
	if err := os.WriteFile(file, doc, 0o600); err != nil {
		t.Fatal(err)
	}
	o.run(cli.ExitOK, "memory", "import", file)
	prompts, _ := o.convene("--no-recall")
	o.run(cli.ExitOK, "memory", "prompt", "council", "--config", o.config, "--why", "--topic",
		"Should NATS carry the bus?")
	shown := o.out.String()
	const risk = "NATS loses messages when a disk is full."
	if !strings.Contains(prompts, risk) || !strings.Contains(shown, risk) {
		t.Errorf("it is not told %q", risk)
	}
	for n := range 30 {
		told := fmt.Sprintf(`decision, 2026-\d\d-\d\d, %d YES to 1 NO, session [0-9a-z-]+: Room %d is painted`, 100+n, n)
		if !regexp.MustCompile(told).MatchString(prompts) {
			t.Errorf("it is not told %s", told)
		}
	}
	for _, off := range []string{"may fall", "brings cake"} {
		if strings.Contains(prompts, off) {
			t.Errorf("it is told of what %s", off)
		}
	}
	for _, why := range []string{"decided within the last 25 sessions", "shares “nats” with the topic",
		"-- Not told, off topic: "} {
		o.says(&o.out, why)
	}
}
