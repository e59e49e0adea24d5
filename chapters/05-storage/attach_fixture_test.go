package storage_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// machines are two nodes whose kubelets have devices, and the disks of the cluster,
// below a root. A silent node has lost its network: it goes on, hears nothing, and
// nobody hears of it. It is the reference of what must not happen to a disk.
type machines struct {
	root       string
	neverForce bool

	mu      sync.Mutex
	silent  map[string]bool
	mounted map[string]int  // "node-1 disk": by how many containers
	givenUp map[string]bool // taken by the rule from a node that may have it mounted
	wrong   error           // the first thing that must not happen to a disk
}

func newMachines(root string) *machines {
	return &machines{root: root, silent: map[string]bool{}, mounted: map[string]int{},
		givenUp: map[string]bool{}}
}

// app implements Program: it has its disk until it is asked to end.
func (m *machines) app(ctx context.Context, p *simulated.Process) int {
	for _, mount := range p.Mounts {
		where := p.Pod.Spec.NodeName + " " + filepath.Base(mount.Source)
		m.count(where, 1)
		defer m.count(where, -1)
	}
	return kubetest.Sleeps(0)(ctx, p)
}

func (m *machines) count(where string, by int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.mounted[where] += by; m.mounted[where] == 0 {
		delete(m.mounted, where)
		delete(m.givenUp, where)
	}
}

// setup returns a cluster with all controllers of this chapter's disks.
func (m *machines) setup() kubetest.Setup {
	return kubetest.Setup{
		Kinds: allKinds.With(secrets), Nodes: 2, NodeObjects: true,
		Controllers: []kubetest.Controller{
			storage.NewBinder, storage.NewClaimProtection, storage.NewVolumeProtection,
			func(s *controlloop.System) *controlloop.Controller {
				return storage.NewProvisioner(s, storage.Driver, m)
			},
			func(s *controlloop.System) *controlloop.Controller {
				return storage.NewAttacherWith(s, m.neverForce)
			},
			func(s *controlloop.System) *controlloop.Controller {
				return storage.NewDriverSide(s, storage.Driver)
			},
		},
		PerNode: []kubetest.OfNode{
			func(s *controlloop.System, of kubelet.Machine) (c *controlloop.Controller) {
				m.apart(s, of.Node, func() { c = kubelet.New(s, of) })
				return c
			}},
		Images: simulated.Images{"app": m.app},
		Volumes: func(s *controlloop.System, node string) (v kubelet.Volumes) {
			m.apart(s, node, func() { v = storage.NewDeviceMounts(s, node, m.root) })
			return v
		},
		Invariants: []kubetest.Invariant{oneToOne, nothingLost, m.oneNode},
	}
}

// wipe throws away what an earlier cluster has left.
func (m *machines) wipe() {
	clear(m.silent)
	clear(m.mounted)
	clear(m.givenUp)
	m.wrong = nil
	for _, folder := range []string{"devices", "volumes", "pods"} {
		if err := os.RemoveAll(filepath.Join(m.root, folder)); err != nil {
			panic(err)
		}
	}
}

// Make implements storage.Backend, and so does Remove.
func (m *machines) Make(disk string) error { return storage.Folders(m.root).Make(disk) }

func (m *machines) Remove(disk string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, node := range m.holders(disk) {
		m.wrong = fmt.Errorf("disk %s is thrown away while %s has it mounted", disk, node)
	}
	return storage.Folders(m.root).Remove(disk)
}

// holders returns the nodes that have a disk mounted, and have not been given up.
func (m *machines) holders(disk string) (nodes []string) {
	for _, node := range []string{"node-1", "node-2"} {
		if where := node + " " + disk; m.mounted[where] > 0 && !m.givenUp[where] {
			nodes = append(nodes, node)
		}
	}
	return nodes
}

// oneNode returns an error when two nodes have an exclusive disk; when one is taken
// from a node that uses it, against the rule; and what has gone wrong with a disk
// itself.
func (m *machines) oneNode(w kubetest.Write, before []kubetest.Write) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	node, ok := w.Object.(*corev1.Node)
	if m.wrong != nil || !ok || w.Old == nil {
		return m.wrong
	}
	was := w.Old.(*corev1.Node)
	for _, v := range was.Status.VolumesAttached {
		if !slices.Contains(node.Status.VolumesAttached, v) &&
			slices.Contains(was.Status.VolumesInUse, v.Name) && isAttached(v.Name, node.Name, before) {
			if !m.mayBeTaken(node) {
				return fmt.Errorf("%s is taken from %s, which has it in use", v.Name, node.Name)
			}
			if where := node.Name + " " + handleOf(v.Name); m.mounted[where] > 0 {
				m.givenUp[where] = true
			}
		}
	}
	for _, v := range node.Status.VolumesAttached {
		if !slices.Contains(was.Status.VolumesAttached, v) && !isAttached(v.Name, node.Name, before) {
			return fmt.Errorf("%s is said to be attached to %s, and no attachment says so", v.Name, node.Name)
		}
	}
	for _, other := range latest(before) {
		for _, v := range other.Status.VolumesAttached {
			if other.Name != node.Name && slices.Contains(node.Status.VolumesAttached, v) {
				return fmt.Errorf("%s is attached to %s and to %s", v.Name, node.Name, other.Name)
			}
		}
	}
	for _, v := range node.Status.VolumesAttached {
		for _, holder := range m.holders(handleOf(v.Name)) {
			if holder != node.Name {
				return fmt.Errorf("%s is attached to %s while %s has it mounted", v.Name, node.Name, holder)
			}
		}
	}
	return nil
}

// mayBeTaken is the rule of the page, but for the time.
func (m *machines) mayBeTaken(node *corev1.Node) bool {
	out := slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == corev1.TaintNodeOutOfService
	})
	return out || node.Status.Conditions[0].Status != corev1.ConditionTrue && !m.neverForce
}

func handleOf(disk corev1.UniqueVolumeName) string {
	_, handle, _ := strings.Cut(string(disk), "^")
	return handle
}

// isAttached reports whether an attachment brings a disk to a node, and is to stay.
func isAttached(disk corev1.UniqueVolumeName, node string, before []kubetest.Write) bool {
	handles, attached := map[string]string{}, map[string]bool{}
	for _, b := range before {
		switch obj := b.Object.(type) {
		case *corev1.PersistentVolume:
			if obj.Spec.CSI != nil {
				handles[obj.Name] = obj.Spec.CSI.VolumeHandle
			}
		case *storagev1.VolumeAttachment:
			where := obj.Spec.NodeName + " " + handles[*obj.Spec.Source.PersistentVolumeName]
			attached[where] = obj.Status.Attached && obj.DeletionTimestamp == nil && b.Type != watch.Deleted
		}
	}
	return attached[node+" "+handleOf(disk)]
}

// latest returns the nodes as the writes have left them.
func latest(before []kubetest.Write) map[string]*corev1.Node {
	nodes := map[string]*corev1.Node{}
	for _, b := range before {
		if node, ok := b.Object.(*corev1.Node); ok {
			nodes[node.Name] = node
		}
	}
	return nodes
}

// apart lets what make makes of a node's reach the cluster only while the node isn't
// silent.
func (m *machines) apart(s *controlloop.System, node string, make func()) {
	client := s.Client
	s.Client = cable{client, m, node}
	make()
	s.Client = client
}

// cable is the client of a node.
type cable struct {
	controlloop.Client
	*machines
	node string
}

func (c cable) cut() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.silent[c.node] {
		return apierrors.NewTimeoutError("no route to host", 1)
	}
	return nil
}

func (c cable) Get(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key,
) (controlloop.Object, error) {
	if err := c.cut(); err != nil {
		return nil, err
	}
	return c.Client.Get(ctx, kind, key)
}

func (c cable) UpdateStatus(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	if err := c.cut(); err != nil {
		return nil, err
	}
	return c.Client.UpdateStatus(ctx, obj)
}

func (c cable) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	w, err := c.Client.Watch(ctx, kind, opts)
	return quiet{w, c}, err
}

// quiet is a watch that says nothing while its node is silent.
type quiet struct {
	controlloop.Watch
	cable cable
}

func (q quiet) TryNext() (watch.Event, bool, error) {
	if q.cable.cut() != nil {
		return watch.Event{}, false, nil
	}
	return q.Watch.TryNext()
}

// on returns a Pod on a node that mounts a claim.
func on(node, name, claim string) *corev1.Pod {
	pod := mounter(name, claimVolume("data", claim))
	pod.Spec.NodeName = node
	return pod
}

// whereabouts says which Pods run, and who has which disk.
func (m *machines) whereabouts(c *kubetest.Cluster) string {
	var all []string
	for _, pod := range c.Pods() {
		all = append(all, fmt.Sprintf("%s %s", pod.Name, leaving(pod, string(pod.Status.Phase))))
	}
	for _, at := range kubetest.All[*storagev1.VolumeAttachment](c, storage.AttachmentKind) {
		all = append(all, fmt.Sprintf("attachment to %s %v", at.Spec.NodeName, at.Status.Attached))
	}
	for _, node := range kubetest.All[*corev1.Node](c, controlloop.NodeKind) {
		all = append(all, fmt.Sprintf("%s uses %d and has %d", node.Name,
			len(node.Status.VolumesInUse), len(node.Status.VolumesAttached)))
	}
	disks, _ := os.ReadDir(filepath.Join(m.root, "volumes"))
	return strings.Join(append(all, volumesLeft(c), fmt.Sprint(len(disks), " disks")), ", ")
}
