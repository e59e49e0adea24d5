// Package bell wakes a goroutine that waits for something to look at.
package bell

// Bell is rung where something has happened, and heard by the one who receives
// from it. Rung many times before that, it is heard once.
type Bell chan struct{}

// New returns a bell that has not been rung.
func New() Bell { return make(Bell, 1) }

// Ring rings the bell. It never waits.
func (b Bell) Ring() {
	select {
	case b <- struct{}{}:
	default: // it has been rung already
	}
}
