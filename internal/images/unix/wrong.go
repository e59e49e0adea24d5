package unix

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// wrong returns err in an operating system's words.
func (f *Files) wrong(op, name string, err error) error {
	var number syscall.Errno
	switch {
	case err == nil:
		return nil
	case errors.As(err, &number):
		err = number
	case os.IsNotExist(err):
		err = syscall.ENOENT
	case os.IsExist(err):
		err = syscall.EEXIST
	case os.IsPermission(err):
		err = syscall.EPERM
	}
	m := f.mounted(Abs("/", name))
	if m != nil && !errors.As(err, &number) {
		err = syscall.EPERM // it leads out of the mount, since a moment ago
	}
	if err == syscall.EPERM && (m == nil && f.sealed || m != nil && m.readOnly) {
		err = syscall.EROFS
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
