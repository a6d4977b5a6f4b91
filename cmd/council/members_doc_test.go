package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/config"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/templates"
	"github.com/council-engine/council/workspace/seat"
	"github.com/council-engine/council/workspace/site"
)

var (
	blocks = regexp.MustCompile("(?s)```([a-z]+)\n(.*?)```")
	named  = regexp.MustCompile(`"(?:apiKeyEnv|credentialId)": *"([^"]+)"|\$\{(\w+)\}|"env": \["(\w+)"`)
)

// handbookOfMembers is docs/members.md, and a folder with all that its examples take for granted: keys, agents, files.
func handbookOfMembers(t *testing.T) (doc string, getenv func(string) string) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("the agents are shell scripts")
	}
	text := readFile(t, "../../docs/members.md")
	dir := t.TempDir()
	t.Chdir(dir)
	for _, program := range []string{"claude", "codex", "gemini", "op", "clerk"} {
		put(t, "bin/"+program, "#!/bin/sh\necho key-1234567890\n")
		check.OK(t, os.Chmod("bin/"+program, 0o700))
	}
	put(t, "docs/queue.md", "# The queue\n\nIt has run for years.\n")
	env := map[string]string{"PATH": filepath.Join(dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME": dir, "USER": "tester", "OLLAMA_HOST": "127.0.0.1:1", "COUNCIL_KEYRING": "off",
		"ANTHROPIC_API_KEY": "key-1234567890", "CODEX_API_KEY": "key-1234567890"}
	t.Setenv("PATH", env["PATH"])
	for _, block := range blocks.FindAllStringSubmatch(text, -1) {
		if block[1] == "jsonl" {
			put(t, "replies.jsonl", block[2])
		}
		for _, found := range named.FindAllStringSubmatch(block[2], -1) {
			for _, name := range found[1:] {
				if _, known := env[name]; !known && name != "" {
					env[name] = "key-1234567890"
				}
			}
		}
	}
	return text, func(name string) string { return env[name] }
}

// Every model of docs/members.md can be seated as it stands, where its key, its program or its file is there.
func TestMembersDoc_TheModelsOfTheHandbookAreSeated(t *testing.T) {
	doc, getenv := handbookOfMembers(t)
	check.OK(t, os.Mkdir(".council", 0o700))
	check.Get(credential.OpenVault(".council", nil).Put("openai-api-key",
		credential.Entry{Secret: "key-1234567890", Server: "https://api.openai.com"}))(t)
	tried := 0
	for _, block := range blocks.FindAllStringSubmatch(doc, -1) {
		if block[1] != "json" || !strings.Contains(block[2], `"provider"`) {
			continue
		}
		tried++
		put(t, site.ConfigFile, seatsWith(block[2], block[2], block[2]))
		var out, errs bytes.Buffer
		a := testOnlyApp(&out, &errs)
		a.Getenv = getenv
		runLine(a, context.Background(), []string{"doctor", "--offline", "--json"})
		for dec := json.NewDecoder(&out); dec.More(); {
			var found struct{ Code, Problem string }
			if err := dec.Decode(&found); err != nil {
				t.Fatalf("%v\n%s", err, &errs)
			}
			login := strings.Contains(block[2], "oauth-device-code") && strings.Contains(found.Problem, "nobody has logged in")
			if slices.Contains([]string{"seat", "credential", "config"}, found.Code) && !login {
				t.Errorf("%s: %s", block[2], found.Problem)
			}
		}
	}
	if tried < 20 {
		t.Errorf("%d models were tried", tried)
	}
}

var commands = regexp.MustCompile(`(?m)^(?:    |\$ )(?:pass show openai \| )?council ([^#\n]*?)(?:  +.*)?$`)

// No command of docs/members.md is a usage error, of a council as the handbook has them and of one that waits for a
// person.
func TestMembersDoc_TheCommandsOfTheHandbookOfMembersAreUnderstood(t *testing.T) {
	doc, getenv := handbookOfMembers(t)
	const council = `{"councilName": "C", "purpose": "P", "sessionPolicy": {"entryPhaseId": "a"}, "deliberation": {"sealedPositions": false}, "output": {"type": "none"},
		"phases": [{"id": "a", "goal": "g", "stopConditions": {"maxRounds": 1}}], "members": [
		{"id": "ada", "name": "Ada", "role": "r", "systemPrompt": "s", "model": {"provider": "openai", "model": "gpt-5.4",
			"apiKeyEnv": "OPENAI_API_KEY", "baseUrl": "http://127.0.0.1:1/v1"}},
		{"id": "bob", "name": "Bob", "role": "r", "systemPrompt": "s", "model": {"provider": "rehearsal"}},
		{"id": "kim", "name": "Kim", "role": "r", "systemPrompt": "s", "model": {"provider": "human"}}]}`
	put(t, site.ConfigFile, council)
	git(t, "init", "-q", "-b", "main")
	git(t, "commit", "-q", "--allow-empty", "-m", "One")
	git(t, "add", "docs/queue.md")
	found := commands.FindAllStringSubmatch(doc, -1)
	for _, command := range found {
		if strings.HasPrefix(command[1], "answer") {
			continue // answer.txtar has them
		}
		var out, errs bytes.Buffer
		a := testOnlyApp(&out, &errs)
		a.Getenv, a.In = getenv, strings.NewReader("key-1234567890\n")
		if code := runLine(a, context.Background(), words(command[1])); code == cli.ExitUsage || code == cli.ExitError {
			t.Errorf("council %s: exit code %d\n%s", command[1], code, &errs)
		}
	}
	if len(found) < 12 {
		t.Errorf("%d commands were found: %q", len(found), found)
	}
}

// Every command in docs/context.md is run by a script.
func TestFlags_TheExamplesOfTheDocumentationAreRun(t *testing.T) {
	scripts := readFile(t, "testdata/script/context.txtar") + readFile(t, "testdata/script/citations.txtar")
	examples := regexp.MustCompile(`(?m)^    council convene "[^"]*" (.*)$`).FindAllStringSubmatch(page(t, "docs/context.md"), -1)
	for _, example := range examples {
		check.Says(t, scripts, example[1])
	}
	if len(examples) < 5 {
		t.Errorf("%d examples are checked", len(examples))
	}
}

// What docs/costs.md shows of a bill is what is said.
func TestCosts_TheHandbookOfCostsShowsWhatIsBesideALog(t *testing.T) {
	lines := site.Beside{
		Late: site.PaidSum{Asks: 3, Amount: council.Amount{Tokens: 13_020, Cost: council.Dollars(0.03)}},
		Cut:  site.PaidSum{Asks: 2, Amount: council.Amount{Tokens: 8_600, Cost: council.Dollars(0.02)}},
	}.Words()
	check.Is(t, "lines", 2, len(lines))
	check.Says(t, page(t, "docs/costs.md"), lines...)
	single := site.Beside{Waiting: site.PaidSum{Asks: 1, Amount: council.Amount{Tokens: 7, Unknown: true}}}.Words()
	check.Is(t, "words", "Also paid for: 1 answer that counts once the session goes on: 7 tokens, cost unknown",
		strings.Join(single, "\n"))
}

// The title follows from the name, whatever stands in the file that it was copied from.
func TestCouncilsFind_ACopyIsCalledByItsName(t *testing.T) {
	for _, test := range []struct{ doc, name, want string }{
		{`{"councilName": "A \"B\"", "purpose": "councilName"}`, "queue-review",
			`{"councilName": "Queue Review", "purpose": "councilName"}`},
		{"{ // why\n \"councilName\" :\n\"A\",}", "x_1", "{ // why\n \"councilName\" :\n\"X 1\",}"},
		{`{"purpose": "P"}`, "x", `{"purpose": "P"}`},
		{`{"councilName": "A"}`, "0-_", `{"councilName": "0"}`},
	} {
		check.Equal(t, "it", test.want, string(seat.Retitled([]byte(test.doc), test.name)))
	}
}

// The handbook's table is that of the councils, and it names every skeleton.
func TestCouncilsFind_TheHandbookKnowsEveryCouncil(t *testing.T) {
	text := page(t, "docs/councils.md")
	for _, name := range templates.Councils() {
		doc, _ := templates.Council(name)
		c := check.Get(config.Parse(doc))(t)
		var phases []string
		for _, p := range c.Phases {
			phases = append(phases, string(p.ID))
		}
		_, row, _ := strings.Cut(text, "| `"+name+"` |")
		row, _, _ = strings.Cut(" |"+row, "\n")
		last, n := c.Phases[len(c.Phases)-1].Governance, len(c.Members)
		check.Says(t, row, "| "+strings.Join(phases, ", ")+" |", "| `"+c.DocumentationReview.Skeleton+"` |",
			fmt.Sprintf("| %s, %d of %d", last.MajorityThreshold.Words(), last.Rule(n).Needed(n), n))
	}
	for _, name := range templates.Skeletons() {
		check.Says(t, text, "`"+name+"`")
	}
}
