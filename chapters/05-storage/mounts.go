package storage

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
)

// Mounts provides what the kubelet of one node mounts: folders below a root,
// which the kubelets of other nodes may use as well.
//
//	pods/<node>/<uid>/<volume>  a Pod's own, which go with it
//	nodes/<node>/…              the file system of a node
//	nfs/<server>/…              the exports of a file server, to all nodes
//	volumes/<handle>            a volume of our Driver, for whichever node
//
// It remembers nothing that cannot be lost: the mounts themselves are on disk.
type Mounts struct {
	client     controlloop.Client
	node, root string
	pods       *controlloop.Indexer // those of the node
	queue      controlloop.RetryQueue[controlloop.Key]
	tell       func(controlloop.Key)
	again      *controlloop.Backoff[types.UID] // of Pods that were refused
	devices    *devices                        // nil: nothing has to be attached

	mu   sync.Mutex          // held while a Pod's own files are written or removed
	kept sets.Set[types.UID] // the Pods that an earlier kubelet has left running
}

// NewMounts returns the volumes of a node's kubelet: folders below root. A
// controller of its own keeps them up to date.
func NewMounts(
	s *controlloop.System, node, root string,
) kubelet.Volumes {
	m, _ := newMounts(s, node, root)
	return m
}

func newMounts(
	s *controlloop.System, node, root string,
) (*Mounts, *controlloop.Controller) {
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{
		Fields: fields.OneTermEqualSelector("spec.nodeName", node),
	})
	pods.Cache.AddIndex(byUse, uses)
	m := &Mounts{
		client: s.Client, node: node, root: root, pods: pods.Cache,
		tell: func(controlloop.Key) {}, kept: sets.New[types.UID](),
		// Kubernetes has these delays in
		// pkg/util/goroutinemap/exponentialbackoff.
		again: controlloop.NewBackoff[types.UID](
			500*time.Millisecond, 2*time.Minute+2*time.Second),
	}
	c := controlloop.NewController("mounts "+node, m)
	m.queue = c.Queue
	s.Add(c)
	c.Watch(pods, m.usersOf(controlloop.PodKind))
	for _, kind := range inUse {
		all := s.Informer(kind, controlloop.ListOptions{})
		c.Watch(all, m.usersOf(kind))
	}
	c.Queue.Add(leftovers)
	return m, c
}

// Mount implements kubelet.Volumes. Volumes that no container mounts are
// left alone.
func (m *Mounts) Mount(
	ctx context.Context, pod *corev1.Pod,
) (map[string]kubelet.Mount, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	mounts, mounted := map[string]kubelet.Mount{}, mountedBy(pod)
	for i := range pod.Spec.Volumes {
		v := &pod.Spec.Volumes[i]
		if !mounted.Has(v.Name) {
			continue
		}
		mount, err := m.mount(ctx, pod, v)
		if err != nil {
			m.queue.AddAfter(controlloop.KeyOf(pod), m.again.Next(pod.UID))
			return nil, refusal(v.Name, err)
		}
		mounts[v.Name] = mount
	}
	m.again.Forget(pod.UID)
	return mounts, nil
}

// mountedBy returns the names of the volumes that a Pod's containers mount.
func mountedBy(pod *corev1.Pod) sets.Set[string] {
	names := sets.New[string]()
	mounts := func(all []corev1.VolumeMount) {
		for _, at := range all {
			names.Insert(at.Name)
		}
	}
	for _, c := range slices.Concat(pod.Spec.InitContainers, pod.Spec.Containers) {
		mounts(c.VolumeMounts)
	}
	for _, c := range pod.Spec.EphemeralContainers {
		mounts(c.VolumeMounts)
	}
	return names
}

// mount makes one volume ready.
func (m *Mounts) mount(
	ctx context.Context, pod *corev1.Pod, v *corev1.Volume,
) (kubelet.Mount, error) {
	claim := claimOf(pod, v)
	files, _ := filesOf(v)
	switch {
	case claim != "":
		return m.claimed(ctx, pod, v, claim)
	case files != nil:
		return m.written(ctx, pod, v)
	case v.HostPath != nil:
		return m.hostPath(v.HostPath)
	case v.EmptyDir != nil:
		return folder(m.root, m.ofPod(pod.UID), v.Name)
	}
	return kubelet.Mount{}, noPlugin(v.Name, v.Name)
}

// refusal returns err as a reason to wait. An error that names its volume
// already is left as it is.
func refusal(volume string, err error) error {
	if whole := new(kubelet.MountError); errors.As(err, &whole) {
		return whole
	}
	return &kubelet.MountError{Volume: volume, Reason: err.Error()}
}

// unprocessed says that a volume never came as far as being mounted, as
// Kubernetes' volume manager does.
func unprocessed(volume string, err error) error {
	return &kubelet.MountError{Reason: fmt.Sprintf(
		"Unable to attach or mount volumes: unmounted volumes=[%[1]s], "+
			"unattached volumes=[], failed to process volumes=[%[1]s]: %[2]v",
		volume, err)}
}

// noPlugin says that no plugin can mount a volume; source names its
// kind.
func noPlugin(volume, source string) error {
	return unprocessed(volume, fmt.Errorf("failed to get Plugin from "+
		"volumeSpec for volume %q err=no volume plugin matched", source))
}

// OnReady implements kubelet.Volumes.
func (m *Mounts) OnReady(f func(controlloop.Key)) { m.tell = f }

// Keep implements kubelet.Volumes.
func (m *Mounts) Keep(pod types.UID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.kept.Insert(pod)
}

// Unmount implements kubelet.Volumes. Data that outlive the Pod stay where
// they are: only the Pod's own go.
func (m *Mounts) Unmount(ctx context.Context, pod types.UID) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.again.Forget(pod)
	m.kept.Delete(pod)
	err := remove(m.root, m.ofPod(""), string(pod))
	if m.devices != nil && err == nil {
		err = m.devices.unpublish(ctx,
			func(other types.UID) bool { return other == pod })
	}
	return err
}
