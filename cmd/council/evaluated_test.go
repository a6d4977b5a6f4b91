package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/evaluation"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// The outcome says what the agreement of a council is worth: by recorded exam questions, and once the workspace has
// evaluated 20 questions, by those.
func TestOutcome_TellsTheFigureOfTheWorkspacesOwnEvaluation(t *testing.T) {
	t.Chdir(t.TempDir())
	server := counciltest.NewServer(t, steadfast)
	run := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		runs(t, testOnlyApp(&out, &errs), cli.ExitOK, args...)
		return strings.Join(strings.Fields(out.String()), " ")
	}
	convene := func(models ...string) string {
		t.Helper()
		charter := shortCharter(server.URL)
		for i, model := range models {
			charter.Members[i].Model.Model = model
		}
		check.OK(t, os.WriteFile(site.ConfigFile, check.Get(json.Marshal(charter))(t), 0o600))
		return run("convene", "Shall we go on?", "--output", "none")
	}
	models := []string{"gpt-5", "claude-5", "gemini-3"}
	const recorded = "All 3 seats asked for what was decided; the council has 3 models of 3 families (claude, gemini, " +
		"gpt). On recorded exam questions, three models of three families that answered independently were right"
	check.Says(t, convene(models...), recorded)
	check.Says(t, run("show"), "**Agreement:** "+recorded)

	check.OK(t, os.WriteFile("set.jsonl", []byte(
		`{"id": "a", "question": "Is it so?", "choices": ["yes", "no"], "answer": "yes"}
{"id": "b", "question": "Is it so?", "choices": ["yes", "no"], "answer": "no"}`), 0o600))
	run("eval", "set.jsonl")
	kept := check.Get(filepath.Glob(".council/evaluations/*.json"))(t)
	check.Is(t, "files of evaluations", 1, len(kept))
	doc := readFile(t, kept[0])
	run("eval", "set.jsonl") // another run of the same asks nothing, and replaces the file by the same
	check.Is(t, "the file of the evaluation", doc, readFile(t, kept[0]))
	var all evaluation.Agreements
	check.OK(t, json.Unmarshal([]byte(doc), &all))
	for i := range 18 { // as if it had asked 20 questions
		right := all.Decisions[0]
		right.Session += council.SessionID(fmt.Sprint(i))
		all.Decisions = append(all.Decisions, right)
	}
	check.OK(t, os.WriteFile(kept[0], check.Get(json.Marshal(all))(t), 0o600))
	out := convene(models...)
	check.Says(t, out, "In this workspace, 19 of 20 questions with known answers on which "+
		"all 3 seats with these models agreed were answered rightly; nothing was measured for decisions like this.")
	check.NeverSays(t, out, "On recorded exam questions")
	check.Says(t, convene("gpt-5", "o3", "gpt-6"), "One family (gpt) agreed with itself: its 3 models make the same "+
		"mistakes. On recorded exam questions, three models of one family that answered independently were right")
	check.OK(t, os.Truncate(kept[0], 100)) // what cannot be read does not count
	check.Says(t, convene(models...), recorded)
}
