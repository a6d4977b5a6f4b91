package councils

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/council-engine/council/internal/counciltest"
)

// Who opens a pipe that nobody writes to waits for ever.
func TestAPipeIsNotOpened(t *testing.T) {
	p := kept(t, map[string]string{"a.json": ""}, nil)
	counciltest.Pipe(t, filepath.Join(p.folders()[0], "naming.json"))
	if _, err := p.Find("naming"); err == nil || !strings.Contains(err.Error(), "naming.json cannot be read: it is not a file") {
		t.Error(err)
	}
}
