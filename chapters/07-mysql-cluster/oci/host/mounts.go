//go:build linux

package host

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/opencontainers/runtime-spec/specs-go"
	"golang.org/x/sys/unix"

	"reconcile/chapters/01-control-loop/kubelet"
	storage "reconcile/chapters/05-storage"
)

// Hold makes what a container mounts stay what it is, below a folder, and
// returns how the container mounts it: the outer before the inner. (Kubernetes:
// pkg/volume/util/subpath/subpath_linux.go.)
func Hold(
	dir string, mounts []kubelet.Mount,
) (all []specs.Mount, err error) {
	mounts = slices.Clone(mounts)
	slices.SortStableFunc(mounts, func(a, b kubelet.Mount) int {
		return cmp.Compare(depth(a.Path), depth(b.Path))
	})
	for i, mount := range mounts {
		held := filepath.Join(dir, strconv.Itoa(i))
		if err := hold(held, mount); err != nil {
			return nil, fmt.Errorf("mount %s: %w", mount.Path, err)
		}
		mode := "rw"
		if mount.ReadOnly {
			mode = "ro"
		}
		all = append(all, Bind(held, mount.Path, mode))
	}
	return all, nil
}

// depth returns how far below the root a path is.
func depth(of string) int { return strings.Count(path.Clean(of), "/") }

// Bind returns a mount that shows a folder or a file somewhere else.
func Bind(source, destination, mode string) specs.Mount {
	return specs.Mount{
		Type: "bind", Source: source, Destination: destination,
		Options: []string{"rbind", "rprivate", "nosuid", "nodev", mode},
	}
}

// hold shows what a mount shows at a path of ours. Between that it was
// opened, past all links, and that runc mounts it, a container that has the
// volume too can replace any part of the way by a link; not what is mounted.
func hold(at string, mount kubelet.Mount) error {
	dir, file, err := storage.Open(mount)
	if err != nil {
		return err
	}
	if dir != nil {
		defer dir.Close()
		if file, err = dir.Open("."); err == nil {
			err = os.MkdirAll(at, 0o755)
		}
	} else {
		err = errors.Join(
			os.MkdirAll(filepath.Dir(at), 0o755), os.WriteFile(at, nil, 0o644))
	}
	if file != nil {
		defer file.Close()
	}
	if err != nil {
		return err
	}
	opened := fmt.Sprintf("/proc/self/fd/%d", file.Fd())
	if err := unix.Mount(opened, at, "", unix.MS_BIND, ""); err != nil {
		return err
	}
	return unix.Mount("", at, "", unix.MS_PRIVATE, "")
}

// Clear removes a folder with everything in it. A mount there is unmounted
// before: it shows data that is not the folder's. If it cannot be, nothing is
// removed.
func Clear(dir string) error {
	mounted, err := mountsBelow(dir)
	if err != nil {
		return err
	}
	for _, at := range slices.Backward(mounted) { // the last covers the others
		if err := unix.Unmount(at, unix.MNT_DETACH); err != nil {
			return fmt.Errorf("unmount %s: %w", at, err)
		}
	}
	mounted, err = mountsBelow(dir)
	if err == nil && len(mounted) > 0 {
		err = fmt.Errorf("still mounted: %q", mounted)
	}
	if err != nil {
		return err
	}
	return os.RemoveAll(dir)
}

// mountsBelow returns the paths in a folder at which something is mounted, in
// the order in which it was.
func mountsBelow(dir string) (paths []string, err error) {
	table, err := os.ReadFile("/proc/self/mountinfo")
	for line := range strings.Lines(string(table)) {
		at := unescapeMount.Replace(strings.Fields(line)[4])
		if strings.HasPrefix(at, dir+"/") {
			paths = append(paths, at)
		}
	}
	return paths, err
}

// unescapeMount undoes how the kernel writes what would end a field or a line.
var unescapeMount = strings.NewReplacer(
	`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
