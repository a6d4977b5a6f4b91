//go:build unix

package command

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/council/member"
	"github.com/council-engine/council/internal/check"
)

// printed is a program's output and its exit.
type printed struct {
	output, errors, code string
	log                  string // of its calls, written to the path that it is given
}

// program installs a program that prints p's output, and records each of its starts in a file. It returns its path, and
// a function that counts the starts.
func program(t *testing.T, p printed) (path string, starts func() int) {
	t.Helper()
	folder := t.TempDir()
	noted := filepath.Join(folder, "starts")
	end := "exit " + strings.TrimSpace(p.code)
	if strings.HasPrefix(p.code, "-") {
		end = "kill -9 $$"
	}
	quoted := func(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
	script := fmt.Sprintf(`#!/bin/sh
echo start >>%s
log=$GEMINI_TELEMETRY_OUTFILE
for arg; do [ "$last" = --openai-logging-dir ] && log=$arg/1.json; last=$arg; done
[ -z "$log" ] || printf %%s %s >"$log"
printf %%s %s; printf %%s %s >&2
%s
`, noted, quoted(p.log), quoted(p.output), quoted(p.errors), end)
	path = filepath.Join(folder, "program")
	check.OK(t, os.WriteFile(path, []byte(script), 0o700))
	return path, func() int {
		text, _ := os.ReadFile(noted)
		return strings.Count(string(text), "start")
	}
}

// asked puts one question to the program of m, as a member that tries again at once. It returns the outcome in words.
func asked(t *testing.T, m council.Model) string {
	t.Helper()
	made := check.Get(New(m, Options{Now: time.Now, Getenv: world, Temp: t.TempDir()}))(t)
	defer made.Close()
	c, err := member.Retry(made, member.Policy{Tries: 2}).Complete(t.Context(), question("?"))
	var call *member.CallError
	switch {
	case errors.As(err, &call):
		return fmt.Sprintf("%s: %s", call.Fault.Kind, call.Fault.Message)
	case err != nil:
		t.Fatal(err)
	}
	return fmt.Sprintf("%s: %s", c.Stop, c.Text)
}

// TestRecordedAgentsAreRead: each form in which an agent was recorded is read as its file says, with so many starts.
func TestRecordedAgentsAreRead(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "*", "*.txt"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	recorded := map[string]bool{}
	for _, file := range files {
		agent := filepath.Base(filepath.Dir(file))
		recorded[agent] = true
		t.Run(agent+"/"+filepath.Base(file), func(t *testing.T) {
			archive := check.Get(txtar.ParseFile(file))(t)
			part := func(name string) string {
				for _, f := range archive.Files {
					if f.Name == name {
						return string(f.Data)
					}
				}
				return ""
			}
			path, starts := program(t, printed{part("output"), part("errors"), part("code"), part("log")})
			got := asked(t, council.Model{Model: agent + "/m-1", Program: path, BaseURL: "http://127.0.0.1:9"})
			got = fmt.Sprintf("%s\n%d starts\n", got, starts())
			if *check.Rewrite {
				archive.Files = append(archive.Files[:len(archive.Files):len(archive.Files)], txtar.File{Name: "read"})
				for i, f := range archive.Files {
					if f.Name == "read" {
						archive.Files[i].Data, archive.Files = []byte(got), archive.Files[:i+1]
						break
					}
				}
				check.OK(t, os.WriteFile(file, txtar.Format(archive), 0o644))
				return
			}
			check.Equal(t, file+" (-rewrite writes it anew)", part("read"), got)
		})
	}
	for _, name := range Agents() {
		if !recorded[name] {
			t.Errorf("there is no recording of %s", name)
		}
	}
}
