// Package atomicfile writes files of which every reader sees the old version or
// the new one, and never half of one, whatever ends the process.
package atomicfile

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Write puts a whole file in the place of another. On the way it writes
// temporary, a path on the same volume that no other process may use meanwhile:
// the caller holds a lock.
func Write(path, temporary string, text []byte, mode fs.FileMode) error {
	if err := Prepare(temporary, text, mode); err != nil {
		return err
	}
	return Place(temporary, path)
}

// Prepare returns when the file is on the disk, whole. Half a file is of
// no use, and is removed.
func Prepare(path string, text []byte, mode fs.FileMode) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = file.Write(text)
	if err == nil {
		err = file.Chmod(mode) // no matter which mode the umask, or a file left behind, gave it
	}
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

// Place gives a prepared file its name.
func Place(temporary, path string) error {
	if err := os.Rename(temporary, path); err != nil {
		os.Remove(temporary)
		return err
	}
	return syncFolder(filepath.Dir(path))
}
