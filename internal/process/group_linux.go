package process

import (
	"os/exec"
	"syscall"
)

// separate starts a program in a process group of its own. It dies with us.
func separate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
