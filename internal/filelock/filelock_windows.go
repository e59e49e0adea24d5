package filelock

import (
	"errors"
	"os"
	"syscall"
)

// sharingViolation is the error of opening a file that another process has
// opened for itself alone.
const sharingViolation = syscall.Errno(32)

// TryLock takes the lock file, or returns ErrLocked.
func TryLock(path string) (release func(), err error) {
	name, err := syscall.UTF16PtrFromString(path)
	if err != nil {
		return nil, err
	}
	const shareWithNobody = 0
	handle, err := syscall.CreateFile(name, syscall.GENERIC_READ|syscall.GENERIC_WRITE, shareWithNobody,
		nil, syscall.OPEN_ALWAYS, syscall.FILE_ATTRIBUTE_NORMAL, 0)
	switch {
	case err == nil:
		return func() { syscall.CloseHandle(handle) }, nil
	case errors.Is(err, sharingViolation):
		return nil, ErrLocked
	}
	return nil, &os.PathError{Op: "lock", Path: path, Err: err}
}
