// Package diskcache keeps results that took time to find, in a folder, until nobody
// has asked for them in a month.
package diskcache

import (
	"errors"
	"os"
	"path/filepath"
	"time"
)

// Cache is a folder with a file, or a folder, for each entry. Several processes
// may use it at once.
type Cache struct{ dir string }

// Span is how long an entry stays that nobody asks for.
const Span = 30 * 24 * time.Hour

// Open returns the cache in a folder, which it makes if it is not there.
func Open(dir string) (*Cache, error) {
	return &Cache{dir}, os.MkdirAll(dir, 0o755)
}

// Path returns where something of that name is, or would be.
func (c *Cache) Path(name string) string { return filepath.Join(c.dir, name) }

// Has reports whether an entry is there, and keeps it for another month.
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

// Add adds an entry: all of the text or, with an error, nothing.
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

// ForgetOld removes entries that nobody has asked for in Span. Old entries do
// no harm, so errors are ignored.
func (c *Cache) ForgetOld() {
	entries, _ := os.ReadDir(c.dir)
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > Span {
			_ = os.RemoveAll(c.Path(entry.Name()))
		}
	}
}
