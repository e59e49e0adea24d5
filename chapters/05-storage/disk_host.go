package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/kubelet"
)

// inside mounts a path of a disk, on which no link leads out of the disk.
// prepare is given both, to make or check the place.
func (m *Mounts) inside(
	in, disk, absolute string, prepare func(place *os.Root, way string) error,
) (kubelet.Mount, error) {
	way, err := within(absolute)
	if err != nil {
		return kubelet.Mount{}, fmt.Errorf("invalid path: %s %w", absolute, err)
	}
	mount, err := folder(m.root, in, disk)
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

// hostTypes lists the types that a path of a node may be required to have, in
// the words of the refusal.
var hostTypes = map[string]string{
	string(corev1.HostPathDirectory): "directory",
	string(corev1.HostPathFile):      "file",
	string(corev1.HostPathSocket):    "socket file",
	string(corev1.HostPathCharDev):   "character device",
	string(corev1.HostPathBlockDev):  "block device",
}

// hostPath mounts a path of this node, if it is of the type that is asked for
// (Kubernetes: checkTypeInternal in pkg/volume/hostpath). A path without a type
// is made by the container runtime, as a directory.
func (m *Mounts) hostPath(
	source *corev1.HostPathVolumeSource,
) (kubelet.Mount, error) {
	at, wanted := source.Path, corev1.HostPathUnset
	if source.Type != nil {
		wanted = *source.Type
	}
	if _, err := within(at); err != nil {
		return kubelet.Mount{}, fmt.Errorf("invalid HostPath `%s`: %w", at, err)
	}
	kind, creates := strings.CutSuffix(string(wanted), "OrCreate")
	prepare := func(node *os.Root, way string) error {
		info, err := node.Stat(way)
		missing := errors.Is(err, fs.ErrNotExist)
		switch {
		case missing && wanted == corev1.HostPathFileOrCreate:
			return node.WriteFile(way, nil, 0o644)
		case missing && (creates || wanted == corev1.HostPathUnset):
			return node.MkdirAll(way, 0o755)
		case missing:
			return fmt.Errorf("hostPath type check failed, %s is not a %s, unable "+
				"to determine its type: path %q does not exist",
				at, hostTypes[kind], at)
		case err != nil, wanted == corev1.HostPathUnset:
			return err
		}
		is := corev1.HostPathFile
		if info.IsDir() {
			is = corev1.HostPathDirectory
		}
		if kind != string(is) {
			return fmt.Errorf("hostPath type check failed: %s is not a %s, it's a %s",
				at, hostTypes[kind], is)
		}
		return nil
	}
	return m.inside("nodes", m.node, at, prepare)
}

// local mounts a disk of this node, which an administrator has to have put
// there.
func (m *Mounts) local(
	volume string, source *corev1.LocalVolumeSource,
) (kubelet.Mount, error) {
	exists := func(node *os.Root, way string) error {
		if _, err := node.Stat(way); err == nil {
			return nil
		}
		return missing(volume, source.Path)
	}
	return m.inside("nodes", m.node, source.Path, exists)
}

// missing refuses a volume whose disk is not there.
func missing(volume, path string) error {
	return &kubelet.MountError{Reason: fmt.Sprintf(
		"MountVolume.NewMounter initialization failed for volume %q : path %q "+
			"does not exist", volume, path)}
}

// nfs mounts an export of a file server. The server has every path that is
// asked for.
func (m *Mounts) nfs(
	source *corev1.NFSVolumeSource,
) (kubelet.Mount, error) {
	export := func(server *os.Root, way string) error {
		return server.MkdirAll(way, 0o777)
	}
	mount, err := m.inside("nfs", source.Server, source.Path, export)
	mount.ReadOnly = source.ReadOnly
	return mount, err
}
