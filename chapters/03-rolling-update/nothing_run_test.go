package rollingupdate_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/kubetest"
)

// asked waits so many seconds until a Pod that is ready counts.
func asked(minReady int32) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) { d.Spec.MinReadySeconds = minReady }
}

// An update to a version that crashes after twenty seconds, of Pods
// without a readiness probe.
func TestRunOfAnUpdateThatNobodyAsks(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	for _, story := range []struct {
		part     string
		minReady int32
	}{{"at-once", 0}, {"a-minute", 60}} {
		setup := rolled()
		setup.Images["web:v2"] = kubetest.Exits(20*time.Second, 1)
		in(t, setup, func(c *kubetest.Cluster) {
			kubetest.Create(c, web("web", 4, unprobed, asked(story.minReady)))
			c.Advance(2 * time.Minute)
			edit(c, "web", image("web:v2"))
			fmt.Fprintf(&out, "# part: %s\nsecond   v1   v2  ready  restarts\n", story.part)
			last := ""
			for second := range 150 {
				if second > 0 {
					c.Advance(time.Second)
				}
				if now := crowd(c.Pods()); now != last {
					fmt.Fprintf(&out, "%6d %s\n", second, now)
					last = now
				}
			}
			c.Advance(time.Hour)
			d := get(c, "web")
			reason, _, _ := strings.Cut(says(d, appsv1.DeploymentProgressing), ":")
			fmt.Fprintf(&out, "an hour later: %d of %d updated, Progressing %s\n",
				d.Status.UpdatedReplicas, *d.Spec.Replicas, reason)
		})
	}
	kubetest.Recorded(t, "nothing.txt", out.Bytes())
}

// crowd returns how many Pods each version has, how many of all are ready, and
// how often their containers were started again.
func crowd(pods []*corev1.Pod) string {
	var v1, v2, ready int
	var restarts int32
	for _, p := range pods {
		switch {
		case p.DeletionTimestamp != nil:
			continue
		case p.Spec.Containers[0].Image == "web:v1":
			v1++
		default:
			v2++
		}
		if kubetest.Ready(p) {
			ready++
		}
		for _, status := range p.Status.ContainerStatuses {
			restarts += status.RestartCount
		}
	}
	return fmt.Sprintf("%4d %4d %6d %9d", v1, v2, ready, restarts)
}
