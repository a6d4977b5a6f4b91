//go:build unix

package councils

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// Who opens a pipe that nobody writes to waits for ever.
func TestAPipeIsNotOpened(t *testing.T) {
	p := kept(t, map[string]string{"a.json": ""}, nil)
	if err := syscall.Mkfifo(filepath.Join(p.folders()[0], "naming.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Find("naming"); err == nil || !strings.Contains(err.Error(), "naming.json cannot be read: it is no file") {
		t.Error(err)
	}
}
