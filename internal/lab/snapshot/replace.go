package snapshot

import (
	"os"
	"path/filepath"
)

// replace puts a whole file in the place of another. What it writes on the way
// is path.tmp: whoever calls it holds the lock of path.
func replace(path string, text []byte) error {
	temporary := path + ".tmp"
	if err := writeThrough(temporary, text); err != nil {
		return err
	}
	if err := os.Rename(temporary, path); err != nil {
		os.Remove(temporary)
		return err
	}
	return syncFolder(filepath.Dir(path))
}

// writeThrough returns when the file is on the disk, whole. Half a file helps
// nobody, and is removed.
func writeThrough(path string, text []byte) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Sync()
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}
