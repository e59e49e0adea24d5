// Package wastebasket is a Backend of one's own in chapter 5's seam: a disk that
// is thrown away can be taken out again for a while.
package wastebasket

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	storage "reconcile/chapters/05-storage"
)

// Basket keeps disks as storage.Folders does, below a root. A disk
// that is removed from volumes/ lies in trash/, under its name and the
// time, for as long as Keep.
type Basket struct {
	Root string
	Keep time.Duration
}

// Make implements storage.Backend.
func (b Basket) Make(disk string) error { return storage.Folders(b.Root).Make(disk) }

// Remove implements storage.Backend: it moves a disk into the basket, and empties
// that of disks that have been in it for long enough.
//
//book:exercise 5g
func (b Basket) Remove(disk string) error {
	if disk == "." || !filepath.IsLocal(disk) || strings.ContainsAny(disk, `/\`) {
		return fmt.Errorf("%q is not the name of a disk", disk)
	}
	root, err := os.OpenRoot(b.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := root.MkdirAll("trash", 0o755); err != nil {
		return err
	}
	if err := b.empty(root); err != nil {
		return err
	}
	err = root.Rename(path.Join("volumes", disk), path.Join("trash", nameNow(disk)))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was thrown away before
	}
	return err
}

// empty removes for good the disks that have been in the basket for longer than
// Keep. A name without a time was not put there by us.
//
//book:exercise 5g
func (b Basket) empty(root *os.Root) error {
	entries, err := fs.ReadDir(root.FS(), "trash")
	if err != nil {
		return err
	}
	for _, entry := range entries {
		thrown, ok := timeOf(entry.Name())
		if !ok || time.Since(thrown) <= b.Keep {
			continue
		}
		if err := root.RemoveAll(path.Join("trash", entry.Name())); err != nil {
			return err
		}
	}
	return nil
}

const stamp = "20060102T150405.000000000Z"

// nameNow returns the name in the basket of a disk that is thrown away now.
func nameNow(disk string) string {
	return time.Now().UTC().Format(stamp) + "-" + disk
}

// timeOf returns when a disk of such a name was thrown away.
func timeOf(name string) (time.Time, bool) {
	at, _, ok := strings.Cut(name, "-")
	thrown, err := time.Parse(stamp, at)
	return thrown, ok && err == nil
}
