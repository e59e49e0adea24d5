package unix

import (
	"io"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/spf13/afero"
)

// singleFileFS is a file system that consists of one open file, also after the file
// was renamed or removed.
type singleFileFS struct{ file *os.File }

func (s singleFileFS) is(name string) error {
	if in(name) != "." {
		return syscall.ENOTDIR
	}
	return nil
}

// Name implements afero.Fs.
func (singleFileFS) Name() string { return "mount" }

// Create implements afero.Fs.
func (s singleFileFS) Create(name string) (afero.File, error) {
	return s.OpenFile(name, os.O_RDWR|os.O_TRUNC, 0)
}

// Open implements afero.Fs.
func (s singleFileFS) Open(name string) (afero.File, error) {
	return s.OpenFile(name, os.O_RDONLY, 0)
}

// OpenFile implements afero.Fs.
func (s singleFileFS) OpenFile(name string, flag int, _ fs.FileMode) (afero.File, error) {
	if err := s.is(name); err != nil {
		return nil, err
	}
	if flag&os.O_TRUNC != 0 {
		if err := s.file.Truncate(0); err != nil {
			return nil, err
		}
	}
	return &reader{File: s.file, appends: flag&os.O_APPEND != 0}, nil
}

// Mkdir implements afero.Fs.
func (singleFileFS) Mkdir(string, fs.FileMode) error { return syscall.ENOTDIR }

// MkdirAll implements afero.Fs.
func (singleFileFS) MkdirAll(string, fs.FileMode) error { return syscall.ENOTDIR }

// Remove implements afero.Fs.
func (singleFileFS) Remove(string) error { return syscall.EBUSY }

// RemoveAll implements afero.Fs.
func (singleFileFS) RemoveAll(string) error { return syscall.EBUSY }

// Rename implements afero.Fs.
func (singleFileFS) Rename(string, string) error { return syscall.EBUSY }

// Stat implements afero.Fs.
func (s singleFileFS) Stat(name string) (fs.FileInfo, error) {
	if err := s.is(name); err != nil {
		return nil, err
	}
	return past(s.file.Stat())
}

// Chmod implements afero.Fs.
func (s singleFileFS) Chmod(_ string, mode fs.FileMode) error { return s.file.Chmod(mode) }

// Chown implements afero.Fs.
func (singleFileFS) Chown(string, int, int) error { return nil }

// Chtimes implements afero.Fs. An open file cannot be told its time.
func (singleFileFS) Chtimes(string, time.Time, time.Time) error { return nil }

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
