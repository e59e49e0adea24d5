package images

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/streams"
)

// node is a simulated runtime whose containers are made of this package's
// images. It implements controlloop.Runtime.
type node struct {
	*controlloop.Simulated
	machines *Machines

	mu         sync.Mutex
	containers map[target]*container // that were started last
	starting   map[*corev1.Container]*container
}

// target is a container of a Pod.
type target struct {
	pod       types.UID
	container string
}

var _ controlloop.Runtime = (*node)(nil)

// Start implements controlloop.Runtime. The image is pulled each time, so that
// one which is there no more is missed at the next start.
func (n *node) Start(
	ctx context.Context, pod *corev1.Pod, spec *corev1.Container,
	mounts []controlloop.Mount,
) error {
	program, img, err := n.machines.pull(spec.Image)
	if err != nil {
		return err
	}
	if program != nil {
		n.put(target{pod.UID, spec.Name}, nil)
		n.SetImage(spec.Image, program)
		return n.Simulated.Start(ctx, pod, spec, mounts)
	}
	sandbox, err := n.Sandbox(ctx, pod)
	if err != nil {
		return err
	}
	c, err := newContainer(
		pod, spec, img, mounts, sandbox.IP, n.machines.reader(ctx, pod))
	if err != nil {
		return err
	}
	n.SetImage(spec.Image, n.run)
	n.put(target{pod.UID, spec.Name}, c)
	err = n.Simulated.Start(ctx, pod, c.spec, mounts)
	n.mu.Lock()
	defer n.mu.Unlock()
	if err != nil {
		delete(n.starting, c.spec)
		return err
	}
	c.id = n.Containers(pod.UID)[spec.Name].ContainerID
	return nil
}

// put notes who is started last. The log of the one before is kept, those of
// others are not.
func (n *node) put(at target, c *container) {
	n.mu.Lock()
	defer n.mu.Unlock()
	before := n.containers[at]
	n.containers[at] = c
	if before != nil {
		before.previous = nil
	}
	if c != nil {
		c.previous = before
		n.starting[c.spec] = c
	}
}

// run is the program of all images. Which attempt it is of, it knows by the
// container's spec, of which each attempt has its own copy.
func (n *node) run(ctx context.Context, p *controlloop.Process) int {
	n.mu.Lock()
	c := n.starting[p.Container]
	delete(n.starting, p.Container)
	n.mu.Unlock()
	return c.run(ctx, p, &network{n, p})
}

func (n *node) at(at target) *container {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.containers[at]
}

// attempt returns the attempt of a container that has an ID, or nil.
func (n *node) attempt(at target, id string) *container {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c := n.containers[at]; c != nil; c = c.previous {
		if c.id == id {
			return c
		}
	}
	return nil
}

// Remove implements controlloop.Runtime. The logs go with the containers.
func (n *node) Remove(ctx context.Context, pod types.UID) error {
	err := n.Simulated.Remove(ctx, pod)
	n.mu.Lock()
	defer n.mu.Unlock()
	for at := range n.containers {
		if at.pod == pod {
			delete(n.containers, at)
		}
	}
	return err
}

// Exec implements controlloop.Runtime: it is how probes run commands.
func (n *node) Exec(
	ctx context.Context, pod types.UID, name string, command []string,
) (string, int, error) {
	c := n.at(target{pod, name})
	if c == nil {
		return n.Simulated.Exec(ctx, pod, name, command)
	}
	var out bytes.Buffer
	code, err := c.exec(ctx, command, streams.IO{Stdout: &out, Stderr: &out})
	if err == nil {
		err = ctx.Err() // an answer that comes too late is none
	}
	return strings.TrimSpace(out.String()), code, err
}

// isRunning reports whether the last attempt of a container runs.
func (n *node) isRunning(at target) bool {
	return n.Containers(at.pod)[at.container].State.Running != nil
}

func missing(container string) error {
	return fmt.Errorf("container not found (%q)", container)
}
