package scheduler_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/internal/kubetest"
)

// firstFit gives each Pod to the first node that has room for it.
type firstFit struct {
	client      controlloop.Client
	nodes, pods *controlloop.Indexer
	asked       int // how many turns there have been
}

// Reconcile implements controlloop.Reconciler.
func (f *firstFit) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := f.pods.Get(key)
	if !ok || obj.(*corev1.Pod).Spec.NodeName != "" {
		return controlloop.Result{}, nil
	}
	pod := obj.(*corev1.Pod)
	f.asked++
	for _, node := range f.nodes.List() {
		if f.fits(pod, node.(*corev1.Node)) {
			return controlloop.Result{}, f.client.Bind(ctx,
				controlloop.NewBinding(pod, node.GetName()))
		}
	}
	return controlloop.Result{After: time.Second}, nil
}

// fits reports whether there is room on a node, beside the Pods that are there.
func (f *firstFit) fits(pod *corev1.Pod, node *corev1.Node) bool {
	var there []*corev1.Pod
	for _, obj := range f.pods.List() {
		if other := obj.(*corev1.Pod); other.Spec.NodeName == node.Name &&
			!controlloop.HasEnded(other) {
			there = append(there, other)
		}
	}
	reason, _ := plugins.Misfit(pod, node, there)
	return reason == ""
}

// newFirstFit returns its controller, and counts what it is asked.
func newFirstFit(asked **int) kubetest.Controller {
	return func(s *controlloop.System) *controlloop.Controller {
		pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
		nodes := s.Informer(controlloop.NodeKind, controlloop.ListOptions{})
		f := &firstFit{client: s.Client, nodes: nodes.Cache, pods: pods.Cache}
		*asked = &f.asked
		c := controlloop.NewController("scheduler", f)
		s.Add(c)
		c.Watch(pods, controlloop.Self)
		c.Watch(nodes, func(controlloop.Object) []controlloop.Key { return nil })
		return c
	}
}

// newCounted returns the chapter's scheduler, and counts its decisions.
func newCounted(asked **int) kubetest.Controller {
	return func(s *controlloop.System) *controlloop.Controller {
		c, n := plugins.NewScheduler(s), new(int)
		c.Reconciler.(*scheduler.Scheduler).OnDecision = func(scheduler.Decision) { *n++ }
		*asked = n
		return c
	}
}

// Three mornings of a scheduler that takes the first node which fits, and of the
// chapter's: replicas for which each node has room; four Pods at once; and one
// that fits nowhere.
func TestRunOfTheFirstNodeThatFits(t *testing.T) {
	var log bytes.Buffer
	for _, by := range []struct {
		name string
		new  func(asked **int) kubetest.Controller
	}{{"naive", newFirstFit}, {"chapter", newCounted}} {
		var asked *int
		controller := by.new(&asked)
		fmt.Fprintf(&log, "# part: %s\n", by.name)
		synctest.Test(t, func(t *testing.T) {
			c := kubetest.New(t, kubetest.Setup{
				Kinds: schedulerKinds, Nodes: 3,
				Controllers: []kubetest.Controller{deployment.NewReplicaSets, controller},
			})
			for _, node := range c.Nodes {
				kubetest.Create(c, server(node.Name, having("cpu=4 memory=8Gi pods=10")))
			}
			kubetest.Create(c, replicas(6, "cpu=500m"))
			c.Settle()
			on := map[string]int{}
			for _, pod := range c.Pods() {
				on[pod.Spec.NodeName]++
			}
			fmt.Fprintf(&log, "six replicas, three empty nodes      node-1: %d  node-2: %d  node-3: %d\n",
				on["node-1"], on["node-2"], on["node-3"])
		})
		_, ended := crowded(t, controller)
		fmt.Fprintf(&log, "four at once, and room for four      %d of them where there is no room\n", ended)
		synctest.Test(t, func(t *testing.T) {
			c := kubetest.New(t, kubetest.Setup{
				Kinds: schedulerKinds, PerNode: []kubetest.OfNode{},
				Controllers: []kubetest.Controller{controller},
			})
			kubetest.Create(c, server("node-1"))
			kubetest.Create(c, guest("p", requesting("cpu=9")))
			c.Advance(time.Hour)
			fmt.Fprintf(&log, "one that fits nowhere, for an hour   tried %d times\n", *asked)
		})
	}
	kubetest.Recorded(t, "../../testdata/first.txt", log.Bytes())
}
