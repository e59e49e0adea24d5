package kubetest

import (
	"runtime"
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
