package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
	"github.com/council-engine/council/cmd/council/session"
	"github.com/council-engine/council/internal/check"
)

// TestEditor_AnEditorIsGivenTheTerminalItself: its output once went through a pipe, on which no editor can draw.
func TestEditor_AnEditorIsGivenTheTerminalItself(t *testing.T) {
	dir := t.TempDir()
	screen := check.Get(os.Create(filepath.Join(dir, "screen")))(t)
	defer screen.Close()
	program := filepath.Join(dir, "edit.sh")
	check.OK(t,
		os.WriteFile(program, []byte(`streams=$(readlink /proc/$$/fd/1 /proc/$$/fd/2); echo "$streams" >"$1"`+"\n"), 0o600))
	a := testOnlyApp(&bytes.Buffer{}, &bytes.Buffer{})
	a.Out, a.Errs = &cli.Output{Writer: screen}, &cli.Output{Writer: screen}
	a.Getenv = func(name string) string { return map[string]string{"EDITOR": "sh " + program}[name] }
	streams, err := session.NewDialogue(a).Edit(t.Context(), "")
	if want := screen.Name() + "\n" + screen.Name() + "\n"; err != nil || streams != want {
		t.Errorf("the editor writes to %q, %v", streams, err)
	}
}
