package kubetest

import (
	"runtime"
	"sync"
)

// Waits reports whether f waits for a lock that is held elsewhere. Two runs at
// once seldom show that a lock was left out; a lock that is held always does.
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
