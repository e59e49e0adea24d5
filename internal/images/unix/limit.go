package unix

import (
	"io"
	"io/fs"
	"syscall"

	"github.com/spf13/afero"
)

// MaxFile is how long a file can become.
const MaxFile = 16 << 20

// limited is a file that does not grow for ever.
type limited struct{ afero.File }

// Write implements io.Writer.
func (l limited) Write(p []byte) (int, error) {
	info, err := l.Stat()
	if err == nil && info.Size()+int64(len(p)) > MaxFile {
		return 0, &fs.PathError{Op: "write", Path: l.Name(), Err: syscall.ENOSPC}
	}
	return l.File.Write(p)
}

// WriteString implements io.StringWriter.
func (l limited) WriteString(s string) (int, error) { return l.Write([]byte(s)) }

// ReadFrom implements io.ReaderFrom.
func (l limited) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{l}, r)
}
