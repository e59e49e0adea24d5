package image

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/opencontainers/runtime-spec/specs-go"

	"reconcile/chapters/07-mysql-cluster/oci/rootfs"
)

// onUsr lays an image that has the machine's programs, and its own in place of those
// of the same names.
func (a *Assembled) onUsr(r *recipe, dir string) ([]specs.Mount, error) {
	if err := rootfs.Make(dir, r.dirs...); err != nil {
		return nil, err
	}
	mounts, err := a.Links.OnUsr(a.Usr, dir)
	if err != nil {
		return nil, err
	}
	return mounts, r.lay(dir)
}

// nginx lays an image on /usr, with a folder of its own where its pages are:
// those can be written.
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

// busybox lays one program and its names.
func (a *Assembled) busybox(r *recipe, dir string) ([]specs.Mount, error) {
	err := errors.Join(rootfs.Make(dir, r.dirs...), r.lay(dir))
	if err != nil {
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
	return []specs.Mount{rootfs.ShownAs(program, "/bin/busybox")}, nil
}

// lay writes the files of an image over what lies there.
func (r *recipe) lay(dir string) error {
	for _, folder := range []string{"base", r.folder} {
		err := ownFiles(folder, func(path string, content []byte) error {
			return layFile(filepath.Join(dir, path), content)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// layFile writes a file of an image, in place of a link to a program of the same
// name. Those of bin and sbin are programs. The mode is set whatever the caller's
// umask is.
func layFile(path string, content []byte) error {
	folder := filepath.Dir(path)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	err := os.Remove(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := os.WriteFile(path, content, 0o644); err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if name := filepath.Base(folder); name == "bin" || name == "sbin" {
		mode = 0o755
	}
	return os.Chmod(path, mode)
}
