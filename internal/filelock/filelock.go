// Package filelock keeps two processes from using the same files at once. The
// system gives a lock back when its process ends, however it ends.
package filelock

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ErrLocked says that another process has the lock.
var ErrLocked = errors.New("locked")

// A HeldError says which process has the lock.
type HeldError struct {
	Path string
	PID  int // 0: not known
}

// Error implements error.
func (e *HeldError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("%s is locked by another process", e.Path)
	}
	return fmt.Sprintf("%s is locked by process %d", e.Path, e.PID)
}

// Unwrap makes a HeldError an ErrLocked.
func (e *HeldError) Unwrap() error { return ErrLocked }

// Hold takes the lock for as long as this process lives or until release, which
// removes the file. Its error is a *HeldError when another process has it.
func Hold(path string) (release func(), err error) {
	unlock, err := TryLock(path)
	if errors.Is(err, ErrLocked) {
		return nil, &HeldError{path, Holder(path)}
	}
	if err != nil {
		return nil, err
	}
	// Write it for a process that finds it locked. On a system like Windows,
	// where a locked file cannot be written, the process does not learn it.
	_ = os.WriteFile(path, fmt.Appendln(nil, pid()), 0o644)
	return func() {
		os.Remove(path) // before unlocking, so that the file removed is ours
		unlock()
	}, nil
}

// PIDVariable is a variable of the environment: the number by which its user
// knows this process, if it has another one in a namespace of its own.
const PIDVariable = "RECONCILE_PID"

func pid() int {
	if number, err := strconv.Atoi(os.Getenv(PIDVariable)); err == nil {
		return number
	}
	return os.Getpid()
}

// Holder returns the process that wrote its number into a lock file, or 0. It
// may have ended since.
func Holder(path string) int {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0
	}
	return pid
}
