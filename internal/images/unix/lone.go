package unix

import (
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/spf13/afero"
)

// lone is a file system that is one open file, whatever has become of its name.
type lone struct{ file *os.File }

func (l lone) is(name string) error {
	if in(name) != "." {
		return syscall.ENOTDIR
	}
	return nil
}

// Name implements afero.Fs.
func (lone) Name() string { return "mount" }

// Create implements afero.Fs.
func (l lone) Create(name string) (afero.File, error) {
	return l.OpenFile(name, os.O_RDWR|os.O_TRUNC, 0)
}

// Open implements afero.Fs.
func (l lone) Open(name string) (afero.File, error) {
	return l.OpenFile(name, os.O_RDONLY, 0)
}

// OpenFile implements afero.Fs.
func (l lone) OpenFile(name string, flag int, _ fs.FileMode) (afero.File, error) {
	if err := l.is(name); err != nil {
		return nil, err
	}
	if flag&os.O_TRUNC != 0 {
		if err := l.file.Truncate(0); err != nil {
			return nil, err
		}
	}
	return &reader{File: l.file, appends: flag&os.O_APPEND != 0}, nil
}

// Mkdir implements afero.Fs.
func (lone) Mkdir(string, fs.FileMode) error { return syscall.ENOTDIR }

// MkdirAll implements afero.Fs.
func (lone) MkdirAll(string, fs.FileMode) error { return syscall.ENOTDIR }

// Remove implements afero.Fs.
func (lone) Remove(string) error { return syscall.EBUSY }

// RemoveAll implements afero.Fs.
func (lone) RemoveAll(string) error { return syscall.EBUSY }

// Rename implements afero.Fs.
func (lone) Rename(string, string) error { return syscall.EBUSY }

// Stat implements afero.Fs.
func (l lone) Stat(name string) (fs.FileInfo, error) {
	if err := l.is(name); err != nil {
		return nil, err
	}
	return past(l.file.Stat())
}

// Chmod implements afero.Fs.
func (l lone) Chmod(_ string, mode fs.FileMode) error { return l.file.Chmod(mode) }

// Chown implements afero.Fs.
func (lone) Chown(string, int, int) error { return nil }

// Chtimes implements afero.Fs. An open file cannot be told its time.
func (lone) Chtimes(string, time.Time, time.Time) error { return nil }

// reader reads and writes a file that others read and write at other places.
type reader struct {
	*os.File
	at      int64
	appends bool
}

// Name implements afero.File.
func (r *reader) Name() string { return "." }

// Stat implements afero.File.
func (r *reader) Stat() (fs.FileInfo, error) { return past(r.File.Stat()) }

// Read implements io.Reader.
func (r *reader) Read(p []byte) (int, error) {
	n, err := r.ReadAt(p, r.at)
	r.at += int64(n)
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

// Write implements io.Writer.
func (r *reader) Write(p []byte) (int, error) {
	if r.appends {
		info, err := r.File.Stat()
		if err != nil {
			return 0, err
		}
		r.at = info.Size()
	}
	n, err := r.WriteAt(p, r.at)
	r.at += int64(n)
	return n, err
}

// WriteString implements io.StringWriter.
func (r *reader) WriteString(s string) (int, error) { return r.Write([]byte(s)) }

// Seek implements io.Seeker.
func (r *reader) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += r.at
	case io.SeekEnd:
		info, err := r.File.Stat()
		if err != nil {
			return 0, err
		}
		offset += info.Size()
	}
	r.at = offset
	return offset, nil
}

// Close implements io.Closer. The file stays open for others.
func (r *reader) Close() error { return nil }
