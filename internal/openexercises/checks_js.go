package openexercises

import (
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
)

// In a page nothing ends what runs for ever but itself: so calls of Step stand in the
// loops of a reader's functions, and of Call where these begin.

const (
	most    = 300_000_000 // steps: a hundred times what the heaviest right answer of the book takes
	tooDeep = 1000        // calls within one another: a page's stack is a small one
)

var steps, calls int

// Step counts a turn of a loop.
func Step() {
	if steps++; steps > most {
		die(fmt.Sprintf("panic: %s%d steps", noEnd, most))
	}
}

// noEnd begins what Step dies of.
const noEnd = "no end after "

// Call counts a call.
func Call() {
	Step()
	if calls++; calls%(tooDeep/4) == 0 && runtime.Callers(tooDeep, make([]uintptr, 1)) > 0 {
		die("fatal error: stack overflow")
	}
}

// die ends the process as a panic does that nobody can recover.
func die(of string) {
	print(of, "\n\n", string(debug.Stack()))
	os.Exit(2)
}
