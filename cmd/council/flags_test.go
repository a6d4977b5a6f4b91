package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/check"
)

// Every command in docs/context.md is run by a script.
func TestFlags_TheExamplesOfTheDocumentationAreRun(t *testing.T) {
	doc := check.Get(os.ReadFile("../../docs/context.md"))(t)
	var scripts strings.Builder
	for _, name := range []string{"context", "citations"} {
		script := check.Get(os.ReadFile(filepath.Join("testdata", "script", name+".txtar")))(t)
		scripts.Write(script)
	}
	examples := 0
	for line := range strings.Lines(string(doc)) {
		command, ok := strings.CutPrefix(line, "    council convene ")
		if !ok {
			continue
		}
		examples++
		_, named, _ := strings.Cut(strings.TrimSpace(command), "\" ")
		check.Says(t, scripts.String(), named)
	}
	if examples < 5 {
		t.Errorf("%d examples are checked", examples)
	}
}
