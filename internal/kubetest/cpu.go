package kubetest

import (
	"runtime"
	"syscall"
	"time"
)

// CPU returns the processor's time that f has used, with all that the runtime has
// done meanwhile.
func CPU(f func()) time.Duration {
	runtime.GC()
	before := cpuTime()
	f()
	return cpuTime() - before
}

// cpuTime returns what this process has used.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		panic(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
