//go:build unix

package workspace

import (
	"os/exec"
	"syscall"
)

// endTogether makes a command's children end with it when its context does. The
// go tool leaves that to the terminal, which does not know of a new save.
func endTogether(command *exec.Cmd) {
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGINT) }
}
