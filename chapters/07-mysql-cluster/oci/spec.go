//go:build linux

package oci

import (
	"slices"
	"strings"

	"github.com/opencontainers/runtime-spec/specs-go"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/07-mysql-cluster/oci/host"
	"reconcile/chapters/07-mysql-cluster/oci/image"
	"reconcile/chapters/07-mysql-cluster/oci/linux"
)

// specOf returns what runc is told of a container: everything that makes a
// process one. Mounts are the image's, and then the Pod's.
func (r *runtime) specOf(
	p *sandbox, c *container, rights *rights, mounts []specs.Mount,
) (*specs.Spec, error) {
	process, err := processOf(p, c.spec, c.image, rights)
	if err != nil {
		return nil, err
	}
	mounts = slices.Concat(linux.Mounts(r.rootless), mounts, []specs.Mount{
		host.Bind(r.Init, initPath, "ro"),
	})
	spec := &specs.Spec{
		Version: "1.0.2", // that of runc 1.1
		Process: process,
		Root:    &specs.Root{Path: "rootfs", Readonly: rights.readOnly},
		Mounts:  mounts,
		Linux: &specs.Linux{
			//book:region namespaces
			Namespaces: []specs.LinuxNamespace{
				{Type: specs.PIDNamespace},
				{Type: specs.MountNamespace},
				{Type: specs.NetworkNamespace, Path: p.namespace("net")},
				{Type: specs.UTSNamespace, Path: p.namespace("uts")},
				{Type: specs.IPCNamespace, Path: p.namespace("ipc")},
			},
			//book:end
			MaskedPaths:   linux.Masked,
			ReadonlyPaths: linux.ReadOnly,
		},
	}
	if !r.rootless { // else there is no cgroup that we may divide
		spec.Linux.CgroupsPath = r.cgroupOf(c)
		spec.Linux.Resources = resourcesOf(c.spec)
	}
	return spec, nil
}

// initPath is where podinit is in a container: /dev is the container's own, and
// none of the image's.
const initPath = "/dev/init"

// environmentOf returns the variables of a container: what comes later wins.
func environmentOf(
	p *sandbox, c *corev1.Container, image *image.Image,
) []string {
	env := []string{
		"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
		"HOSTNAME=" + p.hostname,
	}
	if c.TTY {
		env = append(env, "TERM=xterm")
	}
	env = append(env, image.Env...)
	for _, v := range c.Env {
		env = append(env, v.Name+"="+v.Value)
	}
	var last []string
	for i, v := range env {
		name, _, _ := strings.Cut(v, "=")
		again := func(w string) bool { return strings.HasPrefix(w, name+"=") }
		if !slices.ContainsFunc(env[i+1:], again) {
			last = append(last, v)
		}
	}
	return last
}
