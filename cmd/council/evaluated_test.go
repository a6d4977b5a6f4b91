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
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/workspace/site"
)

// Once a workspace has an evaluation of 20 questions, the outcome tells its figure of them in place of the recorded
// one, to those models alone, and never for decisions.
func TestOutcome_TellsTheFigureOfTheWorkspacesOwnEvaluation(t *testing.T) {
	t.Chdir(t.TempDir())
	server := counciltest.NewServer(t, steadfast)
	run := func(args ...string) string {
		t.Helper()
		var out, errs bytes.Buffer
		runs(t, testOnlyApp(&out, &errs), cli.ExitOK, args...)
		return strings.Join(strings.Fields(out.String()), " ")
	}
	convene := func(models string) string {
		t.Helper()
		charter := shortCharter(server.URL)
		for i, model := range strings.Fields(models) {
			charter.Members[i].Model.Model = model
		}
		check.OK(t, os.WriteFile(site.ConfigFile, check.Get(json.Marshal(charter))(t), 0o600))
		return run("convene", "Shall we go on?", "--output", "none")
	}
	const models, others = "gpt-5 claude-5 gemini-3", "gpt-5 claude-5 gemini-4"
	const recorded = "On recorded exam questions, three models of three families that answered independently were right"
	check.Says(t, convene(models), recorded)

	var set strings.Builder
	for i := range 20 {
		fmt.Fprintf(&set, `{"id": "q%d", "question": "Is it so?", "choices": ["yes", "no"], "answer": "%s"}`+"\n", i,
			map[bool]string{true: "yes", false: "no"}[i < 17])
	}
	check.OK(t, os.WriteFile("set.jsonl", []byte(set.String()), 0o600))
	run("eval", "set.jsonl")
	out := convene(models)
	check.Says(t, out, "In this workspace, 17 of 20 questions with known answers on which "+
		"all 3 seats with these models agreed were answered rightly; nothing was measured for decisions like this.")
	if strings.Contains(out, recorded) {
		t.Errorf("want no recorded figure beside the workspace's own, got\n%s", out)
	}
	kept := check.Get(filepath.Glob(".council/evaluations/*.json"))(t)
	check.Is(t, "files of evaluations", 1, len(kept))
	whole := check.Get(os.ReadFile(kept[0]))(t)
	run("eval", "set.jsonl") // another run of the same asks nothing, and replaces the file by the same
	check.Is(t, "the file of the evaluation", string(whole), string(check.Get(os.ReadFile(kept[0]))(t)))
	check.Says(t, convene(others), recorded)
	run("eval", "set.jsonl") // in the same folder
	check.Says(t, convene(others), "In this workspace, 17 of 20 ")
	check.Says(t, convene(models), "In this workspace, 17 of 20 ")
	for name, damaged := range map[string][]byte{
		"cut off": whole[:len(whole)/2], "of others": []byte("{}"), "claims more": bytes.ReplaceAll(whole, []byte(`"for": 3`),
			[]byte(`"for": 9`)),
	} {
		check.OK(t, os.WriteFile(kept[0], damaged, 0o600))
		if out := convene(models); !strings.Contains(out, recorded) || strings.Contains(out, "In this workspace") {
			t.Errorf("%s: want the recorded figure, got\n%s", name, out)
		}
	}
}
