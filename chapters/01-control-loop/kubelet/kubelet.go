package kubelet

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	controlloop "reconcile/chapters/01-control-loop"
)

// Kubelet makes the containers of one node be what the Pods bound to it say.
// It is a Reconciler like any other; its actual state is not in the store but
// in a Runtime, and it is the one that reports it there.
type Kubelet struct {
	Client   controlloop.Client
	Pods     *controlloop.Indexer // those bound to the machine's node
	Recorder controlloop.Recorder
	Machine

	mu       sync.Mutex
	memory   map[types.UID]*memory
	admitted sets.Set[types.UID]
	images   sets.Set[string] // those it has pulled, or found in use
	hostIP   string           // the node's own address, once it is known
}

// New returns the controller that runs the Pods of a node.
func New(s *controlloop.System, machine Machine) *controlloop.Controller {
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{
		Fields: fields.OneTermEqualSelector("spec.nodeName", machine.Node),
	})
	k := &Kubelet{
		Client: s.Client, Pods: pods.Cache, Machine: machine,
		Recorder: s.RecorderFor("kubelet", machine.Node),
		memory:   map[types.UID]*memory{},
		admitted: sets.New[types.UID](), images: sets.New[string](),
	}
	c := controlloop.NewController("kubelet "+machine.Node, k)
	c.Workers = 16 // a probe that hangs holds up one of them
	s.Add(c)
	c.Watch(pods, controlloop.Self)
	machine.Runtime.OnExit(c.Queue.Add)
	machine.Volumes.OnReady(c.Queue.Add)
	for _, left := range machine.Runtime.Sandboxes() {
		c.Queue.Add(left.Pod)
		machine.Volumes.Keep(left.UID)
		for _, container := range machine.Runtime.Containers(left.UID) {
			k.images.Insert(container.Image)
		}
	}
	return c
}

// Reconcile implements controlloop.Reconciler.
func (k *Kubelet) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := k.Pods.Get(key)
	if !ok {
		_, err := k.clear(ctx, key, "")
		return controlloop.Result{}, err
	}
	pod := obj.(*corev1.Pod)
	if clear, err := k.clear(ctx, key, pod.UID); err != nil || !clear {
		return controlloop.Result{}, err
	}
	switch {
	case pod.DeletionTimestamp != nil:
		return controlloop.Result{}, k.terminate(ctx, pod)
	case controlloop.HasEnded(pod):
		return controlloop.Result{}, k.Volumes.Unmount(ctx, pod.UID)
	}
	return k.run(ctx, pod)
}

// clear removes containers that run under a Pod's name but belong to another
// Pod: one that is gone from the store, whether it had been told to end or
// not. It reports whether all of them are gone; if not, the last container
// to end brings us back.
func (k *Kubelet) clear(
	ctx context.Context, key controlloop.Key, keep types.UID,
) (clear bool, err error) {
	clear = true
	for _, s := range k.Runtime.SandboxesOf(key) {
		if s.UID == keep {
			continue
		}
		if k.kill(s) {
			clear = false
			continue
		}
		if err := k.remove(ctx, s.UID); err != nil {
			return false, err
		}
	}
	return clear, nil
}

// kill gives no time to the containers in a sandbox, and reports whether any
// runs.
func (k *Kubelet) kill(s Sandbox) (running bool) {
	for name, status := range k.Runtime.Containers(s.UID) {
		if status.State.Running != nil {
			k.noteStop(s, name, k.Runtime.Stop(s.UID, name, 0))
			running = true
		}
	}
	return running
}

// remove removes the sandbox and the volumes of a Pod whose
// containers have ended.
func (k *Kubelet) remove(ctx context.Context, pod types.UID) error {
	if err := k.Volumes.Unmount(ctx, pod); err != nil {
		return err
	}
	if err := k.Runtime.Remove(ctx, pod); err != nil {
		return err
	}
	k.forget(pod)
	return nil
}

// sandboxAgain is the time until a sandbox that could not be made is tried
// again (Kubernetes: backOffPeriod in pkg/kubelet/kubelet.go).
const sandboxAgain = 10 * time.Second

// run takes the Pod's containers a step towards running, and reports.
func (k *Kubelet) run(
	ctx context.Context, pod *corev1.Pod,
) (controlloop.Result, error) {
	if reason, message := k.admit(ctx, pod); reason != "" {
		return controlloop.Result{}, k.reject(ctx, pod, reason, message)
	}
	m := k.remember(pod.UID)
	sandbox, err := k.Runtime.Sandbox(ctx, pod)
	switch {
	case pod.Status.StartTime == nil, m.news(pod, k.Runtime.Containers(pod.UID)):
		// Say so before doing anything about it, which may take long. The write
		// of the status brings us back.
		return controlloop.Result{}, k.report(ctx, pod, sandbox.IP, m)
	case err != nil:
		k.Recorder.Eventf(pod, corev1.EventTypeWarning, "FailedCreatePodSandBox",
			"Failed to create pod sandbox: %v", err)
		return controlloop.Result{After: sandboxAgain}, nil
	}
	after := k.probeAll(ctx, pod, m)
	steps := nextSteps(pod, k.Runtime.Containers(pod.UID), m)
	retry, err := k.take(ctx, pod, m, steps)
	if reportErr := k.report(ctx, pod, sandbox.IP, m); reportErr != nil {
		err = reportErr
	}
	return controlloop.Result{After: controlloop.Sooner(after, retry)}, err
}

// terminate ends a Pod: first its containers, then its volumes, then itself.
func (k *Kubelet) terminate(ctx context.Context, pod *corev1.Pod) error {
	containers := k.Runtime.Containers(pod.UID)
	running := nextToEnd(pod, containers)
	for _, c := range running {
		k.stop(pod, c.Name, graceFor(pod, c), "Stopping container "+c.Name)
	}
	if len(containers) > 0 { // else they are gone, and how they ended is known
		err := k.report(ctx, pod, pod.Status.PodIP, k.remember(pod.UID))
		if err != nil {
			return err
		}
	}
	if len(running) > 0 {
		return nil // the last to end brings us back
	}
	if err := k.remove(ctx, pod.UID); err != nil {
		return err
	}
	now := metav1.DeleteOptions{
		GracePeriodSeconds: new(int64),
		Preconditions:      metav1.NewUIDPreconditions(string(pod.UID)),
	}
	err := k.Client.Delete(
		ctx, controlloop.PodKind, controlloop.KeyOf(pod), now)
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// stop asks a container to end. Only the first time is an event, and that it has
// outlived its kill.
func (k *Kubelet) stop(pod *corev1.Pod, name string, grace int64, why string) {
	if m := k.remember(pod.UID); !m.stopping.Has(name) {
		m.stopping.Insert(name)
		k.note(pod, name, corev1.EventTypeNormal, "Killing", "%s", why)
	}
	k.noteStop(Sandbox{Pod: controlloop.KeyOf(pod), UID: pod.UID}, name,
		k.Runtime.Stop(pod.UID, name, grace))
}

// report writes the Pod's status, if it is not what the store has already.
func (k *Kubelet) report(
	ctx context.Context, pod *corev1.Pod, ip string, m *memory,
) error {
	status := statusOf(pod, ip, k.Runtime.Containers(pod.UID), m)
	status.HostIP = k.address(ctx)
	if status.HostIP != "" {
		status.HostIPs = []corev1.HostIP{{IP: status.HostIP}}
	}
	if sameStatus(status, pod.Status) {
		return nil
	}
	next := controlloop.Copy(pod)
	next.Status = status
	_, err := k.Client.UpdateStatus(ctx, next)
	return err
}

// address returns the node's own, or "" while there is no such Node.
func (k *Kubelet) address(ctx context.Context) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.hostIP != "" {
		return k.hostIP
	}
	obj, err := k.Client.Get(
		ctx, controlloop.NodeKind, controlloop.Key{Name: k.Node})
	if err != nil {
		return "" // asked again at the next report
	}
	for _, a := range obj.(*corev1.Node).Status.Addresses {
		if a.Type == corev1.NodeInternalIP {
			k.hostIP = a.Address
		}
	}
	return k.hostIP
}
