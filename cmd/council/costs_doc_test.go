package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council/budget"
	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/workspace/site"
)

var (
	fenced  = regexp.MustCompile("(?s)```(json|console)\n(.*?)```")
	figures = regexp.MustCompile(`\d[\d,.]*`)
	blanks  = regexp.MustCompile(` +`)
)

// Every command of docs/costs.md is run, and says what stands there but for its figures.
func TestTheHandbookOfCosts(t *testing.T) {
	doc := check.Get(os.ReadFile("../../docs/costs.md"))(t)
	t.Chdir(t.TempDir())
	commands := 0
	for _, block := range fenced.FindAllStringSubmatch(string(doc), -1) {
		kind, text := block[1], block[2]
		switch {
		case kind == "json" && strings.Contains(text, `"members"`):
			check.OK(t, os.WriteFile(site.ConfigFile, []byte(text), 0o600))
		case kind == "json":
			if _, err := budget.ParsePrices("docs/costs.md", text); err != nil {
				t.Error(err)
			}
		default:
			command, want, _ := strings.Cut(strings.TrimPrefix(text, "$ council "), "\n")
			commands++
			var out bytes.Buffer
			a := testOnlyApp(&out, &out)
			given := a.Getenv
			a.Getenv = func(name string) string {
				if name == "ANTHROPIC_API_KEY" { // as where the council can be convened
					return "planted-key-0001"
				}
				return given(name)
			}
			runLine(a, context.Background(), words(command))
			if diff := cmp.Diff(bare(want), bare(out.String())); diff != "" {
				t.Errorf("%s\n%s\n%s", command, diff, &out)
			}
		}
	}
	check.Is(t, "commands were run", 2, commands)
	if left, _ := filepath.Glob(".council/*"); len(left) > 0 {
		t.Errorf("something was written: %v", left)
	}
}

// bare returns what was printed without its figures, which depend on the wording of prompts, and without their columns.
func bare(text string) string {
	return blanks.ReplaceAllString(figures.ReplaceAllString(text, "N"), " ")
}

// words splits a command line at blanks outside of double quotes.
func words(line string) []string {
	var all []string
	for i, part := range strings.Split(line, `"`) {
		if i%2 == 1 {
			all = append(all, part)
		} else {
			all = append(all, strings.Fields(part)...)
		}
	}
	return all
}
