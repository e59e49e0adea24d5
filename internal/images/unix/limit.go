package unix

import (
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"

	"github.com/spf13/afero"
)

// MaxDisk is how many bytes a container can have in its own files, and in each
// of its mounts. An entry of a directory takes a block, in what Disks says.
const (
	MaxDisk = 64 << 20
	block   = 4 << 10
)

// disk has files up to a size.
type disk struct {
	afero.Fs
	mu    sync.Mutex
	taken int64 // at most: what has gone since may have been as much
}

// reserve reserves bytes that are about to be written.
func (d *disk) reserve(bytes int64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.taken+bytes > MaxDisk {
		d.taken = d.used()
	}
	if d.taken+bytes > MaxDisk {
		return syscall.ENOSPC
	}
	d.taken += bytes
	return nil
}

// Disk is one of the disks that a container sees.
type Disk struct {
	Name, Path string
	Used       int64
}

// Disks returns the container's own, and then those that are mounted.
func (f *Files) Disks() []Disk {
	all := []Disk{{"overlay", "/", f.layerSize()}}
	for _, m := range f.mounts {
		all = append(all, Disk{"/dev/sda1", m.path, m.files.used()})
	}
	return all
}

// layerSize returns how many bytes the container has written over its image.
func (f *Files) layerSize() int64 { return (&disk{Fs: f.layer}).used() }

func (d *disk) used() (bytes int64) {
	afero.Walk(d.Fs, "/", func(_ string, info os.FileInfo, err error) error {
		if err == nil && !info.IsDir() {
			bytes += info.Size()
		}
		bytes += block
		return nil
	})
	return bytes
}

// written is a file on a disk of limited size.
type written struct {
	afero.File
	disk *disk
}

// Write implements io.Writer. A write that does not fit is refused whole.
func (w written) Write(p []byte) (int, error) {
	if err := w.disk.reserve(int64(len(p))); err != nil {
		return 0, &fs.PathError{Op: "write", Path: w.Name(), Err: err}
	}
	return w.File.Write(p)
}

// WriteString implements io.StringWriter.
func (w written) WriteString(s string) (int, error) { return w.Write([]byte(s)) }

// ReadFrom implements io.ReaderFrom.
func (w written) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{w}, r)
}
