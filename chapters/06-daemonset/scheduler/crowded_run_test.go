package scheduler_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/internal/kubetest"
)

// Four replicas of a CPU each, on two nodes of two. The scheduler hears what is
// new once a second, and tries all Pods that wait before it hears more.
//
//book:exercise 6n
func TestRunOfFourWhoComeAtOnce(t *testing.T) {
	log, ended := crowded(t, plugins.NewScheduler)
	kubetest.Recorded(t, "crowded.txt", log)
	assert.Zero(t, ended, "a Pod was given a place that another had been given before")
}

// crowded has four Pods come at once, and returns what became of them, and how
// many a kubelet had no room for.
func crowded(t *testing.T, by kubetest.Controller) (log []byte, ended int) {
	t.Helper()
	var text bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		c := kubetest.New(t, kubetest.Setup{
			Kinds: schedulerKinds, Nodes: 2,
			Controllers: []kubetest.Controller{deployment.NewReplicaSets},
			PerNode:     []kubetest.OfNode{strictKubelet},
			Invariants: []kubetest.Invariant{func(w kubetest.Write, _ []kubetest.Write) error {
				if pod, ok := w.Object.(*corev1.Pod); ok && w.Old != nil {
					if is := news(w.Old.(*corev1.Pod), pod); is != "" {
						fmt.Fprintf(&text, "%3s  %s  %s\n", w.At, pod.Name, is)
					}
				}
				return nil
			}},
		})
		system := &controlloop.System{Client: c.Store}
		scheduler := by(system)
		for _, node := range c.Nodes {
			kubetest.Create(c, server(node.Name, having("cpu=2 memory=8Gi pods=10")))
		}
		kubetest.Create(c, replicas(4, "cpu=1"))
		for range 5 {
			c.Settle()
			_, err := system.Step(t.Context(), controlloop.InOrder) // the first of them
			require.NoError(t, err)
			for scheduler.Queue.Len() > 0 {
				scheduler.Step(t.Context(), 0)
			}
			c.Advance(time.Second)
		}
		for _, pod := range c.Pods() {
			if controlloop.HasEnded(pod) {
				ended++
			}
		}
		fmt.Fprintf(&text, " 5s  %d Pods, of which %d have ended\n", len(c.Pods()), ended)
	})
	return text.Bytes(), ended
}

// replicas are those of a ReplicaSet, each of which requests something.
func replicas(n int32, request string) *appsv1.ReplicaSet {
	web := replicaSet("web")
	web.Spec.Replicas = &n
	web.Spec.Template.Spec.Containers = guest("web", requesting(request)).Spec.Containers
	return web
}

// strictKubelet takes no Pod that does not fit.
func strictKubelet(s *controlloop.System, m kubelet.Machine) *controlloop.Controller {
	m.Admit = func(_ context.Context, pod *corev1.Pod, others []*corev1.Pod) (string, string) {
		return plugins.Misfit(pod, server(m.Node, having("cpu=2 memory=8Gi pods=10")), others)
	}
	return kubelet.New(s, m)
}

// news is what a write says of a Pod that was not known before.
func news(was, is *corev1.Pod) string {
	switch {
	case is.Spec.NodeName != was.Spec.NodeName:
		return "goes to " + is.Spec.NodeName
	case is.Status.Reason != was.Status.Reason:
		return is.Spec.NodeName + " says " + is.Status.Reason
	case kubetest.Ready(is) && !kubetest.Ready(was):
		return "is ready"
	}
	return ""
}
