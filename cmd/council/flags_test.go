package main

import (
	"fmt"
	"testing"

	"github.com/council-engine/council/cmd/council/session"
	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

func TestTellsWhatIsGivenAndWhatIsNot(t *testing.T) {
	var topic council.Topic
	for i := range 20 {
		topic.Documents = append(topic.Documents, council.NewDocument(fmt.Sprintf("%02d.md", i), "text"))
	}
	topic.Documents = append(topic.Documents, council.NewDocument("prod.env", "K"))
	topic.Skipped = []council.Skipped{
		{Reason: "it is hidden", Count: 1, Files: []council.LeftFile{{Name: ".git"}}},
		{Reason: "there is no room for it: the limit is 1 MiB", Count: 1204, Lines: 9000, Bytes: 50_000},
		{Reason: "it has another topic", Notes: true, Count: 1, Files: []council.LeftFile{{Name: "m/a.md", Bytes: 1}}},
	}
	for i := range 20 {
		name := fmt.Sprintf("b\x1b[2J%02d", i)
		topic.Skipped[1].Files = append(topic.Skipped[1].Files, council.LeftFile{Name: name, Lines: 20 - i})
	}
	got := append(session.ContextWords(topic)[12:], session.LeftWords(topic)...)
	want := []string{
		"Document: prod.env (1 byte). It is named like a file of keys, and members are sent it.",
		"Documents: 8 more (32 bytes).",
		"Left out: m/a.md (1 byte), it has another topic.",
		"Left out: .git, it is hidden.",
		"Left out: b00 (20 lines), b01 (19 lines), b02 (18 lines), b03 (17 lines), b04 (16 lines), b05 (15 lines), " +
			"b06 (14 lines), b07 (13 lines), b08 (12 lines), b09 (11 lines), b10 (10 lines), b11 (9 lines) and 1,192 more, " +
			"in all 9,000 lines, there is no room for it: the limit is 1 MiB.",
		"Members are told the names of these files, not what is in them. Files were taken in the order of their names. " +
			"To choose, name a smaller folder or a pattern: --context 'docs/**/*.md'",
	}
	check.Equal(t, "words", want, got)
}
