//go:build linux

package main

import (
	"os"
	"syscall"
)

// forward hands on what this process is told, but for what the kernel and Go's
// runtime tell it about itself.
func forward(signals <-chan os.Signal, program int) {
	for s := range signals {
		if s != syscall.SIGCHLD && s != syscall.SIGURG {
			syscall.Kill(program, s.(syscall.Signal))
		}
	}
}

// reap waits for every process that has lost its parent: that is what the
// kernel expects of process 1, and until it is done each keeps its number. It
// returns how the program has ended.
func reap(program int) int {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case err == syscall.EINTR || err == nil && pid != program:
		case err != nil:
			return 255
		case status.Signaled():
			return 128 + int(status.Signal())
		default:
			return status.ExitStatus()
		}
	}
}
