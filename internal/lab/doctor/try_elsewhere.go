//go:build !linux

package doctor

import "runtime"

// This is the machine that we are on.
func This(runtimeName string, _ ...string) Machine {
	return Machine{OS: runtime.GOOS, Runtime: runtimeName}
}

// Inside has nothing to do: there are no rooms.
func Inside() {}
