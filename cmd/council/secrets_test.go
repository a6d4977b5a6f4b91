package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

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
