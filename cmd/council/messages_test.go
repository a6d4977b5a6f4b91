package main

import (
	"bytes"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/council-engine/council/cmd/council/cli"
)

// full is a device without space.
type full struct{}

func (full) Write([]byte) (int, error) {
	return 0, &os.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}
}

// Commands whose output went to a full device ended with 0, and without a word.
func TestOutputThatCannotBeWrittenIsSaid(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, command := range []string{"version", "councils list", "schema config", "--help",
		"convene x --model rehearsal --output none --quiet", "sessions"} {
		var errs bytes.Buffer
		a := testOnlyApp(nil, &errs)
		a.Out = full{}
		code := runLine(a, t.Context(), strings.Fields(command))
		if code != cli.ExitError || !strings.Contains(errs.String(),
			"could not be written to standard output: no space left on device\n") {
			t.Errorf("%s: exit code %d\n%s", command, code, &errs)
		}
		if strings.Contains(errs.String(), "Free some space") {
			t.Errorf("%s: the hint is for a full record:\n%s", command, &errs)
		}
	}
}
