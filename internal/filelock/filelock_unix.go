//go:build unix

package filelock

import (
	"errors"
	"os"
	"syscall"
)

// TryLock takes the lock file, or returns ErrLocked.
func TryLock(path string) (release func(), err error) {
	for {
		file, err := tryLock(path)
		if err != nil {
			return nil, err
		}
		if isAt(file, path) {
			return func() { file.Close() }, nil
		}
		file.Close() // its holder has removed it meanwhile
	}
}

func tryLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return file, nil
	}
	file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return nil, ErrLocked
	}
	return nil, &os.PathError{Op: "lock", Path: path, Err: err}
}

// isAt reports whether path still names file.
func isAt(file *os.File, path string) bool {
	opened, err := file.Stat()
	if err != nil {
		return false
	}
	named, err := os.Stat(path)
	return err == nil && os.SameFile(opened, named)
}
