package node_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"reconcile/internal/kubetest"
)

// stayed is a Pod under a taint that sends away, as figures/stay.svg has it.
type stayed struct {
	Name string        `json:"name"`
	May  string        `json:"may"`            // stay under it
	Gone time.Duration `json:"gone,omitempty"` // if it has gone
	Due  time.Duration `json:"due,omitempty"`  // if not: when it would have
}

// A node gets a taint that keeps Pods away, then one that sends them away, and
// is rid of both: which of its Pods go, and when.
func TestRunOfPodsUnderTaints(t *testing.T) {
	const key = "example.com/fire"
	const begin, sends, ends, until = 10 * time.Second, 20 * time.Second, 90 * time.Second, 130 * time.Second
	all := []stayed{{Name: "web"}, {Name: "cache"}, {Name: "shop"}, {Name: "logs"}}
	bears := [][]corev1.Toleration{nil, {endures(key, 30)}, {endures(key, 100)}, {endures(key)}}
	inNodes(t, 1, func(c *kubetest.Cluster, _ *cables) {
		for i := range all {
			kubetest.Create(c, podWith(all[i].Name, hosted("node-1"), func(pod *corev1.Pod) {
				pod.Spec.Tolerations = bears[i]
			}))
			all[i].May = stays(under(key), bears[i])
		}
		c.Advance(begin)
		put(c, "node-1", taint(key, corev1.TaintEffectNoSchedule))
		c.Advance(sends - begin)
		put(c, "node-1", taint(key, corev1.TaintEffectNoExecute))
		c.Advance(ends - sends)
		takeOff(c, "node-1")
		c.Advance(until - ends)
		for i := range all {
			for _, w := range c.Writes() {
				if w.Type == watch.Deleted && w.Object.GetName() == all[i].Name {
					all[i].Gone = w.At
				}
			}
			if may, err := time.ParseDuration(all[i].May); err == nil && all[i].Gone == 0 {
				all[i].Due = sends + may
			}
		}
	})
	kubetest.RecordedJSON(t, "../../testdata/stay.json", map[string]any{
		"begins": begin, "sends": sends, "ends": ends, "until": until, "pods": all,
	})
}
