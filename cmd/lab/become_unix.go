//go:build unix

package main

import (
	"os"
	"syscall"
)

// become makes this process another program: a signal to it is that program's.
func become(path string, arguments []string) error {
	return syscall.Exec(path, arguments, os.Environ())
}
