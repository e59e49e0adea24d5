package scheduler

import (
	"testing"

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
