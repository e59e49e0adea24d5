package hooks

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
)

// Runtime is a runtime that runs hooks.
type Runtime struct {
	kubelet.Runtime
	recorder controlloop.Recorder
	isEnding func(context.Context, *corev1.Pod) bool

	mu      sync.Mutex
	started map[types.UID]map[string]*container
}

// New returns a runtime that runs the hooks of next's containers, and tells
// recorder which fail. While isEnding reports that a Pod is to end, its
// containers are not kept waiting for a postStart.
func New(
	next kubelet.Runtime, recorder controlloop.Recorder,
	isEnding func(context.Context, *corev1.Pod) bool,
) *Runtime {
	return &Runtime{
		Runtime: next, recorder: recorder, isEnding: isEnding,
		started: map[types.UID]map[string]*container{},
	}
}

// container is one that has hooks and was started. The Runtime's lock guards
// what changes.
type container struct {
	pod  *corev1.Pod
	spec *corev1.Container

	asked  time.Time   // when it was first asked to stop; zero before
	end    time.Time   // of the time that it is given for that
	giveUp *time.Timer // ends its preStop then
	cancel func()      // ends that now
	free   bool        // that is over, and the container may be stopped
}

// Start implements kubelet.Runtime.
func (r *Runtime) Start(
	ctx context.Context, pod *corev1.Pod, c *corev1.Container,
	mounts []kubelet.Mount,
) error {
	if err := r.Runtime.Start(ctx, pod, c, mounts); err != nil || c.Lifecycle == nil {
		return err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.started[pod.UID] == nil {
		r.started[pod.UID] = map[string]*container{}
	}
	r.started[pod.UID][c.Name] = &container{pod: pod, spec: c}
	return nil
}

// PostStart runs the postStart of a container that has just started, if it has
// one, and returns when that is over. If it fails, the container is stopped, and
// PostStart returns why once it has ended: until then the kubelet, which waits,
// says of it that it is being created.
func (r *Runtime) PostStart(
	ctx context.Context, pod *corev1.Pod, c *corev1.Container,
) error {
	if c.Lifecycle == nil || c.Lifecycle.PostStart == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go r.endWith(ctx, pod, cancel)
	this := &container{pod: pod, spec: c}
	err := r.handle(ctx, this, c.Lifecycle.PostStart)
	if err != nil {
		r.recordEvent(this, corev1.EventTypeWarning, "FailedPostStartHook", "PostStartHook failed")
		r.recordEvent(this, corev1.EventTypeNormal, "Killing", "FailedPostStartHook")
		r.end(ctx, this)
	}
	return err
}

// end stops a container, and returns when it has ended, or cannot be made to, or
// its Pod is to end.
func (r *Runtime) end(ctx context.Context, c *container) {
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	uid, name := c.pod.UID, c.spec.Name
	for r.Containers(uid)[name].State.Running != nil {
		if r.Stop(uid, name, *c.pod.Spec.TerminationGracePeriodSeconds) != nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// endWith calls cancel once a Pod is to end. It looks once a second.
func (r *Runtime) endWith(ctx context.Context, pod *corev1.Pod, cancel func()) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if r.isEnding(ctx, pod) {
				cancel()
			}
		}
	}
}

// Stop implements kubelet.Runtime. The preStop is run first, in the time
// that the container is given, and whatever is left of that is for its end.
func (r *Runtime) Stop(pod types.UID, name string, grace int64) error {
	if r.holds(pod, name, grace) {
		return nil
	}
	return r.Runtime.Stop(pod, name, grace)
}

// holds reports whether the preStop of a container runs, having begun it if the
// container has one.
func (r *Runtime) holds(pod types.UID, name string, grace int64) bool {
	running := r.Runtime.Containers(pod)[name].State.Running != nil
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.started[pod][name]
	if c == nil || c.free || c.spec.Lifecycle.PreStop == nil || !running {
		return false
	}
	given := time.Duration(grace) * time.Second
	end := time.Now().Add(given)
	switch {
	case grace == 0:
		c.free = true
		c.drop()
		return false
	case c.asked.IsZero():
		c.asked, c.end = time.Now(), end
		var ctx context.Context
		ctx, c.cancel = context.WithCancel(context.Background())
		c.giveUp = time.AfterFunc(given, c.cancel)
		go r.preStop(ctx, c)
	case end.Before(c.end): // the Pod has been given less since
		c.end = end
		c.giveUp.Reset(given)
	}
	return true
}

// drop ends the preStop of a container, if it runs. The lock is held.
func (c *container) drop() {
	if c.cancel != nil {
		c.cancel()
	}
}

// atLeast is what a container is given for its end, whatever its preStop has
// left (Kubernetes: minimumGracePeriodInSeconds).
const atLeast = 2

// preStop runs the hook of a container, and then stops that.
func (r *Runtime) preStop(ctx context.Context, c *container) {
	if err := r.handle(ctx, c, c.spec.Lifecycle.PreStop); err != nil {
		r.recordEvent(c, corev1.EventTypeWarning, "FailedPreStopHook", "PreStopHook failed")
	}
	r.mu.Lock()
	c.giveUp.Stop()
	c.cancel()
	c.free = true
	given, took := c.end.Sub(c.asked), time.Since(c.asked)
	left := int64(given.Seconds()) - int64(took.Seconds())
	isThere := r.started[c.pod.UID][c.spec.Name] == c // no other attempt
	r.mu.Unlock()
	if isThere {
		// Whether it ends is told when the kubelet asks again.
		_ = r.Runtime.Stop(c.pod.UID, c.spec.Name, max(left, atLeast))
	}
}

// Remove implements kubelet.Runtime.
func (r *Runtime) Remove(ctx context.Context, pod types.UID) error {
	r.mu.Lock()
	for _, c := range r.started[pod] {
		c.drop()
	}
	delete(r.started, pod)
	r.mu.Unlock()
	return r.Runtime.Remove(ctx, pod)
}
