package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/council/member/credential"
	"github.com/council-engine/council/internal/check"
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
	text := check.Get(os.ReadFile("../../docs/members.md"))(t)
	dir := t.TempDir()
	t.Chdir(dir)
	put := func(name, text string) {
		t.Helper()
		check.OK(t, os.MkdirAll(filepath.Dir(name), 0o700))
		check.OK(t, os.WriteFile(name, []byte(text), 0o700))
	}
	for _, program := range []string{"claude", "codex", "gemini", "op", "clerk"} {
		put("bin/"+program, "#!/bin/sh\necho key-1234567890\n")
	}
	put("docs/queue.md", "# The queue\n\nIt has run for years.\n")
	env := map[string]string{"PATH": filepath.Join(dir, "bin") + string(os.PathListSeparator) + os.Getenv("PATH"),
		"HOME": dir, "USER": "tester", "OLLAMA_HOST": "127.0.0.1:1", "COUNCIL_KEYRING": "off",
		"ANTHROPIC_API_KEY": "key-1234567890", "CODEX_API_KEY": "key-1234567890"}
	t.Setenv("PATH", env["PATH"])
	for _, block := range blocks.FindAllStringSubmatch(string(text), -1) {
		if block[1] == "jsonl" {
			put("replies.jsonl", block[2])
		}
		for _, found := range named.FindAllStringSubmatch(block[2], -1) {
			for _, name := range found[1:] {
				if _, known := env[name]; !known && name != "" {
					env[name] = "key-1234567890"
				}
			}
		}
	}
	return string(text), func(name string) string { return env[name] }
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
		var seats []string
		for _, id := range []string{"a", "b", "c"} {
			seats = append(seats, fmt.Sprintf(`{"id": %q, "name": %q, "role": "r", "systemPrompt": "You are %s.", "model": %s}`,
				id, id, id, block[2]))
		}
		council := fmt.Sprintf(`{"councilName": "C", "purpose": "P", "sessionPolicy": {"entryPhaseId": "a"},
			"phases": [{"id": "a", "goal": "g", "stopConditions": {"maxRounds": 1}}], "members": [%s]}`,
			strings.Join(seats, ", "))
		check.OK(t, os.WriteFile(site.ConfigFile, []byte(council), 0o600))
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
	check.OK(t, os.WriteFile(site.ConfigFile, []byte(council), 0o600))
	for _, git := range []string{"init --quiet --initial-branch main",
		"-c user.name=t -c user.email=t@example.org commit --quiet --allow-empty -m One", "add docs/queue.md"} {
		if out, err := exec.Command("git", strings.Fields(git)...).CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", git, err, out)
		}
	}
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
