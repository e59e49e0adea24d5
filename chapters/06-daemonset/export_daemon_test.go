package daemonset

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// nodeWith is a node that exists, with these Pods on it.
func nodeWith(pods []*corev1.Pod) nodePods {
	pods = slices.DeleteFunc(slices.Clone(pods), func(pod *corev1.Pod) bool {
		return controlloop.HasEnded(pod) && pod.DeletionTimestamp != nil
	})
	slices.SortFunc(pods, byPrecedence)
	return nodePods{node: &corev1.Node{}, pods: pods}
}

// PodsShouldBeOnNode is taskOf, on a node that should run a Pod, or continue to.
func PodsShouldBeOnNode(
	ds *appsv1.DaemonSet, hash string, shouldRun, shouldContinueRunning bool,
	pods ...*corev1.Pod,
) (needsPod bool, podsToDelete []string) {
	n := nodeWith(pods)
	n.shouldRun, n.shouldContinueRunning = shouldRun, shouldContinueRunning
	needsPod, deleted := newRollout(ds, hash).taskOf(n)
	for _, pod := range deleted {
		podsToDelete = append(podsToDelete, pod.Name)
	}
	return needsPod, podsToDelete
}

// UpdateStateOf is updateStateOf, in words.
func UpdateStateOf(
	ds *appsv1.DaemonSet, hash string, shouldRun bool, pods ...*corev1.Pod,
) string {
	n := nodeWith(pods)
	n.shouldRun, n.shouldContinueRunning = shouldRun, true
	return map[updateState]string{
		upToDate: "upToDate", inProgress: "inProgress", unavailable: "unavailable",
		available: "available", surplus: "surplus",
	}[newRollout(ds, hash).updateStateOf(n)]
}

// NodeShouldRunPod is nodeShouldRunPod, for the Pods of a set.
func NodeShouldRunPod(
	ds *appsv1.DaemonSet, node *corev1.Node,
) (shouldRun, shouldContinueRunning bool) {
	return nodeShouldRunPod(&templateFor(ds, "").Spec, node)
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
	var b backoffs
	for range n {
		b.next(backoffKey{})
		all = append(all, b.next(backoffKey{}))
		time.Sleep(all[len(all)-1])
	}
	return all
}

// BackoffAfter is the delay after three failures and then one more, which comes
// that late.
func BackoffAfter(late time.Duration) time.Duration {
	var b backoffs
	Backoffs := func(n int) (last time.Duration) {
		for range n {
			time.Sleep(last)
			b.next(backoffKey{})
			last = b.next(backoffKey{})
		}
		return last
	}
	Backoffs(3)
	time.Sleep(late)
	return Backoffs(1)
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
