// Package rootfs lays what a container sees as its root: an empty folder in which
// /usr is that of the machine, and cannot be written.
package rootfs

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/opencontainers/runtime-spec/specs-go"
)

// folders are those that programs expect in any root.
var folders = []string{"etc/alternatives", "home", "opt/image", "root", "run",
	"srv", "tmp", "usr", "var/log", "var/tmp"}

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

// OnUsr gives a root the programs of a machine's usr: /usr itself, which it
// returns as a mount, and /bin, /lib and their like as links into it.
func OnUsr(usr, dir string) ([]specs.Mount, error) {
	for _, name := range []string{"bin", "sbin", "lib", "lib64"} {
		_, err := os.Stat(filepath.Join(usr, name))
		if err != nil {
			continue // not every machine has lib64
		}
		err = os.Symlink("usr/"+name, filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
	}
	if err := alternatives(dir); err != nil {
		return nil, err
	}
	return []specs.Mount{ShownAs(usr, "/usr")}, nil
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

// alternatives repeats the links that Debian's programs go by: /usr/bin/awk is
// a link to /etc/alternatives/awk, and that is one to /usr/bin/mawk.
func alternatives(dir string) error {
	const etc = "/etc/alternatives"
	links, err := os.ReadDir(etc)
	if err != nil {
		return nil // not a Debian: its programs go without
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
