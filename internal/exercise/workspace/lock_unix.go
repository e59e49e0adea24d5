//go:build unix

package workspace

import (
	"errors"
	"os"
	"syscall"
)

func tryLock(path string) (release func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		return func() { file.Close() }, nil
	}
	file.Close()
	if errors.Is(err, syscall.EWOULDBLOCK) || errors.Is(err, syscall.EINTR) {
		return nil, errLocked
	}
	return nil, &os.PathError{Op: "lock", Path: path, Err: err}
}
