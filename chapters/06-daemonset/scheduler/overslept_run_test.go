package scheduler_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/internal/kubetest"
)

// A Pod that wants a fast disk, and a whole node. The node gets its disk after a
// minute. In the cycle that follows the Pod is told what else is missing, and just
// then the other Pod of that node goes.
//
//book:exercise 6l
func TestRunOfAPodThatWaitsForTwoThings(t *testing.T) {
	var log bytes.Buffer
	var placed time.Duration
	scheduled(t, func(c *kubetest.Cluster) {
		began := time.Now()
		says := func(format string, args ...any) {
			fmt.Fprintf(&log, "%4s  %s\n", time.Since(began).Truncate(time.Second), fmt.Sprintf(format, args...))
		}
		kubetest.Create(c, server("node-1"))
		kubetest.Create(c, guest("job", placedOn("node-1"), requesting("cpu=1")))
		refusals := 0
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "update status" {
				if refusals++; refusals == 2 {
					says("job has ended, and is gone")
					c.DeletePod("job", kubetest.Grace(0))
					time.Sleep(time.Millisecond) // until the scheduler has heard of it
				}
			}
			return nil
		})
		c.Controller("scheduler").Reconciler.(*scheduler.Scheduler).OnDecision =
			func(d scheduler.Decision) {
				if d.Node != "" {
					placed = time.Since(began)
					says("web goes to %s", d.Node)
					return
				}
				why, _, _ := strings.Cut(d.Message, " preemption:")
				says("web's cycle: %s", why)
			}
		c.Run()
		kubetest.Create(c, guest("web", selecting("disk", "ssd"), requesting("cpu=4")))
		c.Advance(time.Minute)
		says("node-1 has a fast disk now")
		kubetest.Edit(c, server("node-1"), withLabel("disk", "ssd"))
		c.Advance(10 * time.Minute)
	})
	kubetest.Recorded(t, "overslept.txt", log.Bytes())
	assert.Less(t, placed, 70*time.Second, "what it waited for had happened long before")
}

// In its second cycle the Pod is refused for want of CPU, and just then a node is
// added that has a fast disk, and too little CPU. In the first cycle the disk was
// what the Pod wanted.
//
//book:exercise 6l
func TestAPodIsNotWokenByWhatItWantedLastTime(t *testing.T) {
	decisions := 0
	scheduled(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, server("node-1"))
		kubetest.Create(c, guest("job", placedOn("node-1"), requesting("cpu=1")))
		refusals := 0
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "update status" {
				if refusals++; refusals == 2 {
					kubetest.Create(c, server("node-2", withLabel("disk", "ssd"), having("cpu=1 pods=10")))
					time.Sleep(time.Millisecond) // until the scheduler has heard of it
				}
			}
			return nil
		})
		c.Controller("scheduler").Reconciler.(*scheduler.Scheduler).OnDecision =
			func(scheduler.Decision) { decisions++ }
		c.Run()
		kubetest.Create(c, guest("web", selecting("disk", "ssd"), requesting("cpu=4")))
		c.Advance(time.Minute)
		kubetest.Edit(c, server("node-1"), withLabel("disk", "ssd"))
		c.Advance(time.Minute)
	})
	assert.Equal(t, 2, decisions, "a node that is too small is no help to a Pod that wants CPU")
}
