package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// Driver is the name of what makes volumes of folders. A PersistentVolume of it
// has spec.csi with this driver, and the name of its folder as volumeHandle.
const Driver = "folder.reconcile.example"

// Folders is the Backend of our Driver, below a root.
type Folders string

// Make implements Backend.
func (f Folders) Make(disk string) error {
	if err := isName(disk); err != nil {
		return err
	}
	_, err := folder(filepath.Join(string(f), "volumes", disk))
	return err
}

// Remove implements Backend.
func (f Folders) Remove(disk string) error {
	return remove(string(f), "volumes", disk)
}

// ofPod is the folder of a volume that is a Pod's own.
func (m *Mounts) ofPod(pod types.UID, volume string) string {
	return filepath.Join("pods", m.node, string(pod), volume)
}

func (m *Mounts) path(folder string) string {
	return filepath.Join(m.root, folder)
}

// folder mounts a folder below the root. A new one is for everybody to write
// into: containers are not asked here whose they are.
func (m *Mounts) folder(name string) (controlloop.Mount, error) {
	return folder(m.path(name))
}

func folder(path string) (controlloop.Mount, error) {
	mount := controlloop.Mount{Source: path}
	_, err := os.Stat(mount.Source)
	if !errors.Is(err, fs.ErrNotExist) {
		return mount, err
	}
	if err := os.MkdirAll(mount.Source, 0o777); err != nil {
		return mount, err
	}
	return mount, os.Chmod(mount.Source, 0o777)
}

// remove removes a folder, and what those who wrote into it have locked there.
// Nothing else: neither the name nor a link leads anywhere but into it.
func remove(root, in, name string) error {
	if err := isName(name); err != nil {
		return err
	}
	place, err := os.OpenRoot(filepath.Join(root, in))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer place.Close()
	err = place.RemoveAll(name)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = fs.WalkDir(place.FS(), name,
		func(dir string, d fs.DirEntry, err error) error {
			if d != nil && d.IsDir() {
				return place.Chmod(dir, 0o700)
			}
			return err
		})
	return place.RemoveAll(name)
}

// isName says why something cannot be the name of one folder in another.
func isName(name string) error {
	if name == "." || !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`) {
		return fmt.Errorf("%q is not the name of a folder", name)
	}
	return nil
}

// within is a path as seen from where it begins.
func within(absolute string) (string, error) {
	if slices.Contains(strings.Split(absolute, "/"), "..") {
		return "", errors.New("must not contain '..'")
	}
	return path.Join(".", path.Clean("/" + absolute)[1:]), nil
}
