package command

import (
	"os"
	"os/exec"
	"testing"

	"github.com/council-engine/council/internal/check"
	"github.com/council-engine/council/internal/counciltest"
)

func TestGroup_AProgramDiesWithUsHoweverWeEnd(t *testing.T) {
	d := counciltest.OpenDoor(t)
	us := exec.Command(os.Args[0], "as", "council", d.Path)
	us.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	check.OK(t, us.Start())
	program := d.Enter(t)
	check.OK(t, us.Process.Kill())
	us.Wait()
	counciltest.Gone(t, program)
}
