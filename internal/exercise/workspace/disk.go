package workspace

import (
	"os"
	"path/filepath"

	"reconcile/internal/atomicfile"
)

// A disk writes files so that each is, at any moment, the old one or the new.
// Its owner holds the workspace's lock.
type disk struct {
	scratch string // a folder on the same volume as the files that are written

	// interrupt, where set, is asked after each step; its error ends the work
	// there, as a crash would.
	interrupt func(step string) error
}

// write puts a whole file in the place of the old one.
func (d disk) write(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	mode := os.FileMode(0o644)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	temporary := filepath.Join(d.scratch, "write")
	defer os.Remove(temporary) // gone already when all is well
	if err := atomicfile.Prepare(temporary, text, mode); err != nil {
		return err
	}
	if err := d.after("prepare " + path); err != nil {
		return err
	}
	if err := atomicfile.Place(temporary, path); err != nil {
		return err
	}
	return d.after("write " + path)
}

func (d disk) remove(path string) error {
	if err := os.Remove(path); err != nil && !os.IsNotExist(err) {
		return err
	}
	return d.after("remove " + path)
}

func (d disk) after(step string) error {
	if d.interrupt == nil {
		return nil
	}
	return d.interrupt(step)
}
