package kubetest

import "time"

var began = time.Now()

// cpuTime returns more than this process has used: all of it is one thread, and a
// page does not say what that has used.
func cpuTime() time.Duration { return time.Since(began) }
