package daemonset

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// task is what is due on one node, whether there is an update or not.
type task struct {
	create bool
	remove []*corev1.Pod
}

func (t *task) isEmpty() bool { return !t.create && len(t.remove) == 0 }

// taskOf says what is due on a node. If there is none, those that wait for it
// would wait for ever; those that were on it are taken away with it.
func (e *edition) taskOf(p spot) task {
	if p.node == nil {
		return task{remove: slices.DeleteFunc(staying(p.pods),
			func(pod *corev1.Pod) bool { return pod.Spec.NodeName != "" })}
	}
	decide := onNode
	if e.surges {
		decide = e.onSurging
	}
	create, remove := decide(p)
	return task{create, remove}
}

// staying returns those of the Pods that were not told to go.
func staying(pods []*corev1.Pod) (all []*corev1.Pod) {
	for _, pod := range pods {
		if pod.DeletionTimestamp == nil {
			all = append(all, pod)
		}
	}
	return all
}

// split parts those of the Pods that have ended from those that run.
func split(pods []*corev1.Pod) (ended, run []*corev1.Pod) {
	for _, pod := range pods {
		if controlloop.HasEnded(pod) {
			ended = append(ended, pod)
		} else {
			run = append(run, pod)
		}
	}
	return ended, run
}

// onNode decides whether a Pod is to be made for a node, and which of those
// that are there have to go: all, if none may stay; those that have ended; and
// of several that run all but the first. One that is told to go is in the way
// of the next until it is gone. (Kubernetes: podsShouldBeOnNode in
// pkg/controller/daemon/daemon_controller.go.)
//
//book:exercise 6.7
func onNode(p spot) (create bool, remove []*corev1.Pod) {
	there := staying(p.pods)
	if !p.stays {
		return false, there
	}
	ended, run := split(there)
	return p.meant && len(p.pods) == 0, append(ended, run[min(1, len(run)):]...)
}

// onSurging decides the same for a set that surges: the next Pod is made as soon
// as none runs, and two may run.
func (e *edition) onSurging(p spot) (create bool, remove []*corev1.Pod) {
	there := staying(p.pods)
	if !p.stays {
		return false, there
	}
	ended, run := split(there)
	return p.meant && len(run) == 0, append(ended, e.tooMany(run)...)
}

// tooMany returns those of the Pods that run on one node that have to go while
// a set surges. Two may be there: an old one that is ready, until the new one
// has been so for long enough.
func (e *edition) tooMany(run []*corev1.Pod) (remove []*corev1.Pod) {
	var fresh, old *corev1.Pod
	for _, pod := range run {
		switch updated := e.isUpdated(pod); {
		case updated && fresh == nil:
			fresh = pod
		case !updated && old == nil:
			old = pod
		default:
			remove = append(remove, pod)
		}
	}
	if fresh != nil && old != nil &&
		(!controlloop.IsReady(old) || e.isAvailable(fresh)) {
		remove = append(remove, old)
	}
	return remove
}
