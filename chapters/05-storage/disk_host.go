package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// nodeDisk is the file system of this node, below the root.
func (m *Mounts) nodeDisk() string { return "nodes/" + m.node }

// inside mounts a path of a disk: the place, and the way there, which no link
// leads out of it. prepare is given the disk and that way.
func (m *Mounts) inside(
	disk, absolute string, prepare func(place *os.Root, way string) error,
) (controlloop.Mount, error) {
	way, err := within(absolute)
	if err != nil {
		return controlloop.Mount{}, err
	}
	mount, err := m.folder(disk)
	if err != nil {
		return mount, err
	}
	place, err := os.OpenRoot(mount.Source)
	if err != nil {
		return mount, err
	}
	defer place.Close()
	mount.Within = []string{way}
	return mount, prepare(place, way)
}

// hostPath mounts a path of the node, if it is of the type that is asked for.
func (m *Mounts) hostPath(
	source *corev1.HostPathVolumeSource,
) (controlloop.Mount, error) {
	if _, err := within(source.Path); err != nil {
		return controlloop.Mount{}, fmt.Errorf(
			"invalid HostPath `%s`: %w", source.Path, err)
	}
	return m.inside(m.nodeDisk(), source.Path,
		func(node *os.Root, way string) error {
			wanted := corev1.HostPathUnset
			if source.Type != nil {
				wanted = *source.Type
			}
			if err := makeHost(node, way, wanted); err != nil {
				return err
			}
			return checkHost(node, way, source.Path, wanted)
		})
}

// makeHost makes what may be made and is not there. What has no type is made by
// the container runtime, a directory.
func makeHost(node *os.Root, way string, wanted corev1.HostPathType) error {
	_, err := node.Stat(way)
	if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	switch wanted {
	case corev1.HostPathUnset, corev1.HostPathDirectoryOrCreate:
		return node.MkdirAll(way, 0o755)
	case corev1.HostPathFileOrCreate:
		file, err := node.OpenFile(way, os.O_CREATE, 0o644)
		if err != nil {
			return err
		}
		return file.Close()
	}
	return nil
}

// checkHost says what a path is, where it is not what it should be (Kubernetes:
// checkTypeInternal in pkg/volume/hostpath).
func checkHost(
	node *os.Root, way, path string, wanted corev1.HostPathType,
) error {
	expected, known := map[corev1.HostPathType]string{
		corev1.HostPathUnset:             "",
		corev1.HostPathDirectory:         "directory",
		corev1.HostPathDirectoryOrCreate: "directory",
		corev1.HostPathFile:              "file",
		corev1.HostPathFileOrCreate:      "file",
		corev1.HostPathSocket:            "socket file",
		corev1.HostPathCharDev:           "character device",
		corev1.HostPathBlockDev:          "block device",
	}[wanted]
	info, err := node.Stat(way)
	switch {
	case !known:
		return fmt.Errorf("%s is an invalid volume type", wanted)
	case wanted == corev1.HostPathUnset:
		return err
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("hostPath type check failed, %s is not a %s, unable to "+
			"determine its type: path %q does not exist", path, expected, path)
	case err != nil:
		return err
	}
	is := corev1.HostPathFile
	if info.IsDir() {
		is = corev1.HostPathDirectory
	}
	switch wanted {
	case is, is + "OrCreate":
		return nil
	}
	return fmt.Errorf("hostPath type check failed: %s is not a %s, it's a %s",
		path, expected, is)
}

// local mounts a disk of the node, which somebody has to have put there.
func (m *Mounts) local(
	volume string, source *corev1.LocalVolumeSource,
) (controlloop.Mount, error) {
	return m.inside(m.nodeDisk(), source.Path,
		func(node *os.Root, way string) error {
			info, err := node.Stat(way)
			switch {
			case errors.Is(err, fs.ErrNotExist):
				err = fmt.Errorf("path %q does not exist", source.Path)
			case err == nil && !info.IsDir():
				err = errors.New("only directory and block device are supported")
			}
			if err == nil {
				return nil
			}
			return &controlloop.MountError{Reason: fmt.Sprintf(
				"MountVolume.NewMounter initialization failed for volume %q : %v",
				volume, err)}
		})
}

// nfs mounts what a file server exports. Whatever one asks for it has.
func (m *Mounts) nfs(
	source *corev1.NFSVolumeSource,
) (controlloop.Mount, error) {
	if err := isName(source.Server); err != nil {
		return controlloop.Mount{}, err
	}
	mount, err := m.inside("nfs/"+source.Server, source.Path,
		func(server *os.Root, way string) error {
			return server.MkdirAll(way, 0o777)
		})
	mount.ReadOnly = source.ReadOnly
	return mount, err
}
