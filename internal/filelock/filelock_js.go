package filelock

import (
	"os"
	"sync"
)

// held has the paths that are locked. A page is one process, with files that no
// other one sees.
var held sync.Map

// TryLock takes the lock file, or returns ErrLocked.
func TryLock(path string) (release func(), err error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	file.Close()
	if _, locked := held.LoadOrStore(path, true); locked {
		return nil, ErrLocked
	}
	return func() { held.Delete(path) }, nil
}
