//go:build unix

package folder

import (
	"errors"
	"io"
	"os"
	"syscall"
)

// lock locks a file for as long as it is open.
func lock(file *os.File) (io.Closer, error) {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return nil, ErrLocked
	}
	return file, err
}
