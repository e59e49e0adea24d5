package daemonset

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Kubernetes' delays (NewDaemonSetsController's in
// cmd/kube-controller-manager/app/apps.go).
const (
	initialBackoff = time.Second
	maxBackoff     = 15 * time.Minute
)

// podBackoff is the delay before a failed Pod of a node is deleted, for one
// generation of its set. A kubelet that refuses a Pod refuses the next one too:
// without a delay Pods would be created and deleted as fast as the two can write.
// (Kubernetes: failedPodsBackoff in pkg/controller/daemon/daemon_controller.go.)
type podBackoff struct {
	generation int64
	delay      time.Duration // after the last failure
	last       time.Time
}

// remaining returns how long the next failed Pod is kept.
func (b *podBackoff) remaining(generation int64) time.Duration {
	if b == nil || b.generation != generation {
		return 0
	}
	return max(0, b.delay-time.Since(b.last))
}

// next doubles the delay after another failure, or begins anew if the last failure
// was more than twice the longest delay ago.
func (b *podBackoff) next(generation int64) {
	again := b.generation == generation && time.Since(b.last) <= 2*maxBackoff
	if b.delay *= 2; b.delay == 0 || !again {
		b.delay = initialBackoff
	}
	b.generation, b.last = generation, time.Now()
	b.delay = min(b.delay, maxBackoff)
}

// backOff records that a Pod of a node has failed.
func (s *survey) backOff(node string) {
	if s.backoffs[node] == nil {
		s.backoffs[node] = &podBackoff{}
	}
	s.backoffs[node].next(s.rollout.set.Generation)
}

// keepBackedOff keeps failed Pods that would be deleted too soon after the last
// one. It returns for how long; 0: there is none.
func (s *survey) keepBackedOff(node string, status *nodeStatus) time.Duration {
	hasFailed := func(pod *corev1.Pod) bool {
		return pod.Status.Phase == corev1.PodFailed
	}
	left := s.backoffs[node].remaining(s.rollout.set.Generation)
	if left == 0 || !status.shouldContinueRunning ||
		!slices.ContainsFunc(status.podsToDelete, hasFailed) {
		return 0
	}
	status.podsToDelete = slices.DeleteFunc(status.podsToDelete, hasFailed)
	return left
}
