package image

import (
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/opencontainers/runtime-spec/specs-go"

	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/07-mysql-cluster/oci/rootfs"
)

// Assembled are images made of what is installed on this machine: /usr, which a
// container sees and cannot change but for the links in /usr/bin and /usr/sbin, and a
// few files of their own. Nothing else of the machine is in them, not its /etc or its
// /usr/local, and no home.
type Assembled struct {
	// Usr is where the machine's packages are: "/usr".
	Usr string
	// Links are shared by the roots of containers if they have a folder.
	Links rootfs.Shared
}

// wrappers has a folder for each image: its own files, at their places.
//
//go:embed all:wrappers
var wrappers embed.FS

// Pull implements Images.
func (a *Assembled) Pull(_ context.Context, name string) (*Image, error) {
	r, full, reason := lookUp(name)
	if reason == "" {
		reason = a.missing(r)
	}
	if reason != "" {
		return nil, &kubelet.PullError{Image: name, Reason: reason}
	}
	id, err := r.digest(full)
	if err != nil {
		return nil, err
	}
	return &Image{
		Name: full, ID: id,
		Entrypoint: r.entrypoint, Cmd: r.cmd, StopSignal: r.stopSignal,
		Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:" +
			"/usr/sbin:/usr/bin:/sbin:/bin"},
		Root: func(dir string) ([]specs.Mount, error) {
			return r.root(a, r, dir)
		},
	}, nil
}

// missing says which program of a recipe is not installed, and what installs
// it, or nothing.
func (a *Assembled) missing(r *recipe) string {
	var install []string
	var first string
	for _, program := range r.programs {
		if a.find(program) != "" {
			continue
		}
		if first == "" {
			first = program
		}
		from := packages[program]
		if from == "" {
			from = program
		}
		if !slices.Contains(install, from) {
			install = append(install, from)
		}
	}
	if first == "" {
		return ""
	}
	return fmt.Sprintf("this machine has no %s; sudo apt-get install %s",
		first, strings.Join(install, " "))
}

// find returns where a program is installed, or nothing.
func (a *Assembled) find(program string) string {
	for _, folder := range []string{"bin", "sbin"} {
		path := filepath.Join(a.Usr, folder, program)
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			return path
		}
	}
	return ""
}

// digest returns the sum of everything that is the image's own.
func (r *recipe) digest(name string) (string, error) {
	sum := sha256.New()
	fmt.Fprintln(sum, name)
	for _, folder := range []string{"base", r.folder} {
		err := ownFiles(folder, func(path string, content []byte) error {
			fmt.Fprintf(sum, "%s %d\n%s", path, len(content), content)
			return nil
		})
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("sha256:%x", sum.Sum(nil)), nil
}

// ownFiles calls f with each file of a folder of wrappers, in order, and its
// place in the image.
func ownFiles(folder string, f func(path string, content []byte) error) error {
	if folder == "" {
		return nil
	}
	top := path.Join("wrappers", folder)
	return fs.WalkDir(wrappers, top, func(
		p string, d fs.DirEntry, err error,
	) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := wrappers.ReadFile(p)
		if err != nil {
			return err
		}
		return f(strings.TrimPrefix(p, top+"/"), content)
	})
}
