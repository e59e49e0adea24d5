package servers

import "syscall"

func dieWithParent() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}

// endGroup ends the processes that a program has left behind.
func endGroup(id int) { _ = syscall.Kill(-id, syscall.SIGKILL) } // mostly there are none
