package render

import (
	"bytes"
	"strings"
	"testing"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// The document says who approved it, and keeps the words that were approved: the sum in its front block is theirs. An
// event that it names in brackets leads to where it is explained.
func TestDocument_NamesItsApproval(t *testing.T) {
	files := check.Get(Artifacts(approved().log))(t)
	text := string(files[FileApproved])
	front, rest, _ := strings.Cut(text, "\n---\n\n")
	words, cited, _ := strings.Cut(rest, "\n## Events cited\n")
	for _, line := range []string{
		"date: 2026-02-28", "approval: approved", "vote: {yes: 2, no: 1, abstain: 0, invalid: 0, absent: 0}",
		"sha256: " + council.Digest(words),
		`  - {id: "ada", name: "Ada Lovelace", role: "architect", model: "anthropic/m-1", answered: "model-of-ada"}`,
	} {
		if !strings.Contains(front, "\n"+line+"\n") {
			t.Errorf("the front block does not say %q:\n%s", line, front)
		}
	}
	check.Is(t, "it holds", string(files["documentation.draft.v2.md"]), words)
	for _, line := range []string{
		"- e12: contribution made by Ada Lovelace, phase explore, round 1",
		"- e34: motion made by Ada Lovelace, phase decide, round 1",
	} {
		if !strings.Contains(cited, "\n"+line+"\n") {
			t.Errorf("it does not explain %q:\n%s", line, cited)
		}
	}
	check.NeverSays(t, cited, "e99")
	html := rendered(t, text)
	check.Says(t, html, `<a href="#events-cited">e34</a>`, `<h2 id="events-cited">`, "[e99]")
}

// A front block is inert, even where a reader of Markdown takes it for text.
func TestDocument_FrontBlockIsInert(t *testing.T) {
	for _, words := range forgeries {
		s := everywhere("words", "Title")
		started := s.log[0].Payload.(council.SessionStarted)
		started.Charter.CouncilName = words
		started.Charter.Members[0].Name, started.Charter.Members[0].Role = words, words
		s.log[0].Payload = started
		files := check.Get(Artifacts(s.log))(t)
		text := string(files[FileUnapproved])
		if _, body, _ := strings.Cut(text, "\n---\n\n"); body != "words\n" {
			t.Errorf("named %.40q, the document is %.200q", words, body)
		}
		for _, active := range []string{"<img", "<script", "<details", `<a href="evil.md"`, "<table", "<code"} {
			if strings.Contains(rendered(t, text), active) {
				t.Errorf("named %.40q, it has %s", words, active)
			}
		}
	}
}

func rendered(t *testing.T, markdown string) string {
	t.Helper()
	var html bytes.Buffer
	reader := goldmark.New(goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	check.OK(t, reader.Convert([]byte(markdown), &html))
	return html.String()
}
