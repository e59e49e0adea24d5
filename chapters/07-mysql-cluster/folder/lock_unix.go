//go:build unix

package folder

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a file for as long as it is open.
func lock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return ErrLocked
	}
	return err
}
