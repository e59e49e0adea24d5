package build

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"reconcile/internal/filelock"
)

// ErrBusy says that another bookgen is writing the site.
var ErrBusy = errors.New("another bookgen is writing")

// lock makes sure that one bookgen at a time writes the site.
func lock(o Options) (unlock func(), err error) {
	path, err := lockFile(o)
	if err != nil {
		return nil, err
	}
	unlock, err = filelock.Hold(path)
	if errors.Is(err, filelock.ErrLocked) {
		return nil, fmt.Errorf("%w %s: wait for it, or stop it", ErrBusy, o.Site())
	}
	return unlock, err
}

// lockFile returns a path outside of the book, so that no git status shows it.
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
