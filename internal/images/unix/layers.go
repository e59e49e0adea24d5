package unix

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"sync"
	"syscall"

	"github.com/spf13/afero"
)

// layers are an image's files with those of a container over them. What the
// container removes of the image is gone for this container alone.
type layers struct {
	*afero.CopyOnWriteFs
	image *present
	layer afero.Fs
}

func newLayers(image, layer afero.Fs) layers {
	left := &present{Fs: afero.NewReadOnlyFs(image), gone: map[string]bool{}}
	over := afero.NewCopyOnWriteFs(left, layer).(*afero.CopyOnWriteFs)
	return layers{over, left, layer}
}

// Remove implements afero.Fs.
func (l layers) Remove(name string) error { return l.remove(name, l.layer.Remove) }

// RemoveAll implements afero.Fs.
func (l layers) RemoveAll(name string) error {
	return l.remove(name, l.layer.RemoveAll)
}

func (l layers) remove(name string, removed func(string) error) error {
	_, missing := l.image.Stat(name)
	err := removed(name)
	if missing != nil {
		return err
	}
	l.image.hide(name)
	if os.IsNotExist(err) {
		return nil // the image alone had it
	}
	return err
}

// Rename implements afero.Fs. A file of the image has been copied into the layer
// before. A directory of the image is on another device, as it is for overlayfs:
// mv copies it.
func (l layers) Rename(name, to string) error {
	info, missing := l.image.Stat(name)
	if missing == nil && info.IsDir() {
		return syscall.EXDEV
	}
	if err := l.layer.Rename(name, to); err != nil {
		return err
	}
	if missing == nil {
		l.image.hide(name)
	}
	return nil
}

// makeWay copies a file that is about to be made or changed into the layer, as it
// is, if only the image has it, and the directory that it is in.
func (f *Files) makeWay(files *disk, inside string) error {
	if files != f.root {
		return nil
	}
	if err := f.deepen(path.Dir(inside)); err != nil {
		return err
	}
	info, err := f.image.Stat(inside)
	if _, missing := f.layer.Stat(inside); missing == nil || err != nil || info.IsDir() {
		return nil
	}
	content, err := afero.ReadFile(f.image, inside)
	if err != nil {
		return err
	}
	if err := afero.WriteFile(f.layer, inside, content, info.Mode()); err != nil {
		return err
	}
	return f.layer.Chtimes(inside, info.ModTime(), info.ModTime())
}

// deepen makes a directory in the layer, with all above it: those of the image
// keep its modes and times.
func (f *Files) deepen(dir string) error {
	if exists, err := afero.DirExists(f.layer, dir); exists || err != nil {
		return err
	}
	if dir != "/" {
		if err := f.deepen(path.Dir(dir)); err != nil {
			return err
		}
	}
	info, err := f.image.Stat(dir)
	if err != nil {
		return f.layer.Mkdir(dir, 0o755)
	}
	if err := f.layer.MkdirAll(dir, info.Mode()); err != nil {
		return err
	}
	if err := f.layer.Chmod(dir, info.Mode()); err != nil {
		return err
	}
	return f.layer.Chtimes(dir, info.ModTime(), info.ModTime())
}

// present are the files of an image that a container has not removed.
type present struct {
	afero.Fs
	mu   sync.RWMutex
	gone map[string]bool
}

func (p *present) hide(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone[name] = true
}

// check returns an error if a file, or a directory that it is in, is gone.
func (p *present) check(op, name string) error {
	p.mu.RLock()
	defer p.mu.RUnlock()
	if len(p.gone) == 0 {
		return nil
	}
	for at := path.Join("/", name); ; at = path.Dir(at) {
		if p.gone[at] {
			return &fs.PathError{Op: op, Path: name, Err: syscall.ENOENT}
		}
		if at == "/" {
			return nil
		}
	}
}

// Stat implements afero.Fs.
func (p *present) Stat(name string) (fs.FileInfo, error) {
	if err := p.check("stat", name); err != nil {
		return nil, err
	}
	return p.Fs.Stat(name)
}

// Open implements afero.Fs.
func (p *present) Open(name string) (afero.File, error) {
	return p.OpenFile(name, os.O_RDONLY, 0)
}

// OpenFile implements afero.Fs.
func (p *present) OpenFile(
	name string, flag int, mode fs.FileMode,
) (afero.File, error) {
	if err := p.check("open", name); err != nil {
		return nil, err
	}
	file, err := p.Fs.OpenFile(name, flag, mode)
	return entries{file, p, name}, err
}

// entries is a file or a directory that shows those of its entries that are
// present.
type entries struct {
	afero.File
	of   *present
	name string
}

// Readdir implements afero.File.
func (e entries) Readdir(count int) ([]fs.FileInfo, error) {
	all, err := e.File.Readdir(count)
	return slices.DeleteFunc(all, func(info fs.FileInfo) bool {
		return e.of.check("", path.Join(e.name, info.Name())) != nil
	}), err
}

// Readdirnames implements afero.File.
func (e entries) Readdirnames(count int) ([]string, error) {
	all, err := e.File.Readdirnames(count)
	return slices.DeleteFunc(all, func(name string) bool {
		return e.of.check("", path.Join(e.name, name)) != nil
	}), err
}
