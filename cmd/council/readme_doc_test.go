package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/council-engine/council/internal/check"
)

var (
	firstCommand = regexp.MustCompile(
		"```sh\ngo run ./cmd/(council convene \"[^\"]*\" --context (\\S+) --model rehearsal)\n")
	ending   = regexp.MustCompile("(?s)```text\n(Rehearsed.*?)```")
	aVote    = regexp.MustCompile(`(?s)> \*\*Vote on “.*?\n\n`)
	lastVote = regexp.MustCompile(
		`(?s)#### (Vote on [^\n]*)\n\n((?:\|[^\n]*\n)+)\n(\*\*The motion is carried\.\*\*[^\n]*)`)
)

// TestTheReadmeShowsWhatItsFirstCommandPrints holds the end of a session and the vote in the README against what the
// command prints and council show tells. What members are given is another document than the README: no text can quote
// what its own words bring about.
func TestTheReadmeShowsWhatItsFirstCommandPrints(t *testing.T) {
	const path = "../../README.md"
	text := page(t, "README.md")
	command := firstCommand.FindStringSubmatch(text)
	if command == nil {
		t.Fatal("the README's first command is not convene")
	}
	given := check.Get(os.ReadFile(filepath.Join("../..", command[2])))(t)
	before, _ := os.Getwd()
	t.Chdir(t.TempDir())
	check.OK(t, os.MkdirAll(filepath.Dir(command[2]), 0o755))
	check.OK(t, os.WriteFile(command[2], given, 0o644))
	p := &reader{T: t, state: t.TempDir(), at: time.Date(2026, 11, 21, 20, 5, 0, 0, time.UTC),
		chance: rand.NewChaCha8([32]byte{1})}
	_, end, _ := strings.Cut(p.do(command[1]), "\nRehearsed")
	votes := lastVote.FindAllStringSubmatch(p.do("council show"), -1)
	if end == "" || votes == nil {
		t.Fatal("nothing was rehearsed")
	}
	vote := votes[len(votes)-1]
	quoted := "> **" + vote[1] + "**\n>\n> " + strings.ReplaceAll(strings.TrimSpace(vote[2]), "\n", "\n> ") + "\n>\n" +
		wrapped(vote[3]) + "\n"
	got := ending.ReplaceAllLiteralString(text, "```text\nRehearsed"+end+"```")
	got = aVote.ReplaceAllLiteralString(got, quoted)
	if *rewriteHandbook {
		t.Chdir(before)
		check.OK(t, os.WriteFile(path, []byte(got), 0o644))
	} else if diff := cmp.Diff(text, got); diff != "" {
		t.Errorf("-README.md +what is printed (-rewrite-handbook writes it again):\n%s", diff)
	}
}

// wrapped returns a quotation, in lines.
func wrapped(text string) string {
	var b strings.Builder
	line := ">"
	for word := range strings.FieldsSeq(text) {
		if len(line)+1+len(word) > 120 {
			b.WriteString(line + "\n")
			line = ">"
		}
		line += " " + word
	}
	return b.String() + line + "\n"
}
