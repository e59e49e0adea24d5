package folder

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	storage "reconcile/chapters/05-storage"
)

// Folder is where a server or a tool keeps its files. Names are relative and
// lead nowhere else.
type Folder interface {
	Open(name string, flag int) (File, error) // flags are those of os.OpenFile
	Rename(from, to string) error
	Remove(name string) error
	Mkdir(name string) error // no error if it is there
	ReadDir(name string) ([]fs.DirEntry, error)
	// Lock keeps others from locking the same file, until it is closed. A kill
	// closes it, too. The error is errLocked when another has it.
	Lock(name string) (io.Closer, error)
}

// File is one of a Folder's. A Write goes to the end of it.
type File interface {
	io.ReadWriteCloser
	io.ReaderAt
	Truncate(size int64) error
	Stat() (fs.FileInfo, error)
}

var ErrLocked = errors.New("the file is locked")

// Mounted opens a folder as a process sees it: in what is mounted there, or
// above it. The error is fs.ErrNotExist where no volume shows the folder.
func Mounted(p *simulated.Process, at string) (Folder, error) {
	var nearest *kubelet.Mount
	for i, mount := range p.Mounts {
		within := at == mount.Path ||
			strings.HasPrefix(at, strings.TrimSuffix(mount.Path, "/")+"/")
		if within && (nearest == nil || len(mount.Path) > len(nearest.Path)) {
			nearest = &p.Mounts[i]
		}
	}
	if nearest == nil {
		return nil, &fs.PathError{Op: "open", Path: at, Err: fs.ErrNotExist}
	}
	root, file, err := storage.Open(*nearest)
	if file != nil {
		file.Close()
		return nil, &fs.PathError{Op: "open", Path: at, Err: syscall.ENOTDIR}
	}
	way := strings.TrimPrefix(at[len(nearest.Path):], "/")
	if err == nil && way != "" {
		defer root.Close()
		root, err = root.OpenRoot(way)
	}
	if err != nil {
		return nil, err
	}
	return Disk(root, nearest.ReadOnly), nil
}

// Open opens the folder that a tool works in, relative to its own. It has it
// until it is killed.
func Open(p *simulated.Process, at string) (Folder, error) {
	if !path.IsAbs(at) {
		at = path.Join("/", p.Dir, at)
	}
	folder, err := Mounted(p, path.Clean(at))
	if err != nil {
		return nil, err
	}
	return UntilKilled(folder, p.Killed()), nil
}

// disk is a Folder on this machine's disk. No name and no link leads out of it.
type disk struct {
	root     *os.Root
	readOnly bool // as it is mounted
}

// Disk returns a folder of this machine, in which nothing changes if it is
// mounted read-only, whatever the machine says.
func Disk(root *os.Root, readOnly bool) Folder { return disk{root, readOnly} }

// changes returns why nothing in the folder may change, or nil.
func (d disk) changes(op, name string) error {
	if d.readOnly {
		return &fs.PathError{Op: op, Path: name, Err: syscall.EROFS}
	}
	return nil
}

func (d disk) Open(name string, flag int) (File, error) {
	if flag&(os.O_WRONLY|os.O_RDWR|os.O_CREATE) != 0 {
		if err := d.changes("open", name); err != nil {
			return nil, err
		}
	}
	return d.root.OpenFile(name, flag, 0o666)
}

func (d disk) Rename(from, to string) error {
	if err := d.changes("rename", from); err != nil {
		return err
	}
	return d.root.Rename(from, to)
}

func (d disk) Remove(name string) error {
	if err := d.changes("remove", name); err != nil {
		return err
	}
	return d.root.Remove(name)
}

func (d disk) Mkdir(name string) error {
	if err := d.changes("mkdir", name); err != nil {
		return err
	}
	return d.root.MkdirAll(name, 0o777)
}

func (d disk) ReadDir(name string) ([]fs.DirEntry, error) {
	return fs.ReadDir(d.root.FS(), path.Clean(name))
}

func (d disk) Lock(name string) (io.Closer, error) {
	if err := d.changes("open", name); err != nil {
		return nil, err
	}
	file, err := d.root.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		return nil, err
	}
	held, err := lock(file)
	if err != nil {
		file.Close()
		return nil, err
	}
	return held, nil
}

// ReadFile returns all of a file.
func ReadFile(folder Folder, name string) ([]byte, error) {
	file, err := folder.Open(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}

// Size returns how long a file is.
func Size(folder Folder, name string) (int64, error) {
	file, err := folder.Open(name, os.O_RDONLY)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Replace gives a file another content. A kill meanwhile leaves the one or the
// other, never a part.
func Replace(folder Folder, name string, content []byte) error {
	file, err := folder.Open(name+".new", os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return folder.Rename(name+".new", name)
}
