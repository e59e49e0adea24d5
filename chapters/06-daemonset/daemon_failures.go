package daemonset

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Kubernetes' delays (NewDaemonSetsController's in
// cmd/kube-controller-manager/app/apps.go).
const (
	firstPause = time.Second
	longPause  = 15 * time.Minute
)

// failures are those of the Pods of one node, of one generation of their set.
// A kubelet that refuses a Pod refuses the next one too: without a pause they
// would be made and thrown away as fast as the two can write.
type failures struct {
	generation int64
	pause      time.Duration // after the last
	last       time.Time
}

// left returns how long the next Pod that has failed is left lying.
func (f *failures) left(generation int64) time.Duration {
	if f == nil || f.generation != generation {
		return 0
	}
	return max(0, f.pause-time.Since(f.last))
}

// add notes another failure: the pause is twice as long, but for one that comes
// so late that it is the first again.
func (f *failures) add(generation int64) {
	again := f.generation == generation && time.Since(f.last) <= 2*longPause
	if f.pause *= 2; f.pause == 0 || !again {
		f.pause = firstPause
	}
	f.generation, f.last = generation, time.Now()
	f.pause = min(f.pause, longPause)
}

// fail notes that a Pod of a node has failed.
func (s *survey) fail(node string) {
	if s.failures[node] == nil {
		s.failures[node] = &failures{}
	}
	s.failures[node].add(s.edition.set.Generation)
}

// pause leaves Pods lying that have failed too soon after the last, although
// they are due to go. It returns for how long; 0: there is none.
func (s *survey) pause(node string, at *entry) time.Duration {
	hasFailed := func(pod *corev1.Pod) bool {
		return pod.Status.Phase == corev1.PodFailed
	}
	left := s.failures[node].left(s.edition.set.Generation)
	if left == 0 || !at.stays || !slices.ContainsFunc(at.remove, hasFailed) {
		return 0
	}
	at.remove = slices.DeleteFunc(at.remove, hasFailed)
	return left
}
