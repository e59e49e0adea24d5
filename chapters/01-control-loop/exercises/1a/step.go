// Package step is the control loop in its smallest form.
package step

// Step compares how many Pods there should be with how many there are, and says
// what to do now: +1 creates one, -1 deletes one, and 0 is nothing.
//
//book:exercise 1a
func Step(want, have int) int {
	switch {
	case have < want:
		return +1
	case have > want:
		return -1
	}
	return 0
}
