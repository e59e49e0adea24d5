package rollingupdate_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// A moment is what three places say of one Service, and how three requests to it
// fare in the tenth of a second from there, as figures/route.svg has it.
type moment struct {
	At       string `json:"at"`    // after the deletion
	Pod      string `json:"pod"`   // the one that is deleted
	Ready    int    `json:"ready"` // by the EndpointSlice
	Table    int    `json:"table"` // addresses that the proxy chooses from
	Answered int    `json:"answered"`
	Lost     int    `json:"lost"`
}

// One of three Pods is deleted, and from there on a fifth of a second passes until
// anybody hears of a Pod. Two copies are late: the slice, and the proxy's table.
func TestRunOfARequestsRoute(t *testing.T) {
	var moments []moment
	withTraffic(t, rollingupdate.Web{WarmUp: 3 * time.Second}, func(c traffic) {
		tables := c.tables()
		s := kubetest.Create(c.Cluster, service("web", app("web")))
		kubetest.Create(c.Cluster, web("web", 3))
		c.Advance(10 * time.Second)
		pod := c.Pods()[0]
		note := func(at time.Duration) {
			written := tables()
			now := moment{At: fmt.Sprintf("%.1f s", at.Seconds()), Pod: stateOf(c.Cluster, pod), Table: len(written[len(written)-1].pods)}
			for _, e := range behind(c.Cluster)[0].Endpoints {
				if *e.Conditions.Ready {
					now.Ready++
				}
			}
			all := c.ask(s, 30, 100*time.Millisecond)
			now.Answered, now.Lost = len(all)-all.Lost(), all.Lost()
			moments = append(moments, now)
		}
		note(-time.Second)
		c.Client.Late(200*time.Millisecond, controlloop.PodKind)
		c.DeletePod(pod.Name)
		deleted := c.Elapsed()
		for _, at := range []time.Duration{100 * time.Millisecond, 500 * time.Millisecond, 800 * time.Millisecond} {
			c.Advance(deleted + at - c.Elapsed())
			note(at)
		}
	})
	kubetest.RecordedJSON(t, "route.json", map[string]any{"moments": moments})
}

// stateOf returns what the store says of a Pod.
func stateOf(c *kubetest.Cluster, pod *corev1.Pod) string {
	for _, p := range c.Pods() {
		switch {
		case p.UID != pod.UID:
		case p.DeletionTimestamp != nil:
			return "Terminating"
		default:
			return string(p.Status.Phase)
		}
	}
	return "gone"
}
