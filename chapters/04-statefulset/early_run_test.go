package statefulset_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/internal/kubetest"
)

// What goes wrong with each of the early forms of a decision, on a node whose
// Pods need five seconds to come up and two to end.
func TestRunOfEarlyForms(t *testing.T) {
	var log bytes.Buffer
	run := func(form string, nodes int, story func(c *kubetest.Cluster)) {
		fmt.Fprintf(&log, "# part: %s\n", form)
		setup := telling(&log)
		setup.Nodes = nodes
		setup.Images = simulated.Images{kubetest.Nginx: kubetest.SlowNginx}
		setup.Controllers = []kubetest.Controller{statefulset.NewEarly(form)}
		in(t, setup, story)
	}
	say := func(c *kubetest.Cluster, what string) { fmt.Fprintf(&log, "%6s  (%s)\n", c.Elapsed(), what) }
	run("fill", 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(3))
		c.Advance(time.Minute)
	})
	run("await", 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(2))
		c.Advance(15 * time.Second)
		say(c, "Barend deletes web-0, Ada asks for three")
		c.DeletePod("web-0")
		scale(c, 3)
		c.Advance(time.Minute)
	})
	run("await-the-end", 0, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(2))
		rest(c)
		say(c, "the node is short of memory, and evicts web-0")
		is(c, "web-0", corev1.PodFailed, false)
		c.Advance(time.Hour)
		say(c, names(c))
	})
	run("replace-the-ended", 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(2, patient(10)))
		c.Advance(time.Minute)
	})
	run("spare", 0, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(5))
		rest(c)
		log.Truncate(bytes.LastIndex(log.Bytes(), []byte("# part: spare\n")))
		fmt.Fprintln(&log, "# part: spare")
		is(c, "web-4", corev1.PodRunning, false)
		say(c, "Ada asks for three")
		scale(c, 3)
		c.Advance(time.Hour)
		say(c, names(c))
	})
	run("by-name", 0, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(1))
		rest(c)
		old := c.Pod("web-0")
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "delete" {
				c.Client.Fail(nil)
				say(c, "the controller has read its cache, and decided to delete web-0")
				c.DeletePod("web-0", kubetest.Grace(0))
				next := controlloop.Copy(old)
				next.ResourceVersion, next.UID = "", ""
				next.Status = corev1.PodStatus{}
				_, err := c.Store.Create(tContext(), next)
				require.NoError(t, err)
				is(c, "web-0", corev1.PodRunning, true)
			}
			return nil
		})
		is(c, "web-0", corev1.PodFailed, false)
		rest(c)
	})
	kubetest.Recorded(t, "early.txt", log.Bytes())
}
