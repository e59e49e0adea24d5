// Package node counts what a node has room for.
package node

// Room returns how many more there may be.
//
//book:exercise 1h
func Room(most, running int) int { return max(0, most-running) }

// full reports whether there is room for none.
func full(most, running int) bool { return Room(most, running) == 0 }
