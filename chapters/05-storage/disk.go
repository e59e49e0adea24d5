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

	"reconcile/chapters/01-control-loop/kubelet"
)

// Driver is the name of the driver that makes volumes of folders. A
// PersistentVolume of it has spec.csi with this driver, and the name of its
// folder as volumeHandle.
const Driver = "folder.reconcile.example"

// Folders is the Backend of our Driver, below a root.
type Folders string

// Make implements Backend.
func (f Folders) Make(disk string) error {
	_, err := folder(string(f), "volumes", disk)
	return err
}

// Remove implements Backend.
func (f Folders) Remove(disk string) error {
	return remove(string(f), "volumes", disk)
}

// ofPod returns the folder of a Pod's own volumes; without a Pod, that of all
// Pods'.
func (m *Mounts) ofPod(pod types.UID) string {
	return filepath.Join("pods", m.node, string(pod))
}

// folder mounts a folder below the root. Every user may write into a new
// one.
func folder(root, in, name string) (kubelet.Mount, error) {
	mount := kubelet.Mount{Source: filepath.Join(root, in, name)}
	if err := isName(name); err != nil {
		return mount, err
	}
	if _, err := os.Stat(mount.Source); err == nil {
		return mount, nil
	}
	if err := os.MkdirAll(mount.Source, 0o777); err != nil {
		return mount, err
	}
	return mount, os.Chmod(mount.Source, 0o777) // whatever the umask
}

// remove removes a folder, even if the programs that wrote into it have locked
// it. Neither the name nor a link leads to anything else.
func remove(root, in, name string) error {
	place, err := os.OpenRoot(filepath.Join(root, in))
	if errors.Is(err, fs.ErrNotExist) {
		return isName(name)
	}
	if err := errors.Join(err, isName(name)); err != nil {
		return err
	}
	defer place.Close()
	err = place.RemoveAll(name)
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	_ = fs.WalkDir(place.FS(), name,
		func(at string, d fs.DirEntry, err error) error {
			if d != nil && d.IsDir() {
				return place.Chmod(at, 0o700)
			}
			return err
		})
	return place.RemoveAll(name)
}

// isName returns an error if a text cannot be the name of one folder in
// another.
func isName(name string) error {
	if name == "." || !filepath.IsLocal(name) || strings.ContainsAny(name, `/\`) {
		return fmt.Errorf("%q is not the name of a folder", name)
	}
	return nil
}

// within returns an absolute path as one relative to its root.
func within(absolute string) (string, error) {
	if slices.Contains(strings.Split(absolute, "/"), "..") {
		return "", errors.New("must not contain '..'")
	}
	return path.Join(".", path.Clean("/" + absolute)[1:]), nil
}
