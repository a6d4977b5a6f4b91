package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/atomicfile/filetest"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
	"github.com/council-engine/council/memory/roundtable"
	"github.com/council-engine/council/workspace/site"
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

// typist answers in turn, and keeps the questions.
type typist struct {
	secrets   []string
	yes       bool
	questions []string
}

func (p *typist) ask(_ context.Context, question string, secret bool) (string, error) {
	p.questions = append(p.questions, question)
	switch {
	case !secret && p.yes:
		return "y\n", nil
	case !secret || len(p.secrets) == 0:
		return "", nil
	}
	answer := p.secrets[0]
	p.secrets = p.secrets[1:]
	return answer, nil
}

// newcomer is a folder with a configuration.
type newcomer struct {
	*testing.T
	dir   string
	file  string
	env   map[string]string
	in    string
	asker cli.Asker
	out   bytes.Buffer
}

func newNewcomer(t *testing.T, doc string) *newcomer {
	p := &newcomer{T: t, dir: t.TempDir(), env: map[string]string{}}
	p.file = filepath.Join(p.dir, "council.config.json")
	check.OK(t, os.WriteFile(p.file, []byte(doc), 0o644))
	return p
}

func (p *newcomer) root() string { return filepath.Join(p.dir, ".council") }

// run is council login in the place.
func (p *newcomer) run(args ...string) error {
	p.out.Reset()
	getenv := func(name string) string {
		if name == "COUNCIL_KEYRING" {
			return "off"
		}
		return p.env[name]
	}
	a := cli.Env{World: site.NewWorld(site.World{Now: time.Now, Getenv: getenv, Signals: catching(nil)}),
		In: strings.NewReader(p.in), Out: &p.out, Errs: &p.out, Terminal: p.asker != nil, Asker: p.asker, Trusting: true}
	a.World.Warn, a.World.Attended = a.Warn, a.Terminal
	root := newRoot(&a)
	root.SetArgs(append([]string{"login", "--config", p.file, "--root", p.root()}, args...))
	return root.ExecuteContext(p.Context())
}

func (p *newcomer) says(words ...string) {
	p.Helper()
	check.Says(p, p.out.String(), words...)
	check.NeverSays(p, p.out.String(), "planted")
}

func (p *newcomer) holds(id string, want credential.Entry) {
	p.Helper()
	e, err := credential.OpenVault(p.root(), nil).Get(id)
	if diff := cmp.Diff(want, e); diff != "" || err != nil {
		p.Error(id, err, diff)
	}
}

func (p *newcomer) doc() string {
	p.Helper()
	text := check.Get(os.ReadFile(p.file))(p)
	return string(text)
}

func isFinding(err error) bool { return errors.Is(err, cli.ErrFindings) }

func TestOnboard_APersonIsAskedAndTheConfigurationChanged(t *testing.T) {
	p := newNewcomer(t, seatsWith(oursModel, usualModel, oursModel, storedModel, noModel))
	asker := &typist{secrets: []string{plantedKey + "\n", "", "planted-key-0002"}, yes: true}
	p.asker = asker.ask
	before := p.doc()
	if err := p.run(); !isFinding(err) { // one was left out
		t.Errorf("%v", err)
	}
	p.says("Stored mine for https://api.openai.com in ", "Stored work for https://models.example",
		"- the variable MINE (a, c)", `+ "auth": { "method": "credential-ref", "credentialId": "mine" }`, "Changed ",
		"ok       the stored credential mine, for a, c", "missing  the variable ANTHROPIC_API_KEY")
	p.holds("mine", credential.Entry{Secret: plantedKey, Server: "https://api.openai.com"})
	p.holds("work", credential.Entry{Secret: "planted-key-0002", Server: "https://models.example"})
	check.Equal(t, "it", strings.ReplaceAll(before, `"apiKeyEnv": "MINE"`,
		`"auth": { "method": "credential-ref", "credentialId": "mine" }`), p.doc())
	if info, err := os.Stat(p.file); err != nil || info.Mode().Perm() != 0o644 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	if n := len(asker.questions); n != 4 || !strings.Contains(asker.questions[0],
		"Key of https://api.openai.com for a, c") || !strings.Contains(asker.questions[3], "Change ") {
		t.Errorf("%d questions: %q", n, asker.questions)
	}

	// A second run finds nothing to do but what was left out.
	asker.questions, asker.secrets = nil, []string{"planted-key-0003"}
	check.OK(t, p.run())
	p.says("Nothing is missing.")
	asker.questions = nil
	after := p.doc()
	if err := p.run(); err != nil || len(asker.questions) != 0 || p.doc() != after {
		t.Errorf("%v, %q", err, asker.questions)
	}
	p.says("Nothing is missing.")
}

// roundtableRecord writes the record of roundtable of the script into a folder.
func roundtableRecord(t *testing.T, root string) {
	t.Helper()
	record := check.Get(txtar.ParseFile("testdata/script/adopt.txtar"))(t)
	for _, f := range record.Files {
		name, ok := strings.CutPrefix(f.Name, ".council/")
		if !ok {
			continue
		}
		path := filepath.Join(root, filepath.FromSlash(name))
		check.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
		check.OK(t, os.WriteFile(path, f.Data, 0o644))
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

func TestOnboard_AsksBeforeItStoresAKeyOfRoundtable(t *testing.T) {
	for _, yes := range []bool{true, false} {
		p := newNewcomer(t, seatsWith(storedModel, noModel, noModel))
		keys := filepath.Join(p.root(), "roundtable", "credentials.json")
		doc := `{"version": 1, "entries": {"work": {"kind": "api-key", "apiKey": "` + plantedKey + `", "updatedAt": "x"}}}`
		check.OK(t, errors.Join(os.MkdirAll(filepath.Dir(keys), 0o700), os.WriteFile(keys, []byte(doc), 0o600)))
		p.asker = (&typist{yes: yes}).ask
		if err := p.run(); isFinding(err) == yes {
			t.Error(err)
		}
		p.says()
		_, err := credential.OpenVault(p.root(), nil).Get("work")
		if stored := err == nil; stored != yes {
			t.Errorf("agreed %t, stored %t: %v", yes, stored, err)
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
	check.OK(t, os.WriteFile(d.config, []byte(doc.Replace(readFile(t, "testdata/roundtable.config.json"))), 0o600))
	convene := []string{"convene", "Where do the shells lie?", "--config", d.config}
	d.run(cli.ExitError, append(convene, "--dry-run")...)
	d.says(&d.errs, `buyer cannot be seated: no usable credential: openai-codex needs the credential "boats"`)
	d.run(cli.ExitOK, "login", "--config", d.config, "--credential", "boats=KEY")
	d.run(cli.ExitOK, append(convene, "--dry-run")...)
	d.run(cli.ExitSuspended, convene...)
	check.Equal(t, "asked", map[string]string{"codex-mini": "completions", "ferry-mini": "completions",
		"claude-oar": "messages"}, asked)
}
