package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"slices"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/kubelet"
)

// Open opens the object of a mount: it returns a folder, or else a file. The
// other is nil. Each part of the way is looked for inside of the part before,
// and no link, not even a new one, leads out of that. An open mount is mounted:
// it stays the same thing when another takes its name.
func Open(mount kubelet.Mount) (*os.Root, *os.File, error) {
	place, err := os.OpenRoot(mount.Source)
	for i, way := range mount.Within {
		if err != nil {
			return nil, nil, err
		}
		outer := place
		defer outer.Close()
		info, statErr := outer.Stat(way)
		if statErr != nil {
			return nil, nil, statErr
		}
		if info.Mode().IsRegular() && i == len(mount.Within)-1 {
			file, err := openFile(outer, way, mount.ReadOnly)
			return nil, file, err
		}
		place, err = outer.OpenRoot(way)
	}
	return place, nil, err
}

// openFile opens a file for writing too, if that is allowed.
func openFile(place *os.Root, name string, readOnly bool) (*os.File, error) {
	if !readOnly {
		file, err := place.OpenFile(name, os.O_RDWR, 0)
		if !errors.Is(err, fs.ErrPermission) {
			return file, err
		}
	}
	return place.Open(name)
}

// SubPath implements kubelet.Volumes. A user who may look at the Pod is not
// to know what went wrong on the node (Kubernetes: makeMounts in
// pkg/kubelet/kubelet_pods.go).
func (m *Mounts) SubPath(
	volume kubelet.Mount, c *corev1.Container, at *corev1.VolumeMount,
) (kubelet.Mount, error) {
	if path.IsAbs(at.SubPath) {
		return volume, fmt.Errorf(
			"error SubPath `%s` must not be an absolute path", at.SubPath)
	}
	way, err := within(at.SubPath)
	if err != nil {
		return volume, fmt.Errorf(
			"unable to provision SubPath `%s`: %w", at.SubPath, err)
	}
	failed := func(step string) (kubelet.Mount, error) {
		return volume, fmt.Errorf("failed to %s for volumeMount %q of container %q",
			step, at.Name, c.Name)
	}
	place, file, err := Open(volume)
	switch {
	case file != nil:
		file.Close()
		fallthrough
	case err != nil:
		return failed("prepare subPath")
	}
	defer place.Close()
	_, err = place.Stat(way)
	if errors.Is(err, fs.ErrNotExist) {
		if err = place.MkdirAll(way, 0o777); err != nil {
			return failed("create subPath directory")
		}
	}
	if err != nil {
		return failed("prepare subPath")
	}
	part := volume
	part.Within = append(slices.Clone(volume.Within), way)
	return part, nil
}
