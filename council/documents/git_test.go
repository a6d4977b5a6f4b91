package documents

import (
	"io"
	"strings"
	"testing"

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
