package main

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

// plantedSecrets are put together here, or those who scan this repository for keys would report them.
var plantedSecrets = map[string]string{
	"topic":         "AKIA" + "ZQ3DXVNKLW7T2MPB",
	"document":      "ghp_" + "Zq3dXvNkLw7t2MpB9sRfYc4hJg6uEa8iTn1o",
	"document key":  "kR7dQm2ZpX9aWcTn4yUvBe6oLs8fGh3jKi5qDw1xMz0rEtYuIoPaSdFgHjKlZxCv",
	"document name": "xoxb-" + "731958462013-8462097351842-Vq8Zr2LmTnXc6WyBs4KdPfHj",
	"reply":         "sk-proj-" + "Nf83hdKeLq02mXzPvT7yRbWcUs5gJi9oAaEe41DdFkHnMtQx6VwZ",
	"memory":        "glpat-" + "Wm4xTz9Kq2LrVn7Bc3Jd",
	"fault":         "SG." + "Xk29dLqPzR5tYwBn8VcM3g.aB4eF7hJ1kL0mN6pQ9rS2tU5vW8xY3zA6bC9dE2fG1h",
	"note":          "npm_" + "Hc7Vb2Zx9Lk4Jm1Qw8Ry5Tn3Pd6Fg0SaUeIo",
}

// nowhere fails for every planted secret of which twelve characters in a row stand in what a name stands for.
func nowhere(t *testing.T, name string, content []byte) {
	t.Helper()
	for from, secret := range plantedSecrets {
		for i := 4; i+12 <= len(secret); i++ {
			if bytes.Contains(content, []byte(secret[i:i+12])) {
				t.Errorf("the secret of the %s stands in %s", from, name)
				break
			}
		}
	}
}

// nowhereIn looks through every byte below a folder, and all names.
func nowhereIn(t *testing.T, root string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		nowhere(t, "a name", []byte(path))
		if d.IsDir() {
			return nil
		}
		files++
		content, err := os.ReadFile(path)
		nowhere(t, path, content)
		return err
	})
	if err != nil || files == 0 {
		t.Fatalf("%d files: %v", files, err)
	}
}

func TestSecretsReachNobodyAndNoFile(t *testing.T) {
	p := plantedSecrets
	m := &mallory{words: "We rotate " + p["reply"] + " first, as e1 says.", tokens: map[string]string{},
		prompts: map[string]string{}}
	server, sent := m.overheard(t)
	d := newWorkplace(t, server.URL)
	m.root = d.root
	folder := t.TempDir()
	t.Chdir(folder)
	deploy := "# Deploy\n\nexport GITHUB_TOKEN=" + p["document"] + "\n-----BEGIN PRIVATE KEY-----\n" + p["document key"] +
		"\n-----END PRIVATE KEY-----\nDone.\n"
	named := "log-" + p["document name"] + ".md"
	for name, text := range map[string]string{"deploy.md": deploy, named: "Nothing to see.\n",
		"." + named: "Left out.\n"} {
		check.OK(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600))
	}
	d.run(cli.ExitOK, "convene", "Shall we rotate "+p["topic"]+"?", "--config", d.config, "--context", folder)
	for _, words := range []string{
		"1 secret was cut from the topic: aws-access-key (1).",
		"2 secrets were cut from deploy.md: github-token (1), private-key (1).",
	} {
		d.says(&d.out, words)
	}
	nowhere(t, "the output", append(d.out.Bytes(), d.errs.Bytes()...))

	d.approve("latest", "--note", "Keep "+p["note"])
	nowhere(t, "the output", d.out.Bytes())
	d.run(cli.ExitOK, "memory", "add", "The runner's token is "+p["memory"], "--detail", "as in "+p["memory"])
	d.says(&d.out, "The runner's token is [cut: gitlab-token]")
	for _, args := range [][]string{{"show", "latest"}, {"memory", "list"}, {"recall", "rotate"}} {
		d.run(cli.ExitOK, args...)
		nowhere(t, strings.Join(args, " "), append(d.out.Bytes(), d.errs.Bytes()...))
	}
	nowhereIn(t, d.root)
	// What the model itself said it is told again, as the record has it.
	nowhere(t, "what members were sent", sent.Bytes())

	files, _ := filepath.Glob(filepath.Join(d.root, "sessions", "*", "session.json"))
	session := check.Get(os.ReadFile(files[0]))(t)
	if got := gjson.GetBytes(session, "cut").Raw; gjson.Get(got, "#").Int() != 3 ||
		gjson.Get(got, "1.in").String() != "deploy.md" || gjson.Get(got, "1.count").Int() != 1 {
		t.Errorf("session.json counts %s", got)
	}
	log := check.Get(os.ReadFile(filepath.Join(filepath.Dir(files[0]), "events.json")))(t)
	want := "# Deploy\n\nexport GITHUB_TOKEN=[cut: github-token]\n[cut: private-key]\n\n\nDone.\n"
	if got := gjson.GetBytes(log, `0.payload.topic.documents.#(name="deploy.md").text`).String(); got != want {
		t.Errorf("members were given %q", got)
	}
	if !bytes.Contains(log, []byte("We rotate [cut: openai-key] first, as e1 says.")) {
		t.Error("the replies are not on the record without their secret")
	}
}

func TestSecretsInFaultsStandNowhere(t *testing.T) {
	server := counciltest.NewServer(t, func(counciltest.Request) string {
		return "The key is " + plantedSecrets["fault"] +
			"; {"
	})
	d := newWorkplace(t, server.URL)
	a := testOnlyApp(&d.out, &d.errs)
	runLine(a, t.Context(), []string{"convene", "Shall we?", "--config", d.config, "--root", d.root})
	nowhere(t, "the output", append(d.out.Bytes(), d.errs.Bytes()...))
	nowhereIn(t, d.root)
}

func TestAConfigurationThatHoldsASecretIsRefused(t *testing.T) {
	d := newWorkplace(t, "http://127.0.0.1:1")
	doc := check.Get(os.ReadFile(d.config))(t)
	doc = bytes.Replace(doc, []byte(`"systemPrompt":"`), []byte(`"systemPrompt":"Use `+plantedSecrets["topic"]+`. `), 1)
	check.OK(t, os.WriteFile(d.config, doc, 0o600))
	d.run(cli.ExitError, "convene", "Shall we?", "--config", d.config)
	d.says(&d.errs, "members[0].systemPrompt holds a secret (aws-access-key)")
	nowhere(t, "the message", d.errs.Bytes())
	if _, err := os.Stat(d.root); err == nil {
		t.Error("something was written")
	}
}

func TestABreakdownShowsNothingOfWhatWasWorkedOn(t *testing.T) {
	broken := &cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error {
			panic(fmt.Errorf("while reading %s", plantedSecrets["reply"]))
		}}
	broken.SetArgs(nil)
	var out, errs bytes.Buffer
	a := testOnlyApp(&out, &errs)
	if code := cli.ExitWith(a, execute(context.Background(), broken)); code != cli.ExitError {
		t.Errorf("exit code %d", code)
	}
	nowhere(t, "the message", errs.Bytes())
	if !strings.Contains(errs.String(), "secrets_test.go:") || !strings.Contains(errs.String(), "please report it") {
		t.Errorf("it says %s", &errs)
	}
}
