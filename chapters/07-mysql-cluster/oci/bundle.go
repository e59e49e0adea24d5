//go:build linux

package oci

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/containerd/go-runc"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/07-mysql-cluster/oci/host"
)

// bundle makes what runc wants of a container: a folder with its root, and
// config.json beside that.
func (r *runtime) bundle(
	p *sandbox, pod *corev1.Pod, c *container, volumes []kubelet.Mount,
) error {
	mounts, err := c.image.Root(filepath.Join(c.dir, "rootfs"))
	if err != nil {
		return fmt.Errorf("lay out image %s: %w", c.image.Name, err)
	}
	for _, name := range []string{"hosts", "hostname", "resolv.conf"} {
		mounts = append(mounts,
			host.Bind(filepath.Join(p.dir, name), "/etc/"+name, "rw"))
	}
	held, err := host.Hold(filepath.Join(c.dir, "mounts"), volumes)
	if err != nil {
		return err
	}
	rights, err := r.rightsOf(pod, c.spec, c.image)
	if err != nil {
		return err
	}
	spec, err := r.specOf(p, c, rights, slices.Concat(mounts, held))
	if err != nil {
		return err
	}
	c.process = spec.Process
	text, err := json.MarshalIndent(spec, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(c.dir, "config.json"), text, 0o644)
}

// clearAway removes all of a container that does not run any more, but for its
// log.
func (r *runtime) clearAway(ctx context.Context, c *container) error {
	ctx = context.WithoutCancel(ctx)
	err := r.runc.Delete(ctx, c.id, &runc.DeleteOpts{Force: true})
	if c.image.Release != nil {
		err = errors.Join(err, c.image.Release(filepath.Join(c.dir, "rootfs")))
	}
	return errors.Join(err, host.Clear(c.dir))
}

// lackedMemory reports whether the kernel has killed in a container because its
// limit was reached. It asks the container's cgroup, of either version.
func (r *runtime) lackedMemory(c *container) bool {
	for _, events := range []string{
		"/sys/fs/cgroup" + r.cgroupOf(c) + "/memory.events",
		"/sys/fs/cgroup/memory" + r.cgroupOf(c) + "/memory.oom_control",
	} {
		file, err := os.Open(events)
		if err != nil {
			continue
		}
		defer file.Close()
		for lines := bufio.NewScanner(file); lines.Scan(); {
			count, ok := strings.CutPrefix(lines.Text(), "oom_kill ")
			if ok && count != "0" {
				return true
			}
		}
	}
	return false
}

// cgroupOf returns the path of a container's cgroup.
func (r *runtime) cgroupOf(c *container) string { return r.cgroups + c.id }
