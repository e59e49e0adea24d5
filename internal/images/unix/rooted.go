package unix

import (
	"io/fs"
	"os"
	"path"
	"time"

	"github.com/spf13/afero"
)

// rooted is a directory of this machine as a file system. No name and no link
// leads out of it. Changes happen at the time of the process that makes them,
// which need not be this machine's.
type rooted struct{ root *os.Root }

// in returns the name of a file below the root.
func in(name string) string { return path.Join(".", path.Clean("/" + name)[1:]) }

// now sets the times of files to now, if err is nil, and returns err.
func (r rooted) now(err error, names ...string) error {
	for _, name := range names {
		if err == nil {
			err = r.root.Chtimes(name, time.Now(), time.Now())
		}
	}
	return err
}

// Name implements afero.Fs.
func (rooted) Name() string { return "mount" }

// Create implements afero.Fs.
func (r rooted) Create(name string) (afero.File, error) {
	return r.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
}

// Open implements afero.Fs.
func (r rooted) Open(name string) (afero.File, error) {
	return r.OpenFile(name, os.O_RDONLY, 0)
}

// OpenFile implements afero.Fs.
func (r rooted) OpenFile(
	name string, flag int, mode fs.FileMode,
) (afero.File, error) {
	name = in(name)
	_, err := r.root.Lstat(name)
	isNew := err != nil
	file, err := r.root.OpenFile(name, flag, mode.Perm())
	if err != nil {
		return nil, err
	}
	if isNew {
		err = r.now(r.root.Chmod(name, mode.Perm()), path.Dir(name))
	}
	writes := flag&(os.O_WRONLY|os.O_RDWR) != 0
	return rootedFile{file, r, name, writes}, err
}

// Mkdir implements afero.Fs.
func (r rooted) Mkdir(name string, mode fs.FileMode) error {
	name = in(name)
	if err := r.root.Mkdir(name, mode.Perm()); err != nil {
		return err
	}
	return r.now(r.root.Chmod(name, mode), name, path.Dir(name))
}

// MkdirAll implements afero.Fs.
func (r rooted) MkdirAll(name string, mode fs.FileMode) error {
	return r.root.MkdirAll(in(name), mode.Perm())
}

// Remove implements afero.Fs.
func (r rooted) Remove(name string) error {
	return r.now(r.root.Remove(in(name)), path.Dir(in(name)))
}

// RemoveAll implements afero.Fs.
func (r rooted) RemoveAll(name string) error {
	return r.now(r.root.RemoveAll(in(name)), path.Dir(in(name)))
}

// Rename implements afero.Fs.
func (r rooted) Rename(name, to string) error {
	err := r.root.Rename(in(name), in(to))
	return r.now(err, path.Dir(in(name)), path.Dir(in(to)))
}

// Stat implements afero.Fs.
func (r rooted) Stat(name string) (fs.FileInfo, error) {
	return past(r.root.Stat(in(name)))
}

// LstatIfPossible implements afero.Lstater.
func (r rooted) LstatIfPossible(name string) (fs.FileInfo, bool, error) {
	info, err := past(r.root.Lstat(in(name)))
	return info, true, err
}

// SymlinkIfPossible implements afero.Linker.
func (r rooted) SymlinkIfPossible(target, name string) error {
	return r.now(r.root.Symlink(target, in(name)), path.Dir(in(name)))
}

// ReadlinkIfPossible implements afero.LinkReader.
func (r rooted) ReadlinkIfPossible(name string) (string, error) {
	return r.root.Readlink(in(name))
}

// Chmod implements afero.Fs.
func (r rooted) Chmod(name string, mode fs.FileMode) error {
	return r.root.Chmod(in(name), mode)
}

// Chown implements afero.Fs. Only this machine's root can say whose a file is.
func (r rooted) Chown(name string, _, _ int) error {
	_, err := r.root.Stat(in(name))
	return err
}

// Chtimes implements afero.Fs.
func (r rooted) Chtimes(name string, read, written time.Time) error {
	return r.root.Chtimes(in(name), read, written)
}

// rootedFile is an open file of a rooted directory.
type rootedFile struct {
	*os.File
	fs     rooted
	name   string
	writes bool
}

// Name implements afero.File.
func (f rootedFile) Name() string { return f.name }

// Stat implements afero.File.
func (f rootedFile) Stat() (fs.FileInfo, error) { return past(f.File.Stat()) }

// Readdir implements afero.File.
func (f rootedFile) Readdir(count int) ([]fs.FileInfo, error) {
	infos, err := f.File.Readdir(count)
	for i := range infos {
		infos[i], _ = past(infos[i], nil)
	}
	return infos, err
}

// Close implements afero.File.
func (f rootedFile) Close() error {
	err := f.File.Close()
	if f.writes && err == nil {
		_ = f.fs.now(nil, f.name) // it may have gone meanwhile
	}
	return err
}

// past returns an info of a file that was changed now at the latest: a file
// that a kubelet writes has the time of this machine.
func past(info fs.FileInfo, err error) (fs.FileInfo, error) {
	if err != nil || !info.ModTime().After(time.Now()) {
		return info, err
	}
	return changedNow{info}, nil
}

type changedNow struct{ fs.FileInfo }

// ModTime implements fs.FileInfo.
func (changedNow) ModTime() time.Time { return time.Now() }
