package command

import (
	"os"
	"os/exec"
	"testing"
)

func TestAProgramDiesWithUsHoweverWeEnd(t *testing.T) {
	d := openDoor(t)
	us := exec.Command(os.Args[0], "as", "council", d.path)
	us.Env = append(os.Environ(), "TMPDIR="+t.TempDir())
	if err := us.Start(); err != nil {
		t.Fatal(err)
	}
	program := d.enter(t)
	if err := us.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	us.Wait()
	gone(t, program)
}
