package recorder_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/council"
	"github.com/council-engine/council/internal/check"
)

// A process that is killed when the close is recorded and the transcript is not written anew leaves the minutes of the
// open session. That is no edit of a person's: it is written anew, and nothing is kept aside.
func TestRebuild_ReplacesATranscriptBehindTheClose(t *testing.T) {
	root, path := openRoot(t)
	at := filepath.Join(path, "sessions", "s", "transcript.md")
	rebuilt := func() string {
		t.Helper()
		changed := check.Get(root.Rebuild("s", fixed.Now()))(t)
		for _, c := range changed {
			if c.Kept != "" {
				t.Errorf("%s is kept as %s", c.Name, c.Kept)
			}
		}
		text := check.Get(os.ReadFile(at))(t)
		return string(text)
	}
	note := council.NoteGiven{By: "Grace", Text: "Go on."}
	put(t, path, "s", note)
	open := rebuilt()
	put(t, path, "s", note, council.SessionClosed{})
	whole := rebuilt()
	if !strings.Contains(open, "**In session.**") || strings.Contains(whole, "**In session.**") ||
		!strings.Contains(whole, "## Outcome") {
		t.Fatalf("open:\n%s\nclosed:\n%s", open, whole)
	}
	write(t, at, open[:len(open)-7])
	check.Is(t, "rebuilt", whole, rebuilt())
}
