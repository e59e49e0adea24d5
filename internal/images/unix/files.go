package unix

import (
	"os"
	"path"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/afero"
)

// Files are the files that a container sees: its image's, those that it wrote
// over them, and those that are mounted into it. Its errors are *fs.PathErrors.
type Files struct {
	image, layer afero.Fs
	root         *disk // the layer over the image
	mounts       []mount
	linked       atomic.Bool // there are symbolic links
	sealed       bool        // all but the mounts is read only
}

// NewFiles returns an image's files with a layer over them that starts with
// own. Writes go to the layer; the image's files stay as they are. Everything
// in the layer was made at one time.
func NewFiles(
	image afero.Fs, own map[string]string, made time.Time,
) (*Files, error) {
	layer := afero.NewMemMapFs()
	root := newLayers(image, layer)
	f := &Files{image: root.image, layer: layer, root: &disk{Fs: root}}
	for name, content := range own {
		if err := f.deepen(path.Dir(name)); err != nil {
			return nil, err
		}
		err := afero.WriteFile(layer, name, []byte(content), 0o644)
		if err != nil {
			return nil, err
		}
	}
	return f, afero.Walk(layer, "/",
		func(name string, _ os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			return layer.Chtimes(name, made, made)
		})
}

// Seal lets nothing be written any more but what is in mounts.
func (f *Files) Seal() {
	f.root.Fs = afero.NewReadOnlyFs(f.root.Fs)
	f.sealed = true
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
	name, err := f.real("open", name, true)
	if err != nil {
		return nil, err
	}
	files, inside := f.at(name)
	info, err := files.Stat(inside)
	writes := flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE) != 0
	switch {
	case err == nil && info.IsDir() && writes:
		return nil, f.wrong("open", name, syscall.EISDIR)
	case err != nil && flag&os.O_CREATE == 0:
		return nil, f.wrong("open", name, syscall.ENOENT)
	case err != nil:
		if err := f.parent("open", name); err != nil {
			return nil, err
		}
	case !info.IsDir() && !info.Mode().IsRegular() && info.Mode() != linkMode:
		return nil, f.wrong("open", name, syscall.ENXIO) // a pipe would block
	case info.IsDir(): // only Open shows the image's entries beside the layer's
		dir, err := files.Open(inside)
		if err != nil || files != f.root {
			return dir, f.wrong("open", name, err)
		}
		return directory{dir}, nil
	}
	if writes {
		if err := f.makeWay(files, inside); err != nil {
			return nil, f.wrong("open", name, err)
		}
	}
	file, err := files.OpenFile(inside, flag, mode)
	if err != nil {
		return nil, f.wrong("open", name, err)
	}
	return written{file, files}, nil
}

// parent returns what is wrong with the directory that a new file is to be in,
// or nil.
func (f *Files) parent(op, name string) error {
	info, err := f.Stat(path.Dir(Abs("/", name)))
	switch {
	case err != nil:
		return f.wrong(op, name, syscall.ENOENT)
	case !info.IsDir():
		return f.wrong(op, name, syscall.ENOTDIR)
	}
	return nil
}

// Mkdir implements afero.Fs.
func (f *Files) Mkdir(name string, mode os.FileMode) error {
	if _, err := f.Stat(name); err == nil {
		return f.wrong("mkdir", name, syscall.EEXIST)
	}
	name, err := f.real("mkdir", name, false)
	if err != nil {
		return err
	}
	if err := f.parent("mkdir", name); err != nil {
		return err
	}
	files, inside := f.at(name)
	if err := f.makeWay(files, inside); err != nil {
		return f.wrong("mkdir", name, err)
	}
	return f.wrong("mkdir", name, files.Mkdir(inside, mode))
}

// MkdirAll implements afero.Fs.
func (f *Files) MkdirAll(name string, mode os.FileMode) error {
	for _, dir := range missing(f, Abs("/", name)) {
		if err := f.Mkdir(dir, mode); err != nil {
			return err
		}
	}
	info, err := f.Stat(name)
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	return f.wrong("mkdir", name, err)
}

// missing returns the directories down to dir that do not exist, the highest
// first.
func missing(f *Files, dir string) []string {
	if _, err := f.Stat(dir); err == nil || dir == "/" {
		return nil
	}
	return append(missing(f, path.Dir(dir)), dir)
}

// Remove implements afero.Fs.
func (f *Files) Remove(name string) error {
	name, err := f.real("remove", name, false)
	if err != nil {
		return err
	}
	files, inside := f.at(name)
	if inside == "/" {
		return f.wrong("remove", name, syscall.EBUSY)
	}
	info, err := files.lstat(inside)
	if err == nil && info.IsDir() {
		if left, err := afero.ReadDir(files, inside); err == nil && len(left) > 0 {
			return f.wrong("remove", name, syscall.ENOTEMPTY)
		}
	}
	return f.wrong("remove", name, files.Remove(inside))
}

// RemoveAll implements afero.Fs.
func (f *Files) RemoveAll(name string) error {
	name, err := f.real("remove", name, false)
	if err != nil {
		return err
	}
	files, inside := f.at(name)
	if inside == "/" {
		return f.wrong("remove", name, syscall.EBUSY)
	}
	return f.wrong("remove", name, files.RemoveAll(inside))
}

// Rename implements afero.Fs.
func (f *Files) Rename(name, to string) error {
	name, err := f.real("rename", name, false)
	if err != nil {
		return err
	}
	if to, err = f.real("rename", to, false); err != nil {
		return err
	}
	files, inside := f.at(name)
	other, there := f.at(to)
	switch {
	case files != other:
		return f.wrong("rename", name, syscall.EXDEV)
	case strings.HasPrefix(there, inside+"/"): // afero would never come back
		return f.wrong("rename", name, syscall.EINVAL)
	}
	for _, at := range []string{inside, there} {
		if err := f.makeWay(files, at); err != nil {
			return f.wrong("rename", name, err)
		}
	}
	return f.wrong("rename", name, files.Rename(inside, there))
}

// Stat implements afero.Fs.
func (f *Files) Stat(name string) (os.FileInfo, error) {
	name, err := f.real("stat", name, true)
	if err != nil {
		return nil, err
	}
	files, inside := f.at(name)
	info, err := files.Stat(inside)
	return info, f.wrong("stat", name, err)
}

// Chmod implements afero.Fs.
func (f *Files) Chmod(name string, mode os.FileMode) error {
	name, err := f.real("chmod", name, true)
	if err != nil {
		return err
	}
	files, inside := f.at(name)
	if err := f.makeWay(files, inside); err != nil {
		return f.wrong("chmod", name, err)
	}
	return f.wrong("chmod", name, files.Chmod(inside, mode))
}

// Chown implements afero.Fs.
func (f *Files) Chown(name string, user, group int) error {
	name, err := f.real("chown", name, true)
	if err != nil {
		return err
	}
	files, inside := f.at(name)
	if err := f.makeWay(files, inside); err != nil {
		return f.wrong("chown", name, err)
	}
	return f.wrong("chown", name, files.Chown(inside, user, group))
}

// Chtimes implements afero.Fs.
func (f *Files) Chtimes(name string, read, written time.Time) error {
	name, err := f.real("chtimes", name, true)
	if err != nil {
		return err
	}
	files, inside := f.at(name)
	if err := f.makeWay(files, inside); err != nil {
		return f.wrong("chtimes", name, err)
	}
	return f.wrong("chtimes", name, files.Chtimes(inside, read, written))
}
