package unix

import (
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/afero"
)

// MaxFile is how long a file in memory can become.
const MaxFile = 16 << 20

// Files are those that a container sees: its image's, what it wrote over them,
// and what is mounted into it. Its errors are *fs.PathErrors.
type Files struct {
	root   afero.Fs
	mounts []mount
}

type mount struct {
	path  string // in the container
	files afero.Fs
}

// NewFiles returns a layer of its own, which starts with own, over an image's
// files, which stay as they are.
func NewFiles(image afero.Fs, own map[string]string) (*Files, error) {
	layer := afero.NewMemMapFs()
	for name, content := range own {
		if err := afero.WriteFile(layer, name, []byte(content), 0o644); err != nil {
			return nil, err
		}
	}
	root := afero.NewCopyOnWriteFs(afero.NewReadOnlyFs(image), layer)
	return &Files{root: root}, nil
}

// Mount shows a directory or a file of this machine at a path. Of two the later
// counts.
func (f *Files) Mount(source, at string, readOnly bool) error {
	var files afero.Fs = afero.NewBasePathFs(afero.NewOsFs(), source)
	if readOnly {
		files = afero.NewReadOnlyFs(files)
	}
	at = Abs("/", at)
	info, err := os.Stat(source)
	if err != nil {
		return err
	}
	if info.IsDir() {
		err = f.root.MkdirAll(at, 0o755)
	} else {
		err = afero.WriteFile(f.root, at, nil, 0o644)
	}
	f.mounts = append(f.mounts, mount{at, files})
	return err
}

// at returns who has a file, and under which name.
func (f *Files) at(name string) (afero.Fs, string) {
	name = Abs("/", name)
	for i := len(f.mounts) - 1; i >= 0; i-- {
		m := f.mounts[i]
		rest, inside := strings.CutPrefix(name, m.path)
		if inside && (rest == "" || rest[0] == '/' || m.path == "/") {
			return m.files, path.Join("/", rest)
		}
	}
	return f.root, name
}

// Name implements afero.Fs.
func (f *Files) Name() string { return "container" }

// Create implements afero.Fs.
func (f *Files) Create(name string) (afero.File, error) {
	return f.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
}

// Open implements afero.Fs.
func (f *Files) Open(name string) (afero.File, error) {
	return f.OpenFile(name, os.O_RDONLY, 0)
}

// OpenFile implements afero.Fs. Unlike afero's it makes no directories.
func (f *Files) OpenFile(
	name string, flag int, mode os.FileMode,
) (afero.File, error) {
	files, inside := f.at(name)
	info, err := files.Stat(inside)
	writes := flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE) != 0
	switch {
	case err == nil && info.IsDir() && writes:
		return nil, wrong("open", name, syscall.EISDIR)
	case err != nil && flag&os.O_CREATE == 0:
		return nil, wrong("open", name, syscall.ENOENT)
	case err != nil:
		if err := f.parent("open", name); err != nil {
			return nil, err
		}
	}
	file, err := files.OpenFile(inside, flag, mode)
	if err != nil {
		return nil, wrong("open", name, err)
	}
	return limited{file}, nil
}

// parent says what is wrong with the directory that a new file is to be in.
func (f *Files) parent(op, name string) error {
	info, err := f.Stat(path.Dir(Abs("/", name)))
	switch {
	case err != nil:
		return wrong(op, name, syscall.ENOENT)
	case !info.IsDir():
		return wrong(op, name, syscall.ENOTDIR)
	}
	return nil
}

// Mkdir implements afero.Fs.
func (f *Files) Mkdir(name string, mode os.FileMode) error {
	if _, err := f.Stat(name); err == nil {
		return wrong("mkdir", name, syscall.EEXIST)
	}
	if err := f.parent("mkdir", name); err != nil {
		return err
	}
	files, inside := f.at(name)
	return wrong("mkdir", name, files.Mkdir(inside, mode))
}

// MkdirAll implements afero.Fs.
func (f *Files) MkdirAll(name string, mode os.FileMode) error {
	files, inside := f.at(name)
	return wrong("mkdir", name, files.MkdirAll(inside, mode))
}

// Remove implements afero.Fs.
func (f *Files) Remove(name string) error {
	files, inside := f.at(name)
	if inside == "/" {
		return wrong("remove", name, syscall.EBUSY)
	}
	info, err := files.Stat(inside)
	if err == nil && info.IsDir() {
		if left, err := afero.ReadDir(files, inside); err == nil && len(left) > 0 {
			return wrong("remove", name, syscall.ENOTEMPTY)
		}
	}
	return wrong("remove", name, files.Remove(inside))
}

// RemoveAll implements afero.Fs.
func (f *Files) RemoveAll(name string) error {
	files, inside := f.at(name)
	if inside == "/" {
		return wrong("remove", name, syscall.EBUSY)
	}
	return wrong("remove", name, files.RemoveAll(inside))
}

// Rename implements afero.Fs.
func (f *Files) Rename(name, to string) error {
	files, inside := f.at(name)
	other, there := f.at(to)
	if files != other {
		return wrong("rename", name, syscall.EXDEV)
	}
	return wrong("rename", name, files.Rename(inside, there))
}

// Stat implements afero.Fs.
func (f *Files) Stat(name string) (os.FileInfo, error) {
	files, inside := f.at(name)
	info, err := files.Stat(inside)
	return info, wrong("stat", name, err)
}

// Chmod implements afero.Fs.
func (f *Files) Chmod(name string, mode os.FileMode) error {
	files, inside := f.at(name)
	return wrong("chmod", name, files.Chmod(inside, mode))
}

// Chown implements afero.Fs.
func (f *Files) Chown(name string, user, group int) error {
	files, inside := f.at(name)
	return wrong("chown", name, files.Chown(inside, user, group))
}

// Chtimes implements afero.Fs.
func (f *Files) Chtimes(name string, read, written time.Time) error {
	files, inside := f.at(name)
	return wrong("chtimes", name, files.Chtimes(inside, read, written))
}

// limited is a file that does not grow for ever.
type limited struct{ afero.File }

// Write implements io.Writer.
func (l limited) Write(p []byte) (int, error) {
	info, err := l.Stat()
	if err == nil && info.Size()+int64(len(p)) > MaxFile {
		return 0, wrong("write", l.Name(), syscall.ENOSPC)
	}
	return l.File.Write(p)
}

// WriteString implements io.StringWriter.
func (l limited) WriteString(s string) (int, error) { return l.Write([]byte(s)) }

// ReadFrom implements io.ReaderFrom.
func (l limited) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{l}, r)
}

// wrong returns err in an operating system's words.
func wrong(op, name string, err error) error {
	switch {
	case err == nil:
		return nil
	case os.IsNotExist(err):
		err = syscall.ENOENT
	case os.IsExist(err):
		err = syscall.EEXIST
	case os.IsPermission(err):
		err = syscall.EPERM
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
