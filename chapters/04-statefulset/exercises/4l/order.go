// Package order judges what a controller has done: whether it created the Pods
// of a set in order.
package order

// Event is something that happened to one of a set's Pods.
type Event struct {
	Ordinal int
	Is      State
}

// State is what a Pod became by an event.
type State int

const (
	Made        State = iota // it was created
	Ready                    // it became ready
	NotReady                 // it is no longer ready
	Terminating              // it was told to end, and its process still runs
	Ended                    // its process has exited, and it is still in the store
	Gone                     // it is no longer in the store
)

// Broken returns the index of the first event that breaks the order, or -1: a Pod
// was made although one of a lower ordinal did not exist, was not ready, or was
// terminating.
//
//book:exercise 4l
func Broken(history []Event) int {
	works := map[int]bool{} // the ordinals whose Pods are ready
	for i, event := range history {
		if event.Is == Made {
			for lower := range event.Ordinal {
				if !works[lower] {
					return i
				}
			}
		}
		works[event.Ordinal] = event.Is == Ready
	}
	return -1
}
