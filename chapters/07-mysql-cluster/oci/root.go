package oci

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/opencontainers/runtime-spec/specs-go"
)

// onUsr lays a root file system that has the machine's programs: /usr itself,
// and /bin, /lib and their like as links into it, as on the machine.
func (a *Assembled) onUsr(r *recipe, dir string) ([]specs.Mount, error) {
	if err := r.lay(dir); err != nil {
		return nil, err
	}
	for _, name := range []string{"bin", "sbin", "lib", "lib64"} {
		_, err := os.Stat(filepath.Join(a.Usr, name))
		if err != nil {
			continue // not every machine has lib64
		}
		err = os.Symlink("usr/"+name, filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
	}
	if err := a.alternatives(dir); err != nil {
		return nil, err
	}
	return []specs.Mount{shownAs(a.Usr, "/usr")}, nil
}

// shownAs is a mount that shows a place of this machine, all of which stays as
// it is: what is mounted below it, too (rro; rootless, what lies below could not
// be left out).
func shownAs(source, destination string) specs.Mount {
	return specs.Mount{
		Source: source, Destination: destination, Type: "bind",
		Options: []string{"rbind", "ro", "rro", "nosuid", "nodev"},
	}
}

// alternatives repeats the links that Debian's programs go by: /usr/bin/awk is
// a link to /etc/alternatives/awk, and that is one to /usr/bin/mawk.
func (a *Assembled) alternatives(dir string) error {
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

// nginx is on /usr, with a folder of its own where its pages are: those can be
// written.
func (a *Assembled) nginx(r *recipe, dir string) ([]specs.Mount, error) {
	mounts, err := a.onUsr(r, dir)
	if err != nil {
		return nil, err
	}
	const html = "share/nginx/html"
	own := filepath.Join(dir, "var/lib/nginx/html")
	err = os.CopyFS(own, os.DirFS(filepath.Join(a.Usr, html)))
	if err != nil {
		return nil, err
	}
	return append(mounts, specs.Mount{
		Source: own, Destination: "/usr/" + html, Type: "bind",
		Options: []string{"rbind", "nosuid", "nodev"},
	}), nil
}

// busybox is one program and its names.
func (a *Assembled) busybox(r *recipe, dir string) ([]specs.Mount, error) {
	if err := r.lay(dir); err != nil {
		return nil, err
	}
	program := a.find("busybox")
	names, err := exec.Command(program, "--list").Output()
	if err != nil {
		return nil, fmt.Errorf("ask %s for its names: %w", program, err)
	}
	bin := filepath.Join(dir, "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		return nil, err
	}
	for name := range strings.FieldsSeq(string(names)) {
		if name == "busybox" {
			continue
		}
		if err := os.Symlink("busybox", filepath.Join(bin, name)); err != nil {
			return nil, err
		}
	}
	return []specs.Mount{shownAs(program, "/bin/busybox")}, nil
}

// lay makes the folders that every image has, those of this one, and its files.
func (r *recipe) lay(dir string) error {
	folders := append([]string{"etc/alternatives", "home", "opt/image", "root",
		"run", "srv", "tmp", "usr", "var/log", "var/tmp"}, r.dirs...)
	for _, folder := range folders {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			return err
		}
	}
	for _, folder := range []string{"base", r.folder} {
		err := ownFiles(folder, func(path string, content []byte) error {
			return layFile(filepath.Join(dir, path), content)
		})
		if err != nil {
			return err
		}
	}
	return openToAll(dir, "tmp", "var/tmp")
}

// layFile writes a file of an image; those of /opt/image are programs. What the
// umask of who started the lab takes away is given back.
func layFile(path string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if filepath.Base(filepath.Dir(path)) == "image" {
		mode = 0o755
	}
	return os.Chmod(path, mode)
}

// openToAll has everybody write into folders, and throw away only their own.
func openToAll(dir string, folders ...string) error {
	for _, folder := range folders {
		err := os.Chmod(filepath.Join(dir, folder), 0o777|fs.ModeSticky)
		if err != nil {
			return err
		}
	}
	return nil
}
