package daemonset

import (
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// PodsShouldBeOnNode is taskOf, on a node that should run a Pod, or continue to.
func PodsShouldBeOnNode(
	ds *appsv1.DaemonSet, hash string, shouldRun, shouldContinueRunning bool,
	pods ...*corev1.Pod,
) (needsPod bool, podsToDelete []string) {
	r := newRollout(ds, hash)
	n := r.podsOn(nil, pods)
	n.node, n.shouldRun = &corev1.Node{}, shouldRun
	n.shouldContinueRunning = shouldContinueRunning
	task := r.taskOf(n)
	for _, pod := range task.podsToDelete {
		podsToDelete = append(podsToDelete, pod.Name)
	}
	return task.needsPod, podsToDelete
}

// UpdateStateOf is updateStateOf, in words.
func UpdateStateOf(
	ds *appsv1.DaemonSet, hash string, shouldRun bool, pods ...*corev1.Pod,
) string {
	r := newRollout(ds, hash)
	n := r.podsOn(nil, pods)
	n.node, n.shouldRun, n.shouldContinueRunning = &corev1.Node{}, shouldRun, true
	return map[updateState]string{
		upToDate: "upToDate", inProgress: "inProgress", unavailable: "unavailable",
		available: "available", surplus: "surplus",
	}[r.updateStateOf(n)]
}

// NodeShouldRunPod is nodeShouldRunPod, for the Pods of a set.
func NodeShouldRunPod(
	ds *appsv1.DaemonSet, node *corev1.Node,
) (shouldRun, shouldContinueRunning bool) {
	n := newRollout(ds, "").podsOn(node, nil)
	return n.shouldRun, n.shouldContinueRunning
}

// NewDaemonPod is newDaemonPod.
func NewDaemonPod(ds *appsv1.DaemonSet, hash, node string) *corev1.Pod {
	return newDaemonPod(ds, newRollout(ds, hash).template, node)
}

// Target is targetNode.
func Target(pod *corev1.Pod) string { return targetNode(pod) }

// Bounds are maxSurge and maxUnavailable of so many nodes.
func Bounds(ds *appsv1.DaemonSet, nodes int) (surge, unavailable int) {
	r := newRollout(ds, "")
	return r.maxSurge(nodes), r.maxUnavailable(nodes)
}

// Backoffs are the delays after each of n failures, each as soon as it may be.
func Backoffs(n int) (all []time.Duration) {
	var b podBackoff
	for range n {
		b.next(1)
		all = append(all, b.remaining(1))
		time.Sleep(b.remaining(1))
	}
	return all
}

// BackoffAfter is the delay after three failures and then one more, which comes
// that late.
func BackoffAfter(late time.Duration) time.Duration {
	var b podBackoff
	for range 3 {
		b.next(1)
	}
	time.Sleep(late)
	b.next(1)
	return b.remaining(1)
}

// Dirty is how many nodes of a set are dirty, or are about to be.
func Dirty(c *controlloop.Controller, set controlloop.Key) int {
	return cachedSurveyOf(c, set).dirty.Len() + len(cachedSurveyOf(c, set).tried)
}

// Surveys returns how many sets a controller remembers.
func Surveys(c *controlloop.Controller) int {
	switch by := c.Reconciler.(*DaemonSets).surveyor.(type) {
	case *walk:
		return len(by.surveys)
	case *incremental:
		return len(by.surveys)
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

func cachedSurveyOf(c *controlloop.Controller, set controlloop.Key) *cachedSurvey {
	return c.Reconciler.(*DaemonSets).surveyor.(*incremental).cached(set)
}

// IsAvailableFor is isAvailable.
func IsAvailableFor(ds *appsv1.DaemonSet, pod *corev1.Pod) bool {
	return newRollout(ds, "").isAvailable(pod)
}

// Expect has a controller wait for a create of a set that nobody makes, or for the
// deletion of a Pod that nobody knows.
func Expect(c *controlloop.Controller, set *appsv1.DaemonSet, creates bool) {
	d := c.Reconciler.(*DaemonSets)
	if creates {
		d.Creations.ExpectCreates(set.UID, 1)
	} else {
		d.Deletions.ExpectDeletes(set.UID, "nobody")
	}
}

// Stale reports whether a set is about to read every node.
func Stale(c *controlloop.Controller, set controlloop.Key) bool {
	return cachedSurveyOf(c, set).stale.Load()
}

// Counted counts the surveys of sets, and the nodes that these have read.
type Counted struct {
	surveyor
	Looks, Nodes int
	Names        map[string]bool // of these nodes
}

// Count counts the surveys of a controller from now on.
func Count(c *controlloop.Controller) *Counted {
	d := c.Reconciler.(*DaemonSets)
	counted := &Counted{surveyor: d.surveyor, Names: map[string]bool{}}
	d.surveyor = counted
	return counted
}

func (c *Counted) survey(
	ctx context.Context, ds *appsv1.DaemonSet,
) (*survey, error) {
	before := c.untouched(ds)
	s, err := c.surveyor.survey(ctx, ds)
	c.Looks++
	if s != nil {
		c.Nodes += s.nodesRead
		for name, status := range s.nodes {
			if status.node == nil || status.node != before[name] {
				c.Names[name] = true
			}
		}
	}
	return s, err
}

// untouched gives each status of a cached survey a node of its own: reading the node
// takes the one of the cache for it.
func (c *Counted) untouched(ds *appsv1.DaemonSet) map[string]*corev1.Node {
	nodes := map[string]*corev1.Node{}
	inc, ok := c.surveyor.(*incremental)
	if !ok {
		return nodes
	}
	if s := inc.cached(controlloop.KeyOf(ds)); s != nil {
		for name, status := range s.nodes {
			nodes[name] = status.node.DeepCopy()
			status.node = nodes[name]
		}
	}
	return nodes
}
