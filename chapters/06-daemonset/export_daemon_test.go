package daemonset

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// OnNode is taskOf, on a node where a Pod is meant to be, or may stay.
func OnNode(
	ds *appsv1.DaemonSet, hash string, meant, stays bool, pods ...*corev1.Pod,
) (create bool, remove []string) {
	e := newEdition(ds, hash)
	p := e.spotOf(nil, pods)
	p.node, p.meant, p.stays = &corev1.Node{}, meant, stays
	due := e.taskOf(p)
	for _, pod := range due.remove {
		remove = append(remove, pod.Name)
	}
	return due.create, remove
}

// TurnOf is turnOf, in words.
func TurnOf(
	ds *appsv1.DaemonSet, hash string, meant bool, pods ...*corev1.Pod,
) string {
	e := newEdition(ds, hash)
	p := e.spotOf(nil, pods)
	p.node, p.meant, p.stays = &corev1.Node{}, meant, true
	return map[turn]string{
		rests: "rests", busy: "busy", broken: "broken", sound: "sound",
		leaves: "leaves",
	}[e.turnOf(p)]
}

// MeantFor is meant, for the Pods of a set.
func MeantFor(ds *appsv1.DaemonSet, node *corev1.Node) (meant, stays bool) {
	p := newEdition(ds, "").spotOf(node, nil)
	return p.meant, p.stays
}

// NewDaemonPod is newPod.
func NewDaemonPod(ds *appsv1.DaemonSet, hash, node string) *corev1.Pod {
	return newPod(ds, newEdition(ds, hash).template, node)
}

// Target is target.
func Target(pod *corev1.Pod) string { return target(pod) }

// Bounds are maxSurge and maxUnavailable of so many nodes.
func Bounds(ds *appsv1.DaemonSet, nodes int) (surge, unavailable int) {
	e := newEdition(ds, "")
	return e.maxSurge(nodes), e.maxUnavailable(nodes)
}

// Pauses are those after each of n failures that come as soon as they may.
func Pauses(n int) (all []time.Duration) {
	var f failures
	for range n {
		f.add(1)
		all = append(all, f.left(1))
		time.Sleep(f.left(1))
	}
	return all
}

// PauseAfter is the pause after three failures and then one more, which comes
// that late.
func PauseAfter(late time.Duration) time.Duration {
	var f failures
	for range 3 {
		f.add(1)
	}
	time.Sleep(late)
	f.add(1)
	return f.left(1)
}

// Marked is how many entries of a set are marked, or are about to be.
func Marked(c *controlloop.Controller, set controlloop.Key) int {
	return ledgerOf(c, set).marks.Len() + len(ledgerOf(c, set).tried)
}

// Surveys returns how many sets a controller remembers.
func Surveys(c *controlloop.Controller) int {
	switch by := c.Reconciler.(*DaemonSets).surveyor.(type) {
	case *walk:
		return len(by.surveys)
	case *ledgers:
		return len(by.of)
	}
	return 0
}

// Names tries names: some are put among them, some taken away, and n taken.
func Names(put, off []string, n int) []string {
	var all names
	for _, name := range put {
		all.put(name, true)
	}
	for _, name := range off {
		all.put(name, false)
	}
	return all.take(n)
}

func ledgerOf(c *controlloop.Controller, set controlloop.Key) *ledger {
	return c.Reconciler.(*DaemonSets).surveyor.(*ledgers).ledger(set)
}

// WorksFor is isAvailable.
func WorksFor(ds *appsv1.DaemonSet, pod *corev1.Pod) bool {
	return newEdition(ds, "").isAvailable(pod)
}

// Expect has a controller wait for a create of a set that nobody makes, or for the
// deletion of a Pod that nobody knows.
func Expect(c *controlloop.Controller, set *appsv1.DaemonSet, creates bool) {
	d := c.Reconciler.(*DaemonSets)
	if creates {
		d.Coming.ExpectCreates(set.UID, 1)
	} else {
		d.Going.ExpectDeletes(set.UID, "nobody")
	}
}

// Doubted reports whether a set is about to look at everything.
func Doubted(c *controlloop.Controller, set controlloop.Key) bool {
	return ledgerOf(c, set).doubted.Load()
}

// Counted counts the looks at sets, and the nodes that these have looked at.
type Counted struct {
	surveyor
	Looks, Nodes int
	Names        map[string]bool // of these nodes
}

// Count has the looks of a controller be counted.
func Count(c *controlloop.Controller) *Counted {
	d := c.Reconciler.(*DaemonSets)
	counted := &Counted{surveyor: d.surveyor, Names: map[string]bool{}}
	d.surveyor = counted
	return counted
}

func (c *Counted) look(
	ctx context.Context, ds *appsv1.DaemonSet,
) (*survey, error) {
	before := c.untouched(ds)
	s, err := c.surveyor.look(ctx, ds)
	c.Looks++
	if s != nil {
		c.Nodes += s.read
		for name, at := range s.nodes {
			if at.node == nil || at.node != before[name] {
				c.Names[name] = true
			}
		}
	}
	return s, err
}

// untouched gives each entry of a ledger a node of its own: a look at the entry
// takes the one of the cache for it.
func (c *Counted) untouched(ds *appsv1.DaemonSet) map[string]*corev1.Node {
	nodes := map[string]*corev1.Node{}
	all, ok := c.surveyor.(*ledgers)
	if !ok {
		return nodes
	}
	if l := all.ledger(controlloop.KeyOf(ds)); l != nil {
		for name, at := range l.nodes {
			nodes[name] = at.node.DeepCopy()
			at.node = nodes[name]
		}
	}
	return nodes
}
