package main

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/roundtable"
)

const plantedKey = "planted-key-0001"

// seatsWith are three seats with these models.
func seatsWith(models ...string) string {
	doc := `{ // a comment that stays
  "councilName": "C", "purpose": "P", "sessionPolicy": { "entryPhaseId": "a" },
  "phases": [{ "id": "a", "goal": "g", "stopConditions": { "maxRounds": 1 } }],
  "members": [
`
	for i, m := range models {
		id := string(rune('a' + i))
		doc += `    { "id": "` + id + `", "name": "` + id + `", "role": "r", "systemPrompt": "s", "model": ` + m + " },\n"
	}
	return doc + "  ]\n}\n"
}

const (
	oursModel   = `{ "provider": "openai", "model": "m", "apiKeyEnv": "MINE" }`
	usualModel  = `{ "provider": "anthropic", "model": "m" }`
	storedModel = `{ "provider": "openai-compatible", "model": "m", "baseUrl": "https://models.example/v1", "auth": { "method": "credential-ref", "credentialId": "work" } }`
	noModel     = `{ "provider": "rehearsal", "model": "rehearsal" }`
)

func TestOnboard_APersonIsAskedAndTheConfigurationChanged(t *testing.T) {
	d := newWorkplace(t, "")
	before := seatsWith(oursModel, usualModel, oursModel, storedModel, noModel)
	put(t, d.config, before)
	check.OK(t, os.Chmod(d.config, 0o644))
	secrets, questions := []string{plantedKey + "\n", "", "planted-key-0002", "planted-key-0003"}, []string(nil)
	d.terminal, d.asker = true, func(_ context.Context, question string, secret bool) (string, error) {
		questions = append(questions, question)
		if !secret {
			return "y\n", nil
		}
		next := secrets[0]
		secrets = secrets[1:]
		return next, nil
	}
	login := func(want int, words ...string) {
		t.Helper()
		d.run(want, "login", "--config", d.config)
		check.Says(t, d.out.String()+d.errs.String(), words...)
		check.NeverSays(t, d.out.String()+d.errs.String(), "planted")
	}
	login(cli.ExitFindings, // one was left out
		"Stored mine for https://api.openai.com in ", "Stored work for https://models.example",
		"- the variable MINE (a, c)", `+ "auth": { "method": "credential-ref", "credentialId": "mine" }`, "Changed ",
		"ok       the stored credential mine, for a, c", "missing  the variable ANTHROPIC_API_KEY")
	for id, want := range map[string]credential.Entry{"mine": {Secret: plantedKey, Server: "https://api.openai.com"},
		"work": {Secret: "planted-key-0002", Server: "https://models.example"}} {
		check.Equal(t, id, want, check.Get(credential.OpenVault(d.root, nil).Get(id))(t))
	}
	after := strings.ReplaceAll(before, `"apiKeyEnv": "MINE"`,
		`"auth": { "method": "credential-ref", "credentialId": "mine" }`)
	check.Equal(t, "the configuration", after, readFile(t, d.config))
	check.Is(t, "its mode", 0o644, check.Get(os.Stat(d.config))(t).Mode().Perm())
	if n := len(questions); n != 4 || !strings.Contains(questions[0], "Key of https://api.openai.com for a, c") ||
		!strings.Contains(questions[3], "Change ") {
		t.Errorf("%d questions: %q", n, questions)
	}

	// A second run finds nothing to do but what was left out.
	login(cli.ExitOK, "Nothing is missing.")
	questions, after = nil, readFile(t, d.config)
	login(cli.ExitOK, "Nothing is missing.")
	check.Is(t, "questions", 0, len(questions))
	check.Is(t, "the configuration", after, readFile(t, d.config))
}

// roundtableRecord writes the record of roundtable of the script into a folder.
func roundtableRecord(t *testing.T, root string) {
	t.Helper()
	record := check.Get(txtar.ParseFile("testdata/script/adopt.txtar"))(t)
	for _, f := range record.Files {
		if name, ok := strings.CutPrefix(f.Name, ".council/"); ok {
			put(t, filepath.Join(root, name), string(f.Data))
		}
	}
}

// An adoption that is killed at an operation on the disk is finished by the next, and comes to the same.
func TestOnboard_AnAdoptionThatIsKilledIsFinished(t *testing.T) {
	counciltest.NotUnderRace(t)
	adopt := func(root string, plan *filetest.Plan) string {
		var out bytes.Buffer
		a := testOnlyApp(&out, &out)
		a.Now = steadyNow
		if plan != nil {
			a.Layer = plan.Watch
		}
		runLine(a, context.Background(), []string{"init", "--adopt", "--root", root})
		return out.String()
	}
	listed := func(root string) string {
		var out bytes.Buffer
		a := testOnlyApp(&out, &out)
		for _, what := range []string{"sessions", "memory list", "record episodes list", "memory check"} {
			runs(t, a, cli.ExitOK, append(strings.Fields(what), "--root", root)...)
		}
		return out.String()
	}
	want := ""
	for at := 0; ; at += counciltest.Often(43, 1) {
		root := filepath.Join(t.TempDir(), ".council")
		roundtableRecord(t, root)
		plan := &filetest.Plan{At: at, NoSync: true}
		adopt(root, plan)
		if at == 0 {
			want = listed(root)
			continue
		}
		if plan.Struck() == "" {
			return
		}
		if said := adopt(root, nil); !strings.Contains(said, "Took over 2 sessions") {
			t.Fatalf("after %s: %s", plan.Struck(), said)
		}
		check.Equal(t, fmt.Sprintf("after %s", plan.Struck()), want, listed(root))
		if _, err := os.Stat(filepath.Join(root, roundtable.Folder, "sessions")); err != nil {
			t.Fatalf("after %s: %v", plan.Struck(), err)
		}
	}
}

// A configuration of roundtable's convenes as it is, but for where its servers are: each of them is asked in its own
// protocol, and shown the stored key.
func TestAdopt_AConfigurationOfRoundtablesConvenesAsItIs(t *testing.T) {
	var mu sync.Mutex
	asked := map[string]string{} // the last part of the path, by the model
	url := counciltest.NewFront(t, nil, func(w http.ResponseWriter, c counciltest.Call) bool {
		mu.Lock()
		defer mu.Unlock()
		if strings.Contains(fmt.Sprint(c.Header), plantedKey) {
			asked[c.Model] = path.Base(c.URL.Path)
		}
		counciltest.Refuse(w, http.StatusUnauthorized, `{"error":{"message":"Not today."}}`)
		return true
	})
	d := newWorkplace(t, url)
	d.env = map[string]string{"KEY": plantedKey}
	doc := strings.NewReplacer("https://chat.boats.example", url, "https://gateway.boats.example", url)
	put(t, d.config, doc.Replace(readFile(t, "testdata/roundtable.config.json")))
	convene := []string{"convene", "Where do the shells lie?", "--config", d.config}
	d.run(cli.ExitError, append(convene, "--dry-run")...)
	d.says(&d.errs, `buyer cannot be seated: no usable credential: openai-codex needs the credential "boats"`)
	d.run(cli.ExitOK, "login", "--config", d.config, "--credential", "boats=KEY")
	d.run(cli.ExitOK, append(convene, "--dry-run")...)
	d.run(cli.ExitSuspended, convene...)
	check.Equal(t, "asked", map[string]string{"codex-mini": "completions", "ferry-mini": "completions",
		"claude-oar": "messages"}, asked)
}
