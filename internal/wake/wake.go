// Package wake wakes a goroutine that waits for something to look at.
package wake

// Signal is sent where something has happened, and received by the one who waits.
// Sent many times before that, it is received once.
type Signal chan struct{}

// New returns a signal that has not been sent.
func New() Signal { return make(Signal, 1) }

// Send never waits.
func (s Signal) Send() {
	select {
	case s <- struct{}{}:
	default: // it has been sent already
	}
}
