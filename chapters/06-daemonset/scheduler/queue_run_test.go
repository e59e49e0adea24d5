package scheduler

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"reconcile/chapters/06-daemonset/scheduler/cache"
	"reconcile/internal/kubetest"
)

// How long a Pod pauses that was woken in vain so many times, and how long it is
// parked at most.
func TestRunOfTheQueuesPauses(t *testing.T) {
	var pauses []string
	for times := 1; times <= 6; times++ {
		pauses = append(pauses, backoffFor(times).String())
	}
	kubetest.RecordedJSON(t, "../../testdata/queue.json", map[string]any{
		"pauses": pauses, "longest": maxParked.String()})
}

// parkAtOnce parks the Pod whose cycle has ended, until an event may help it.
func (q *queue) parkAtOnce(
	w *waiting, refusedBy []string, _ func(*waiting, *cache.Event) bool,
) {
	w.failed, w.errors = w.failed+1, 0
	w.refusedBy = refusedBy
	q.stamp(w)
	w.due = w.since.Add(backoffFor(w.failed))
	q.setAside(w)
	q.trying, q.missed = nil, nil
}

// A node is added after a Pod's cycle, or in the middle of it: how long it takes until
// the Pod has the next one, by one way to park it and by the other.
func TestRunOfANodeThatComesDuringATurn(t *testing.T) {
	var log bytes.Buffer
	for _, by := range []struct {
		name string
		park func(*queue, *waiting, []string, func(*waiting, *cache.Event) bool)
	}{{"naive", (*queue).parkAtOnce}, {"chapter", (*queue).park}} {
		fmt.Fprintf(&log, "# part: %s\n", by.name)
		for _, during := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				s := &Scheduler{queue: newQueue(), filters: []Filter{{Name: "NodeResourcesFit",
					Hint: func(*cache.Nodes, *cache.PodInfo, *cache.Event) bool { return true }}}}
				s.queue.add(cache.NewPodInfo(kubetest.Pod("p")), true)
				w, when := s.queue.next(), "after its cycle"
				if during {
					when = "during its cycle"
					s.happened(&cache.Event{Is: &corev1.Node{}})
				}
				by.park(s.queue, w, []string{"NodeResourcesFit"}, s.helps)
				if !during {
					s.happened(&cache.Event{Is: &corev1.Node{}})
				}
				parked := time.Now()
				for !s.queue.isReady() {
					time.Sleep(s.queue.until())
					s.queue.release()
				}
				fmt.Fprintf(&log, "a node is added %-17s  the next cycle is after %s\n", when+":", time.Since(parked))
			})
		}
	}
	kubetest.Recorded(t, "../../testdata/parked.txt", log.Bytes())
}
