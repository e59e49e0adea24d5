package unix

import (
	"errors"
	"os"
	"path"
	"strings"

	"github.com/spf13/afero"
)

// mount is a directory or a file of this machine that Files show.
type mount struct {
	path     string // in the container
	files    *disk
	readOnly bool
	group    *int64 // to which all of it is said to belong; nil: root's
	close    func() error
}

// Mount shows a directory of this machine at a path or, in its place, a file.
// Of two mounts at one path the later counts. Close ends them all.
func (f *Files) Mount(
	dir *os.Root, file *os.File, at string, readOnly bool,
) error {
	at = Abs("/", at)
	m := mount{path: at, readOnly: readOnly}
	var files afero.Fs
	var err error
	if dir != nil {
		files, m.close = rooted{dir}, dir.Close
		f.linked.Store(true) // there may be links, now or later
		err = f.makePoint(at)
	} else {
		files, m.close = singleFileFS{file}, file.Close
		if err = f.makePoint(path.Dir(at)); err == nil {
			err = f.makeFile(at)
		}
	}
	if readOnly {
		files = afero.NewReadOnlyFs(files)
	}
	// How much is in it is found out when something is to be added.
	m.files = &disk{Fs: files, taken: MaxDisk}
	f.mounts = append(f.mounts, m)
	return err
}

// makePoint makes the directory that something is mounted over. If that is in
// another mount that cannot be written, the directory is not seen, but serves
// as well.
func (f *Files) makePoint(at string) error {
	err := f.MkdirAll(at, 0o755)
	if f.mounted(at) != nil {
		return nil
	}
	return err
}

func (f *Files) makeFile(at string) error {
	if _, err := f.Lstat(at); err == nil {
		return nil
	}
	err := afero.WriteFile(f, at, nil, 0o644)
	if f.mounted(at) != nil {
		return nil
	}
	return err
}

// Close closes all mounts. No process that uses them may still run.
func (f *Files) Close() error {
	var errs []error
	for _, m := range f.mounts {
		errs = append(errs, m.close())
	}
	return errors.Join(errs...)
}

// Give says that what is mounted at a path belongs to a group, and that what is
// made there will.
func (f *Files) Give(at string, group int64) {
	for i := range f.mounts {
		if f.mounts[i].path == Abs("/", at) {
			f.mounts[i].group = &group
		}
	}
}

// GroupOf returns the group to which a file was given, or nil.
func (f *Files) GroupOf(name string) *int64 {
	if m := f.mounted(Abs("/", name)); m != nil {
		return m.group
	}
	return nil
}

// at returns the disk that has a file, and the file's name there.
func (f *Files) at(name string) (*disk, string) {
	name = Abs("/", name)
	if m := f.mounted(name); m != nil {
		return m.files, path.Join("/", strings.TrimPrefix(name, m.path))
	}
	return f.root, name
}

// mounted returns the mount that a file is in, or nil.
func (f *Files) mounted(name string) *mount {
	for i := len(f.mounts) - 1; i >= 0; i-- {
		m := &f.mounts[i]
		rest, inside := strings.CutPrefix(name, m.path)
		if inside && (rest == "" || rest[0] == '/' || m.path == "/") {
			return m
		}
	}
	return nil
}
