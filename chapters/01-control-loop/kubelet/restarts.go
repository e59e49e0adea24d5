package kubelet

import (
	"time"

	corev1 "k8s.io/api/core/v1"
)

// restarts is the backoff of one container, or of its image. A container is
// started again at once when it ends for the first time; when it ends again,
// 10 s later, then 20, 40, and so on to five minutes. An image is asked for
// again at the same intervals. (Kubernetes: client-go's flowcontrol.Backoff,
// as the kubelet sets it up.)
type restarts struct {
	delay time.Duration // until the next try
	last  time.Time     // when a try failed; zero: never
}

const (
	firstRestart = 10 * time.Second
	maxRestart   = 5 * time.Minute
	longEnough   = 10 * time.Minute // a run after which its backoff starts over
	createAgain  = 10 * time.Second // if it could not be created
)

// remaining returns how much is left of a delay that began at that time.
func (r *restarts) remaining(began time.Time) time.Duration {
	return max(0, time.Until(began.Add(r.delay)))
}

// grow makes the delay longer after another failure.
func (r *restarts) grow() {
	r.delay = min(max(2*r.delay, firstRestart), maxRestart)
	r.last = time.Now()
}

// pause delays the next try for a while, without growing the delay.
func (r *restarts) pause(delay time.Duration) {
	r.delay, r.last = delay, time.Now()
}

// ranForLong reports whether a container that ended ran for so long that it
// starts again as if for the first time: at once, and its backoff from 10 s.
func ranForLong(end *corev1.ContainerStateTerminated) bool {
	return end.StartedAt.Unix() > 0 && // else it never started
		end.FinishedAt.Sub(end.StartedAt.Time) > longEnough
}
