package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/council"
)

func TestTellsWhatIsGivenAndWhatIsNot(t *testing.T) {
	var topic council.Topic
	for i := range 20 {
		topic.Documents = append(topic.Documents, council.NewDocument(fmt.Sprintf("%02d.md", i), "text"))
	}
	topic.Documents = append(topic.Documents, council.NewDocument("prod.env", "K"))
	topic.Skipped = []council.Skipped{
		{Reason: "it is hidden", Count: 1, Names: []string{".git"}},
		{Reason: "there is no room for it: the limit is 1 MiB", Count: 1204, Bytes: 5000,
			Names: []string{"a", "b\x1b[2J", "c", "d"}},
	}
	got := contextWords(topic)
	want := []string{
		"Document: prod.env (1 byte). It is named like a file of keys, and members are sent it.",
		"Documents: 8 more (32 bytes).",
		"Left out: .git, it is hidden.",
		"Left out: a, b, c and 1,201 more (5,000 bytes), there is no room for it: the limit is 1 MiB.",
		"Files were taken in the order of their names. To choose, name a smaller folder or a pattern: --context " +
			"'docs/**/*.md'",
	}
	if diff := cmp.Diff(want, got[12:]); diff != "" {
		t.Errorf("words (-want +got):\n%s", diff)
	}
}

// Every command in docs/context.md is run by a script.
func TestTheExamplesOfTheDocumentationAreRun(t *testing.T) {
	doc, err := os.ReadFile("../../docs/context.md")
	if err != nil {
		t.Fatal(err)
	}
	var scripts strings.Builder
	for _, name := range []string{"context", "citations"} {
		script, err := os.ReadFile(filepath.Join("testdata", "script", name+".txtar"))
		if err != nil {
			t.Fatal(err)
		}
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
		if !strings.Contains(scripts.String(), named) {
			t.Errorf("no script runs %q", named)
		}
	}
	if examples < 5 {
		t.Errorf("%d examples are checked", examples)
	}
}
