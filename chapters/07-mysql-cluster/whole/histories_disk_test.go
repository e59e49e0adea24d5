package whole_test

import (
	"io/fs"
	"os"
	"sync"

	"reconcile/chapters/07-mysql-cluster/folder"
)

// tornDisk is a data directory whose server, or whoever else writes there, is
// killed after so many bytes more.
type tornDisk struct {
	folder.Folder
	kill func()

	mu   sync.Mutex
	left int // bytes; -1: as many as there are
	dead bool
}

func (d *tornDisk) tear(after int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.left = after
}

// take is how many of n bytes are written before the kill comes.
func (d *tornDisk) take(n int) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case d.dead:
		return 0, os.ErrClosed
	case d.left < 0:
		return n, nil
	case d.left >= n:
		d.left -= n
		return n, nil
	}
	d.dead = true
	d.kill()
	return d.left, os.ErrClosed
}

// step is an operation that is done, or is not.
func (d *tornDisk) step(f func() error) error {
	if _, err := d.take(1); err != nil {
		return err
	}
	return f()
}

func (d *tornDisk) Rename(from, to string) error {
	return d.step(func() error { return d.Folder.Rename(from, to) })
}

func (d *tornDisk) Remove(name string) error {
	return d.step(func() error { return d.Folder.Remove(name) })
}

func (d *tornDisk) Mkdir(name string) error {
	return d.step(func() error { return d.Folder.Mkdir(name) })
}

func (d *tornDisk) ReadDir(name string) ([]fs.DirEntry, error) { return d.Folder.ReadDir(name) }

func (d *tornDisk) Open(name string, flag int) (folder.File, error) {
	if flag&(os.O_CREATE|os.O_TRUNC) != 0 {
		if _, err := d.take(1); err != nil {
			return nil, err
		}
	}
	file, err := d.Folder.Open(name, flag)
	if err != nil {
		return nil, err
	}
	return &tornFile{file, d}, nil
}

type tornFile struct {
	folder.File
	disk *tornDisk
}

func (f *tornFile) Write(p []byte) (int, error) {
	n, err := f.disk.take(len(p))
	if err == nil {
		return f.File.Write(p)
	}
	if n > 0 {
		f.File.Write(p[:n])
	}
	return n, err
}

func (f *tornFile) Truncate(size int64) error {
	return f.disk.step(func() error { return f.File.Truncate(size) })
}
