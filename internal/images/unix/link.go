package unix

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"

	"github.com/spf13/afero"
)

// linkMode is how a symbolic link is kept that is in no mount: afero's files in
// memory have none. It is a file that holds its target, with bits that no other
// file gets.
const linkMode = fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky | fs.ModePerm

// maxLinks is how many links one name may lead through.
const maxLinks = 40

// Symlink makes a symbolic link. In a mount it is one of this machine's, which
// only Files follows.
func (f *Files) Symlink(target, name string) error {
	name, err := f.real("symlink", name, false)
	if err != nil {
		return err
	}
	if _, err := f.Lstat(name); err == nil {
		return f.wrong("symlink", name, syscall.EEXIST)
	}
	if err := f.parent("symlink", name); err != nil {
		return err
	}
	files, inside := f.at(name)
	if err := f.makeWay(files, inside); err != nil {
		return f.wrong("symlink", name, err)
	}
	if files != f.root {
		err := syscall.EPERM
		if links, ok := files.Fs.(afero.Linker); ok {
			return f.wrong("symlink", name, links.SymlinkIfPossible(target, inside))
		}
		return f.wrong("symlink", name, err)
	}
	f.linked.Store(true)
	return f.wrong("symlink", name,
		afero.WriteFile(files, inside, []byte(target), linkMode))
}

// Readlink returns where a symbolic link leads to.
func (f *Files) Readlink(name string) (string, error) {
	name, err := f.real("readlink", name, false)
	if err != nil {
		return "", err
	}
	if _, err := f.Lstat(name); err != nil {
		return "", err
	}
	target, isLink := f.target(name)
	if !isLink {
		return "", f.wrong("readlink", name, syscall.EINVAL)
	}
	return target, nil
}

// Lstat returns what Stat does, but of a symbolic link itself.
func (f *Files) Lstat(name string) (os.FileInfo, error) {
	name, err := f.real("lstat", name, false)
	if err != nil {
		return nil, err
	}
	files, inside := f.at(name)
	info, err := files.lstat(inside)
	if files == f.root {
		info = shown(info)
	}
	return info, f.wrong("lstat", name, err)
}

// lstat returns what Stat does, but of a link itself if the disk has links.
func (d *disk) lstat(name string) (os.FileInfo, error) {
	links, ok := d.Fs.(afero.Lstater)
	if !ok {
		return d.Stat(name)
	}
	info, _, err := links.LstatIfPossible(name)
	return info, err
}

// LstatIfPossible implements afero.Lstater: afero.Walk follows no links.
func (f *Files) LstatIfPossible(name string) (os.FileInfo, bool, error) {
	info, err := f.Lstat(name)
	return info, true, err
}

// Real returns the absolute name of a file, without links on the way.
func (f *Files) Real(name string) (string, error) {
	return f.real("realpath", name, true)
}

// real returns the absolute name of what a name means, without links on the
// way; follow: the last part is followed as well. No link leads out, for the
// root has nothing above it.
func (f *Files) real(op, name string, follow bool) (string, error) {
	name = Abs("/", name)
	if !f.linked.Load() {
		return name, nil
	}
	at, left, links := "/", parts(name), 0
	for len(left) > 0 {
		next := path.Join(at, left[0])
		left = left[1:]
		target, isLink := f.target(next)
		if !isLink || !follow && len(left) == 0 {
			at = next
			continue
		}
		if links++; links > maxLinks {
			return "", &fs.PathError{Op: op, Path: name, Err: syscall.ELOOP}
		}
		if path.IsAbs(target) {
			at = "/"
		}
		left = append(parts(target), left...)
	}
	return at, nil
}

func parts(name string) []string { return strings.Split(name, "/") }

// target returns where a name without links before its last part leads to, and
// reports whether it is a link.
func (f *Files) target(name string) (target string, isLink bool) {
	files, inside := f.at(name)
	if files != f.root {
		links, ok := files.Fs.(afero.LinkReader)
		if !ok {
			return "", false
		}
		target, err := links.ReadlinkIfPossible(inside)
		return target, err == nil
	}
	info, err := files.Stat(inside)
	if err != nil || info.Mode() != linkMode {
		return "", false
	}
	text, err := afero.ReadFile(files, inside)
	return string(text), err == nil
}

// directory is a directory whose links are shown as links.
type directory struct{ afero.File }

// Readdir implements afero.File.
func (d directory) Readdir(count int) ([]os.FileInfo, error) {
	infos, err := d.File.Readdir(count)
	for i, info := range infos {
		infos[i] = shown(info)
	}
	return infos, err
}

// shown returns the info of a file or a link as Files tells it.
func shown(info os.FileInfo) os.FileInfo {
	if info == nil || info.Mode() != linkMode {
		return info
	}
	return link{info}
}

type link struct{ os.FileInfo }

// Mode implements os.FileInfo.
func (link) Mode() os.FileMode { return fs.ModeSymlink | fs.ModePerm }
