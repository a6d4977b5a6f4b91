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

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/internal/check"
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

func TestAConfigurationThatHoldsASecretIsRefused(t *testing.T) {
	d := newWorkplace(t, "http://127.0.0.1:1")
	doc := check.Get(os.ReadFile(d.config))(t)
	doc = bytes.Replace(doc, []byte(`"systemPrompt":"`), []byte(`"systemPrompt":"Use `+plantedSecrets["topic"]+`. `), 1)
	check.OK(t, os.WriteFile(d.config, doc, 0o600))
	d.run(cli.ExitError, "convene", "Shall we?", "--config", d.config)
	d.says(&d.errs, "members[0].systemPrompt holds a secret (aws-access-key)")
	nowhere(t, "the message", d.errs.Bytes())
	check.ErrorIs(t, "something was written", fs.ErrNotExist, check.Err(os.Stat(d.root)))
}

func TestABreakdownShowsNothingOfWhatWasWorkedOn(t *testing.T) {
	broken := &cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true,
		RunE: func(*cobra.Command, []string) error {
			panic(fmt.Errorf("while reading %s", plantedSecrets["reply"]))
		}}
	broken.SetArgs(nil)
	var out, errs bytes.Buffer
	a := testOnlyApp(&out, &errs)
	check.Is(t, "exit code", cli.ExitError, cli.ExitWith(a, execute(context.Background(), broken)))
	nowhere(t, "the message", errs.Bytes())
	if !strings.Contains(errs.String(), "secrets_test.go:") || !strings.Contains(errs.String(), "please report it") {
		t.Errorf("it says %s", &errs)
	}
}
