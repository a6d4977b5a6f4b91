package command

import (
	"os/exec"
	"syscall"
)

// separate starts a program in a process group of its own. It dies with us: nobody would read what it is paid for.
func separate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
