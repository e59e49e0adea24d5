//go:build linux

package oci

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/opencontainers/runtime-spec/specs-go"
	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/07-mysql-cluster/oci/image"
)

// processOf returns the first process of a container.
func processOf(
	p *sandbox, c *corev1.Container, image *image.Image, rights *rights,
) (*specs.Process, error) {
	command := c.Command
	args := c.Args
	if len(command) == 0 {
		command = image.Entrypoint
		if len(args) == 0 {
			args = image.Cmd
		}
	}
	command = slices.Concat(command, args)
	if len(command) == 0 {
		return nil, fmt.Errorf("no command specified")
	}
	mode := "run"
	if c.TTY {
		mode = "terminal"
	}
	return &specs.Process{
		Args:     append([]string{initPath, mode}, command...),
		Env:      environmentOf(p, c, image),
		Cwd:      cmp.Or(c.WorkingDir, image.WorkingDir, "/"),
		User:     rights.user,
		Terminal: c.TTY,
		Capabilities: &specs.LinuxCapabilities{
			Bounding: rights.powers, Effective: rights.powers,
			Permitted: rights.powers,
		},
		NoNewPrivileges: true,
	}, nil
}

// resourcesOf returns a container's limits as its cgroup has them. (Kubernetes:
// pkg/kubelet/cm/helpers_linux.go.) Requests are for the scheduler only: by
// Kubernetes' rule, a container without one would weigh a 512th of any other
// process of the machine, and be ready to start in half a minute.
func resourcesOf(c *corev1.Container) *specs.LinuxResources {
	r := &specs.LinuxResources{
		Devices: []specs.LinuxDeviceCgroup{{Allow: false, Access: "rwm"}},
	}
	if cpu := c.Resources.Limits.Cpu(); !cpu.IsZero() {
		const period = 100_000 // microseconds
		r.CPU = &specs.LinuxCPU{
			Period: new(uint64(period)),
			Quota:  new(max(1000, cpu.MilliValue()*period/1000)),
		}
	}
	if memory := c.Resources.Limits.Memory(); !memory.IsZero() {
		r.Memory = &specs.LinuxMemory{Limit: new(memory.Value())}
	}
	return r
}
