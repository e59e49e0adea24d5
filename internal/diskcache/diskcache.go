// Package diskcache keeps in a folder what was found out at some cost, until nothing
// has asked for it in a month.
package diskcache

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// Cache is a folder with a file for each thing that is known, or with a folder.
// Several processes may use it at once.
type Cache struct{ dir string }

// Span is how long something is known that is not asked for.
const Span = 30 * 24 * time.Hour

// Open returns the cache in a folder, which it makes if it is not there.
func Open(dir string) (*Cache, error) {
	return &Cache{dir}, os.MkdirAll(dir, 0o755)
}

// Path returns where something of that name is, or would be.
func (c *Cache) Path(name string) string { return filepath.Join(c.dir, name) }

// Has reports whether something is known. It will be, for another month.
func (c *Cache) Has(name string) bool {
	now := time.Now()
	return os.Chtimes(c.Path(name), now, now) == nil
}

// Get returns what is known by that name.
func (c *Cache) Get(name string) (text []byte, known bool) {
	if !c.Has(name) {
		return nil, false
	}
	text, err := os.ReadFile(c.Path(name))
	return text, err == nil
}

// Add remembers a text: all of it or, with an error, none.
func (c *Cache) Add(name string, text []byte) error {
	file, err := os.CreateTemp(c.dir, name+"-*")
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), c.Path(name))
	}
	if err != nil {
		os.Remove(file.Name())
	}
	return err
}

// ForgetOld removes what was not asked for in a long time. To remember too much
// does no harm, so errors are ignored.
func (c *Cache) ForgetOld() {
	entries, _ := os.ReadDir(c.dir)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > Span {
			_ = os.RemoveAll(c.Path(entry.Name()))
		}
	}
}
