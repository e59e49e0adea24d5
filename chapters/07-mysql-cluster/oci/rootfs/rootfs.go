// Package rootfs lays what a container sees as its root: a folder of its own, in
// which /usr is that of the machine. Nothing of the machine's can be written. Its
// programs are links in /usr/bin, which can be moved and removed.
package rootfs

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/opencontainers/runtime-spec/specs-go"
)

// folders are those that programs expect in any root.
var folders = []string{"etc/alternatives", "home", "opt", "root", "run", "srv",
	"tmp", "usr", "var/log", "var/tmp"}

// Make makes the folders of a root, and others. Everyone may write into tmp and
// var/tmp, and remove what is their own.
func Make(dir string, more ...string) error {
	for _, folder := range append(folders[:len(folders):len(folders)], more...) {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return err
		}
	}
	for _, folder := range []string{"tmp", "var/tmp"} {
		err := os.Chmod(filepath.Join(dir, folder), 0o777|fs.ModeSticky)
		if err != nil {
			return err
		}
	}
	return nil
}

// OnUsr gives a root the programs of a machine's usr, and returns the mounts that
// show the machine's folders in /usr. In place of its bin and sbin there are folders
// of the root's own, which have a link for each program; /bin, /lib and their like
// are links into /usr. What lies in the machine's /usr/local stays out: a shell would
// find it before the image's programs.
func OnUsr(usr, dir string) (mounts []specs.Mount, err error) {
	entries, err := os.ReadDir(usr)
	if err != nil {
		return nil, err
	}
	for _, own := range []string{"usr/local/bin", "usr/local/sbin"} {
		if err := os.MkdirAll(filepath.Join(dir, own), 0o755); err != nil {
			return nil, err
		}
	}
	for _, entry := range entries {
		name := entry.Name()
		from, to := filepath.Join(usr, name), filepath.Join(dir, "usr", name)
		switch {
		case entry.Type() == fs.ModeSymlink: // sbin is one to bin on some machines
			err = repeat(from, to)
		case name == "local" || !entry.IsDir():
		case name == "bin" || name == "sbin":
			mounts = append(mounts, ShownAs(from, "/usr/"+name+shown))
			err = link(from, to)
		default:
			mounts = append(mounts, ShownAs(from, "/usr/"+name))
		}
		if err != nil {
			return nil, err
		}
	}
	return mounts, errors.Join(short(usr, dir), alternatives(dir))
}

// shown is in the name of the folder that shows the machine's programs. It lies
// beside theirs, since some find their files by where they are themselves, as
// ../lib.
const shown = ".machine"

// link fills a folder with links to the programs of a folder of the machine. What
// is a link there is the same link here: sh goes with dash.
func link(programs, dir string) error {
	entries, err := os.ReadDir(programs)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	beside := "../" + filepath.Base(dir) + shown + "/"
	for _, entry := range entries {
		at := filepath.Join(dir, entry.Name())
		if entry.Type() == fs.ModeSymlink {
			err = repeat(filepath.Join(programs, entry.Name()), at)
		} else {
			err = os.Symlink(beside+entry.Name(), at)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// repeat makes a link that says the same as another.
func repeat(link, at string) error {
	target, err := os.Readlink(link)
	if err != nil {
		return err
	}
	return os.Symlink(target, at)
}

// short makes the links into /usr that there are in a root.
func short(usr, dir string) error {
	for _, name := range []string{"bin", "sbin", "lib", "lib64"} {
		_, err := os.Stat(filepath.Join(usr, name))
		if err != nil {
			continue // not every machine has lib64
		}
		err = os.Symlink("usr/"+name, filepath.Join(dir, name))
		if err != nil {
			return err
		}
	}
	return nil
}

// ShownAs returns a mount that shows a place of this machine, all of which stays
// as it is: what is mounted below it, too (rro; rootless, what lies below could
// not be left out).
func ShownAs(source, destination string) specs.Mount {
	return specs.Mount{
		Source: source, Destination: destination, Type: "bind",
		Options: []string{"rbind", "ro", "rro", "nosuid", "nodev"},
	}
}

// etc is where the machine says which of several programs has a name.
const etc = "/etc/alternatives"

// alternatives repeats the links that Debian's programs go by: /usr/bin/awk is
// a link to /etc/alternatives/awk, and that is one to /usr/bin/mawk.
func alternatives(dir string) error {
	links, err := os.ReadDir(etc)
	if err != nil {
		return nil // not a Debian: its programs go without
	}
	if err := os.MkdirAll(filepath.Join(dir, etc), 0o755); err != nil {
		return err
	}
	for _, link := range links {
		target, err := os.Readlink(filepath.Join(etc, link.Name()))
		if err != nil || !strings.HasPrefix(target, "/usr/") {
			continue
		}
		err = os.Symlink(target, filepath.Join(dir, etc, link.Name()))
		if err != nil {
			return err
		}
	}
	return nil
}
