package kubetest

import (
	"syscall"
	"time"
)

// cpuTime returns what this process has used.
func cpuTime() time.Duration {
	self, err := syscall.GetCurrentProcess()
	if err != nil {
		panic(err)
	}
	var began, ended, system, user syscall.Filetime
	if err := syscall.GetProcessTimes(self, &began, &ended, &system, &user); err != nil {
		panic(err)
	}
	return ticks(system) + ticks(user)
}

// ticks are of 100 ns; Filetime has a method for points in time, which counts
// from another year.
func ticks(t syscall.Filetime) time.Duration {
	return time.Duration(int64(t.HighDateTime)<<32|int64(t.LowDateTime)) * 100
}
