package cache

import (
	"iter"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
)

// Nodes are the nodes of a cluster with the Pods on them, and those that are
// meant to go there. (Kubernetes: pkg/scheduler/backend/cache.)
type Nodes struct {
	byName map[string]*Node
	order  []*Node // nil: to be worked out
	pods   map[types.UID]*PodInfo
	books  map[string]Book

	// Nominated are the Pods for which others have made room, by node.
	Nominated map[string][]*PodInfo
	// WithAffinity is how many Pods say something of others.
	WithAffinity int
	// WithImage is how many nodes have an image.
	WithImage map[string]int

	Volumes *storage.Consumers // nil: no Pod has claims
	// Caches are those of the kinds that plug-ins look up, as far as there are.
	Caches map[schema.GroupVersionKind]*controlloop.Indexer
}

// Book is what a plug-in has counted and keeps up to date.
type Book interface {
	// Count counts a Pod that has come to a node (1), or left it (-1).
	Count(n *Node, p *PodInfo, by int)
	// Changed is told that nodes have come, gone, or changed in what a filter
	// looks at.
	Changed()
}

// Book returns a plug-in's book of that name. At its first use it is opened,
// and from then on told of all that happens.
func (all *Nodes) Book(name string, open func() Book) Book {
	if all.books[name] == nil {
		all.books[name] = open()
	}
	return all.books[name]
}

// count counts a Pod in all books.
func (all *Nodes) count(n *Node, p *PodInfo, by int) {
	for _, book := range all.books {
		book.Count(n, p, by)
	}
	if !p.Terms.isEmpty() {
		all.WithAffinity += by
	}
}

func (all *Nodes) changed() {
	for _, book := range all.books {
		book.Changed()
	}
}

// NewNodes returns these nodes with these Pods on them, each on the node that
// it names. Pods that have ended are left out.
func NewNodes(nodes []*corev1.Node, pods []*corev1.Pod) *Nodes {
	all := &Nodes{
		byName: map[string]*Node{}, pods: map[types.UID]*PodInfo{},
		books: map[string]Book{}, Nominated: map[string][]*PodInfo{},
		WithImage: map[string]int{},
	}
	for _, node := range nodes {
		all.Set(node)
	}
	for _, pod := range pods {
		if pod.Spec.NodeName != "" && !controlloop.HasEnded(pod) {
			all.Put(pod)
		}
	}
	return all
}

// List returns all nodes in the order in which a scheduling cycle comes to them.
func (all *Nodes) List() []*Node {
	if all.order == nil {
		all.order = interleaved(slices.Collect(maps.Values(all.byName)))
		for i, n := range all.order {
			n.Place = i
		}
	}
	return all.order
}

// Node returns the node of that name, nil if nothing is known of one. If
// only its Pods are known, it has no object.
func (all *Nodes) Node(name string) *Node { return all.byName[name] }

// Pod returns a Pod that is counted on a node, nil if it is not.
func (all *Nodes) Pod(uid types.UID) *PodInfo { return all.pods[uid] }

// All goes over the nodes in no order, also over those of which only the Pods
// are known.
func (all *Nodes) All() iter.Seq[*Node] { return maps.Values(all.byName) }

// at returns the node of that name. One of which nothing is known yet may have
// Pods already: the news of them was faster.
func (all *Nodes) at(name string) *Node {
	if all.byName[name] == nil {
		all.byName[name] = &Node{UsedPorts: map[HostPort]int{}}
	}
	return all.byName[name]
}

// Set takes what a node says of itself.
func (all *Nodes) Set(node *corev1.Node) {
	n := all.at(node.Name)
	if n.Node == nil || zoneOf(n.Node) != zoneOf(node) {
		all.order = nil
	}
	if n.Node == nil || Differ(n.Node, node) {
		all.changed()
	}
	all.countImages(n, -1)
	n.set(node)
	all.countImages(n, 1)
}

// Unset forgets a node. Its Pods may stay a while.
func (all *Nodes) Unset(name string) {
	n := all.at(name)
	all.countImages(n, -1)
	n.Node, n.Images, all.order = nil, nil, nil
	all.changed()
	all.tidy(name)
}

func (all *Nodes) tidy(name string) {
	if n := all.byName[name]; n != nil && n.Node == nil && len(n.Pods) == 0 {
		delete(all.byName, name)
	}
}

// Put counts a Pod on its node.
func (all *Nodes) Put(pod *corev1.Pod) {
	p := all.pods[pod.UID]
	if p != nil && p.node == pod.Spec.NodeName && asksTheSame(p.Pod, pod) {
		p.Pod = pod
		return
	}
	all.Drop(pod.UID)
	all.Assume(NewPodInfo(pod), pod.Spec.NodeName)
}

// Assume counts a Pod on a node, whether it knows of it yet or not.
func (all *Nodes) Assume(p *PodInfo, node string) {
	p.node = node
	all.pods[p.UID] = p
	n := all.at(node)
	n.Add(p)
	all.count(n, p, 1)
}

// Drop counts a Pod no longer, and returns it.
func (all *Nodes) Drop(uid types.UID) *PodInfo {
	p := all.pods[uid]
	if p == nil {
		return nil
	}
	delete(all.pods, uid)
	n := all.at(p.node)
	n.Remove(p)
	all.count(n, p, -1)
	all.tidy(p.node)
	return p
}

// asksTheSame reports whether of a Pod on its node only that has changed which
// a scheduler does not look at.
func asksTheSame(a, b *corev1.Pod) bool {
	return a.Generation == b.Generation && a.Generation != 0 &&
		(a.DeletionTimestamp == nil) == (b.DeletionTimestamp == nil) &&
		maps.Equal(a.Labels, b.Labels)
}

// Nominate notes for which node a Pod waits; "": for none.
func (all *Nodes) Nominate(p *PodInfo, node string) {
	for name, waiting := range all.Nominated {
		waiting = slices.DeleteFunc(waiting,
			func(other *PodInfo) bool { return other.UID == p.UID })
		if all.Nominated[name] = waiting; len(waiting) == 0 {
			delete(all.Nominated, name)
		}
	}
	if node != "" {
		all.Nominated[node] = append(all.Nominated[node], p)
	}
}

// NamespaceKind is that of namespaces, whose labels a Pod's terms may name.
var NamespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace")

// labelsOf returns the labels of a namespace, if it is known.
func (all *Nodes) labelsOf(namespace string) (labels.Set, bool) {
	cache := all.Caches[NamespaceKind]
	if cache == nil {
		return nil, false
	}
	obj, ok := cache.Get(controlloop.Key{Name: namespace})
	if !ok {
		return nil, false
	}
	return obj.GetLabels(), true
}

// countImages counts a node among those that have its images, or no longer.
func (all *Nodes) countImages(n *Node, by int) {
	for name := range n.Images {
		if all.WithImage[name] += by; all.WithImage[name] == 0 {
			delete(all.WithImage, name)
		}
	}
}
