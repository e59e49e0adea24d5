package images

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/types"

	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/chapters/01-control-loop/unsupported"
	"reconcile/internal/apiserver/streams"
)

// node is a simulated runtime whose containers are made of this package's
// images. It implements kubelet.Runtime, and is its own registry.
type node struct {
	*simulated.Runtime
	machines *Machines
	subnet   string // "10.244.1"
	cable    cable
	host     host

	mu         sync.Mutex
	containers map[target]*container // that were started last
}

// root is the user of all images.
const root = 0

// target is a container of a Pod.
type target struct {
	pod       types.UID
	container string
}

var _ kubelet.Runtime = (*node)(nil)

// Pull implements simulated.Registry. The image is pulled each time, so that
// one which is there no more is missed at the next start.
func (n *node) Pull(
	ctx context.Context, p *simulated.Process,
) (simulated.Program, error) {
	img, err := n.machines.pull(p.Container.Image)
	if err != nil {
		return nil, err
	}
	n.machines.wait(ctx)
	if n.cable.isOff() {
		return nil, errors.New("the machine is switched off")
	}
	if err := unsupported.OfRoot(p.Pod, p.Container, root); err != nil {
		return nil, err
	}
	c, err := newContainer(p, img, n.joinedBy(p), n)
	if c != nil {
		c.pods = n.pods
		n.put(target{p.Pod.UID, p.Container.Name}, c)
	}
	if err != nil {
		return nil, err
	}
	return c.run, nil
}

// pods returns the Pods that a Pod of this node reaches.
func (n *node) pods() simulated.PodNetwork { return n.machines.reachable(n) }

// joinedBy returns the container whose processes p, added to a Pod, shall see,
// or nil.
func (n *node) joinedBy(p *simulated.Process) *container {
	for _, c := range p.Pod.Spec.EphemeralContainers {
		if c.Name == p.Container.Name && c.TargetContainerName != "" {
			return n.at(target{p.Pod.UID, c.TargetContainerName})
		}
	}
	return nil
}

// put notes the attempt that is started last. The log of the one before is
// kept, those of others are not.
func (n *node) put(at target, c *container) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if c.previous = n.containers[at]; c.previous != nil {
		c.previous.previous = nil
	}
	n.containers[at] = c
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
		if c.self.ID == id {
			return c
		}
	}
	return nil
}

// Remove implements kubelet.Runtime. The logs go with the containers.
func (n *node) Remove(ctx context.Context, pod types.UID) error {
	err := n.Runtime.Remove(ctx, pod)
	n.host.release(pod, "")
	n.mu.Lock()
	defer n.mu.Unlock()
	for at := range n.containers {
		if at.pod == pod {
			delete(n.containers, at)
		}
	}
	return err
}

// Exec implements kubelet.Runtime: probes run commands by it.
func (n *node) Exec(
	ctx context.Context, pod types.UID, name string, command []string,
) (string, int, error) {
	c := n.at(target{pod, name})
	if c == nil {
		return "", 0, missing(name)
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
