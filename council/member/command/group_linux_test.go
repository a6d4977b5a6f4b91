package command

import (
	"os"
	"os/exec"
	"testing"

	"github.com/council-engine/council/internal/counciltest"
)

func TestAProgramDiesWithUsHoweverWeEnd(t *testing.T) {
	d := counciltest.OpenDoor(t)
	us := exec.Command(os.Args[0], "as", "council", d.Path)
	us.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	if err := us.Start(); err != nil {
		t.Fatal(err)
	}
	program := d.Enter(t)
	if err := us.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	us.Wait()
	counciltest.Gone(t, program)
}
