package documents

import (
	"io"
	"strings"
	"testing"
)

// A writer that is a buffer besides is filled by its ReadFrom, past every limit: git's complaints were kept whole.
func TestGit_OutputIsLimited(t *testing.T) {
	more := false
	kept := &head{left: 10, more: func() { more = true }}
	if _, err := io.Copy(kept, strings.NewReader(strings.Repeat("words ", 1000))); err != nil {
		t.Fatal(err)
	}
	if kept.text.Len() != 10 || !kept.cut || !more {
		t.Errorf("%d bytes are kept, cut %v, told %v", kept.text.Len(), kept.cut, more)
	}
}
