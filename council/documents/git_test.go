package documents

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/council-engine/council/internal/check"
)

// A writer that is a buffer besides is filled by its ReadFrom, past every limit: git's complaints were kept whole.
func TestGit_OutputIsLimited(t *testing.T) {
	more := false
	kept := &head{left: 10, more: func() { more = true }}
	check.Get(io.Copy(kept, strings.NewReader(strings.Repeat("words ", 1000))))(t)
	if kept.text.Len() != 10 || !kept.cut || !more {
		t.Errorf("%d bytes are kept, cut %v, told %v", kept.text.Len(), kept.cut, more)
	}
}

func FuzzNormalise(f *testing.F) {
	for _, seed := range []string{"", "a\r\nb", "\ufeffx", "\ufeff\ufeff", "\x00", "\xff\xfe", "caf\xe9", "\r\r\n\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		text, r := normalise(raw)
		if r != nil {
			if text != "" || r.Problem == "" || r.Advice == "" {
				t.Fatalf("refused as %+v with the text %q", r, text)
			}
			return
		}
		if !utf8.ValidString(text) || strings.ContainsRune(text, 0) ||
			strings.Contains(text, "\r\n") && !strings.Contains(string(raw), "\r\r\n") {
			t.Fatalf("%q became %q", raw, text)
		}
		if lines := bytes.Count(raw, []byte("\n")); strings.Count(text, "\n") != lines {
			t.Fatalf("%d lines became %d: members quote by line", lines, strings.Count(text, "\n"))
		}
	})
}
