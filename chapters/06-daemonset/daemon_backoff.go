package daemonset

import (
	"maps"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Kubernetes' delays (NewDaemonSetsController's in
// cmd/kube-controller-manager/app/apps.go).
const (
	initialBackoff = time.Second
	maxBackoff     = 15 * time.Minute
)

// keep returns after how long to decide again about a Pod that is to be deleted: one
// that failed is kept while its node is in backoff; 0: it is deleted now. A kubelet
// that refuses a Pod refuses the next one too: without a delay Pods would be created
// and deleted as fast as the two can write. An event is recorded for each that is
// deleted because it has ended. (Kubernetes: podsShouldBeOnNode.)
func (d *DaemonSets) keep(r *rollout, n nodePods, pod *corev1.Pod) time.Duration {
	if !n.shouldContinueRunning {
		return 0 // every Pod of this node is deleted, ended or not
	}
	switch pod.Status.Phase {
	case corev1.PodFailed:
		of := backoffKey{r.set.UID, r.set.Generation, n.name}
		if wait := d.backoffs.next(of); wait > 0 {
			return wait
		}
		d.Recorder.Eventf(r.set, corev1.EventTypeWarning, "FailedDaemonPod",
			"Found failed daemon pod %s/%s on node %s, will try to kill it",
			pod.Namespace, pod.Name, n.name)
	case corev1.PodSucceeded:
		d.Recorder.Eventf(r.set, corev1.EventTypeNormal, "SucceededDaemonPod",
			"Found succeeded daemon pod %s/%s on node %s, will try to delete it",
			pod.Namespace, pod.Name, n.name)
	}
	return 0
}

// backoffs are the delays before failed Pods are deleted. (Kubernetes:
// failedPodsBackoff in pkg/controller/daemon/daemon_controller.go.)
type backoffs struct {
	mu sync.Mutex
	of map[backoffKey]backoff
}

// backoffKey is a node, for one generation of one set.
type backoffKey struct {
	set        types.UID
	generation int64
	node       string
}

type backoff struct {
	delay time.Duration // after the last failure
	last  time.Time
}

// next returns the delay after the last failure, if it is not over. If it is, the
// next delay begins, twice as long; or anew, if the last failure was more than
// twice the longest delay ago.
func (b *backoffs) next(key backoffKey) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	maps.DeleteFunc(b.of, func(_ backoffKey, x backoff) bool {
		return time.Since(x.last) > 2*maxBackoff
	})
	x := b.of[key]
	if time.Since(x.last) < x.delay {
		return x.delay
	}
	if b.of == nil {
		b.of = map[backoffKey]backoff{}
	}
	b.of[key] = backoff{
		min(max(initialBackoff, 2*x.delay), maxBackoff), time.Now(),
	}
	return 0
}
