package daemonset

import (
	"cmp"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
)

// Nodes are the nodes of a cluster with the Pods on them, and those that are
// meant to go there. (Kubernetes: pkg/scheduler/backend/cache.)
type Nodes struct {
	byName map[string]*Node
	order  []*Node // nil: to be worked out
	pods   map[types.UID]*demand
	choosy int            // Pods that care who is near
	images map[string]int // how many nodes have an image
	crowds []*crowd       // the one last asked for is last

	// A Pod for which others have made room, and on which node that is.
	nominated map[string][]*demand

	volumes    *storage.Consumers // nil: no Pod has claims
	namespaces *controlloop.Indexer
	groups     *groups // nil: no Pod is one of several
}

// NewNodes returns these nodes with these Pods on them, each on the node that it
// names. Pods that have ended are left out.
func NewNodes(nodes []*corev1.Node, pods []*corev1.Pod) *Nodes {
	all := &Nodes{
		byName: map[string]*Node{}, pods: map[types.UID]*demand{},
		images: map[string]int{}, nominated: map[string][]*demand{},
	}
	for _, node := range nodes {
		all.set(node)
	}
	for _, pod := range pods {
		if pod.Spec.NodeName != "" && !controlloop.HasEnded(pod) {
			all.put(pod)
		}
	}
	return all
}

// List returns all nodes in the order in which a Pod's turn comes to them.
func (all *Nodes) List() []*Node {
	if all.order == nil {
		all.order = inTurn(slices.Collect(maps.Values(all.byName)))
		for i, n := range all.order {
			n.place = i
		}
	}
	return all.order
}

// inTurn takes one node of each zone, then the next of each: whoever looks at
// some of them only has looked at all zones. (Kubernetes:
// pkg/scheduler/backend/cache/node_tree.go.)
func inTurn(nodes []*Node) []*Node {
	zones := map[string][]*Node{}
	for _, n := range nodes {
		if n.Node != nil {
			zone := zoneOf(n.Node)
			zones[zone] = append(zones[zone], n)
		}
	}
	for _, zone := range zones {
		slices.SortFunc(zone, func(a, b *Node) int {
			return cmp.Compare(a.name, b.name)
		})
	}
	names := slices.Sorted(maps.Keys(zones))
	order := make([]*Node, 0, len(nodes))
	for i := 0; ; i++ {
		before := len(order)
		for _, name := range names {
			if i < len(zones[name]) {
				order = append(order, zones[name][i])
			}
		}
		if len(order) == before {
			return order
		}
	}
}

func zoneOf(node *corev1.Node) string {
	return node.Labels[corev1.LabelTopologyRegion] + "/" +
		node.Labels[corev1.LabelTopologyZone]
}

// at returns the node of that name. One of which nothing is known yet may have
// Pods already: the news of them was faster.
func (all *Nodes) at(name string) *Node {
	if all.byName[name] == nil {
		all.byName[name] = &Node{ports: map[hostPort]int{}}
	}
	return all.byName[name]
}

// set takes what a node says of itself.
func (all *Nodes) set(node *corev1.Node) {
	n := all.at(node.Name)
	if n.Node == nil || zoneOf(n.Node) != zoneOf(node) {
		all.order = nil
	}
	if n.Node == nil || matters(n.Node, node) {
		all.resum()
	}
	all.countImages(n, -1)
	n.set(node)
	all.countImages(n, 1)
}

// unset forgets a node. Its Pods may stay a while.
func (all *Nodes) unset(name string) {
	n := all.at(name)
	all.countImages(n, -1)
	n.Node, n.images, all.order = nil, nil, nil
	all.resum()
	all.tidy(name)
}

func (all *Nodes) tidy(name string) {
	if n := all.byName[name]; n != nil && n.Node == nil && len(n.pods) == 0 {
		delete(all.byName, name)
	}
}

// put counts a Pod on its node.
func (all *Nodes) put(pod *corev1.Pod) {
	d := all.pods[pod.UID]
	if d != nil && d.node == pod.Spec.NodeName && asksTheSame(d.Pod, pod) {
		d.Pod = pod
		return
	}
	all.drop(pod.UID)
	all.place(demandOf(pod), pod.Spec.NodeName)
}

// place counts a Pod on a node, whether it knows of it yet or not.
func (all *Nodes) place(d *demand, node string) {
	d.node = node
	all.pods[d.UID] = d
	n := all.at(node)
	n.add(d)
	for _, c := range all.crowds {
		c.count(n, d, 1)
	}
	if d.terms.any() {
		all.choosy++
	}
}

// drop counts a Pod no longer, and returns it.
func (all *Nodes) drop(uid types.UID) *demand {
	d := all.pods[uid]
	if d == nil {
		return nil
	}
	delete(all.pods, uid)
	n := all.at(d.node)
	n.remove(d)
	for _, c := range all.crowds {
		c.count(n, d, -1)
	}
	if d.terms.any() {
		all.choosy--
	}
	all.tidy(d.node)
	return d
}

// asksTheSame reports whether of a Pod on its node only that has changed which a
// scheduler does not look at.
func asksTheSame(a, b *corev1.Pod) bool {
	return a.Generation == b.Generation && a.Generation != 0 &&
		(a.DeletionTimestamp == nil) == (b.DeletionTimestamp == nil) &&
		maps.Equal(a.Labels, b.Labels)
}

// nominate notes for which node a Pod waits; "": for none.
func (all *Nodes) nominate(d *demand, node string) {
	for name, waiting := range all.nominated {
		waiting = slices.DeleteFunc(waiting,
			func(other *demand) bool { return other.UID == d.UID })
		if all.nominated[name] = waiting; len(waiting) == 0 {
			delete(all.nominated, name)
		}
	}
	if node != "" {
		all.nominated[node] = append(all.nominated[node], d)
	}
}

// labelsOf returns the labels of a namespace, if it is known.
func (all *Nodes) labelsOf(namespace string) (labels.Set, bool) {
	if all.namespaces == nil {
		return nil, false
	}
	obj, ok := all.namespaces.Get(controlloop.Key{Name: namespace})
	if !ok {
		return nil, false
	}
	return obj.GetLabels(), true
}
