package build

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// errLocked is returned by tryLock where another process holds the lock.
var errLocked = errors.New("locked")

// lock makes sure that one bookgen at a time writes the site. The system gives
// the lock back when its holder dies, however it dies; the file stays.
func lock(o Options) (unlock func(), err error) {
	path, err := lockFile(o)
	if err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := tryLock(f); err != nil {
		f.Close()
		if errors.Is(err, errLocked) {
			return nil, fmt.Errorf("another bookgen is writing %s: wait for it, or stop it", o.Site())
		}
		return nil, fmt.Errorf("lock %s: %w", path, err)
	}
	return func() { f.Close() }, nil
}

// lockFile is outside of the book, so that no git status shows it.
func lockFile(o Options) (string, error) {
	site, err := filepath.Abs(o.Site())
	if err != nil {
		return "", err
	}
	dir := o.Cache
	if dir == "" {
		dir = os.TempDir()
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return filepath.Join(dir, fmt.Sprintf("site-%x.lock", sha256.Sum256([]byte(site)))), nil
}
