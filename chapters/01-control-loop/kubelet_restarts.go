package controlloop

import (
	"time"
)

// restarts is the backoff of one container, or of its image. A container is
// started again at once when it ends for the first time; when it ends again,
// 10 s later, then 20, 40, and so on to five minutes. An image is asked for
// again at the same intervals. (Kubernetes: client-go's flowcontrol.Backoff,
// as the kubelet sets it up.)
type restarts struct {
	delay time.Duration // until the next try
	last  time.Time     // try that failed; zero: none
}

const (
	firstRestart = 10 * time.Second
	maxRestart   = 5 * time.Minute
	longEnough   = 10 * time.Minute // who ran for so long starts over
)

// remaining is how much of the delay is left when it began at that time.
func (r *restarts) remaining(began time.Time) time.Duration {
	return max(0, time.Until(began.Add(r.delay)))
}

// grow makes the delay longer after another failure.
func (r *restarts) grow() {
	r.delay = min(max(2*r.delay, firstRestart), maxRestart)
	r.last = time.Now()
}

// backoff returns the backoff of a container, or of a thing of its.
func (m *memory) backoff(of string) *restarts {
	if m.restarts[of] == nil {
		m.restarts[of] = &restarts{}
	}
	return m.restarts[of]
}
