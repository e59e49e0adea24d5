package kubetest

import (
	"runtime"
	"sync"
)

// Waits reports whether f waits for a lock that another has. A lock that was left
// out is seldom missed when two run at once, and always while it is held.
func Waits(lock sync.Locker, f func()) bool {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // so that each has its turn
	lock.Lock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	waits := true
	for range 1000 {
		runtime.Gosched()
		select {
		case <-done:
			waits = false
		default:
		}
	}
	lock.Unlock()
	<-done
	return waits
}
