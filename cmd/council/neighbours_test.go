package main

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// A program that was written for roundtable's files, with the keys that it has there, finds them in ours.
func TestNeighbours_AProgramForRoundtablesFilesReadsOurs(t *testing.T) {
	counciltest.NotUnderRace(t)
	handbook := readFile(t, "../../docs/handoff.md")
	t.Chdir(t.TempDir())
	var out bytes.Buffer
	line := []string{"convene", "Should we write ahead?", "--model", deciding, "--pace", "as-written"}
	runs(t, testOnlyApp(&out, &out), cli.ExitOK, line...)
	folder := onlySession(t, ".council")
	id := filepath.Base(folder)
	holds := func(file string, fields map[string]string) gjson.Result {
		t.Helper()
		doc := gjson.Parse(readFile(t, file))
		for path, want := range fields {
			if got := doc.Get(path); !regexp.MustCompile("(?s)^(" + want + ")$").MatchString(got.String()) {
				t.Errorf("%s: %s is %q, want %s", file, path, got, want)
			}
		}
		return doc
	}
	session := holds(folder+"/session.json", map[string]string{"sessionId": id, "councilName": ".+", "leaderId": ".+",
		"finalResolution": ".+", "endedBy": "MAJORITY_VOTE", "outputType": "documentation", "requiresExecution": "true",
		"executionApproved": "false", "documentationApproved": "true", "phaseResults.@reverse.0.endedBy": "MAJORITY_VOTE",
		"phaseResults.@reverse.0.phaseId": ".+", "phaseResults.@reverse.0.phaseGoal": ".+"})
	won, last := session.Get("winningMotion"), session.Get("phaseResults.@reverse.0")
	check.Is(t, "the motion of the last phase", won.Get("@ugly").Raw, last.Get("winningMotion|@ugly").Raw)
	check.Is(t, "its resolution", won.Get("decisionIfPass").String(), last.Get("finalResolution").String())
	if last.Get("roundsCompleted").Int() < won.Get("round").Int() {
		t.Errorf("the last phase: %s", last)
	}
	said, moved, ballots := 0, 0, 0
	for _, e := range gjson.Parse(readFile(t, folder+"/events.json")).Array() {
		if e.Get("id").String() == "" || e.Get("sessionId").String() != id || e.Get("timestamp").String() == "" {
			t.Fatalf("an event: %s", e)
		}
		switch {
		case e.Get("actorId").String() != "" && e.Get("payload.message").String() != "":
			said++
		case e.Get("payload.motionTitle").String() == won.Get("motionTitle").String() && e.Get("actorId").String() ==
			won.Get("calledBy").String() && e.Get("round").Int() == won.Get("round").Int() && e.Get("turnIndex").Int() ==
			won.Get("turnIndex").Int():
			moved++
		case e.Get("payload.ballot").String() == "YES" && e.Get("payload.rationale").String() != "":
			ballots++
		}
	}
	if said == 0 || moved == 0 || ballots == 0 {
		t.Errorf("said %d, moved %d times, %d ballots", said, moved, ballots)
	}
	handoff := holds(folder+"/execution-handoff.json", map[string]string{"sessionId": id,
		"leaderId": session.Get("leaderId").String(), "motionId": regexp.QuoteMeta(won.Get("motionId").String()),
		"finalResolution": ".+", "approvalRequired": "true", "approved": "false", "defaultExecutorProfile": ".+",
		"executionBrief.objective": ".+", "executionBrief.recommendedExecutorProfile": ".+",
		"executionBrief.steps.#": "[1-9]", "executionBrief.risks.#": "[1-9]"})
	if brief := handoff.Get("executionBrief"); brief.Get("acceptanceCriteria.#").Int() < brief.Get("steps.#").Int() {
		t.Errorf("the brief: %s", brief)
	}
	holds(".council/memory/COUNCIL.json", map[string]string{"globalDecisions.#": "1", "globalDecisions.0.summary": ".+",
		"sessions.#": "1"})
	members, _ := filepath.Glob(".council/memory/*/MEMORY.json")
	if len(members) == 0 {
		t.Fatal("no member has a memory")
	}
	for _, path := range members {
		holds(path, map[string]string{"memberId": filepath.Base(filepath.Dir(path)), "recentSessions.#": "1",
			"promptContext": ".+"})
	}
	requireTask(t, handbook, folder)
}

// requireTask runs the script of docs/handoff.md: it prints a task once the brief is approved, and not before.
func requireTask(t *testing.T, handbook, folder string) {
	t.Helper()
	if _, err := exec.LookPath("jq"); err != nil {
		t.Skip("no jq here")
	}
	_, script, _ := strings.Cut(handbook, "```sh\n")
	script, _, _ = strings.Cut(script, "```")
	task := func() (string, error) {
		handoff := filepath.Join(folder, "execution-handoff.json")
		out, err := exec.Command("sh", "-c", script, "task.sh", handoff).CombinedOutput()
		return string(out), err
	}
	if text, err := task(); err == nil || text != "Not to be carried out: AWAITING_APPROVAL. See council approve.\n" {
		t.Errorf("nobody approved it, and the script says, %v:\n%s", err, text)
	}
	sum := gjson.Get(readFile(t, filepath.Join(folder, "execution-handoff.json")), "briefSha256").String()
	var out bytes.Buffer
	runs(t, testOnlyApp(&out, &out), cli.ExitOK, "approve", "--yes", "--sha256", sum)
	text, err := task()
	if err != nil || !strings.Contains(text, "\ns1. ") || !strings.Contains(text, "   Done when: ") ||
		!strings.Contains(text, "## Left open") {
		t.Errorf("it is approved, and the script says, %v:\n%s", err, text)
	}
}
