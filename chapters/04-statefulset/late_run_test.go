package statefulset_test

import (
	"bytes"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// diary writes down what becomes of Pods, and when.
func diary(log *bytes.Buffer) kubetest.Invariant {
	return func(w kubetest.Write, _ []kubetest.Write) error {
		pod, ok := w.Object.(*corev1.Pod)
		if !ok {
			return nil
		}
		say := func(what string) { fmt.Fprintf(log, "%6s  %s %s\n", w.At, pod.Name, what) }
		old, _ := w.Old.(*corev1.Pod)
		switch {
		case w.Type == watch.Added:
			say("is made")
		case w.Type == watch.Deleted:
			say("is gone")
		case old.DeletionTimestamp == nil && pod.DeletionTimestamp != nil:
			say("is terminating")
		case !controlloop.HasEnded(old) && controlloop.HasEnded(pod):
			say("has ended")
		case kubetest.Ready(old) && !kubetest.Ready(pod):
			say("is no longer ready")
		case !kubetest.Ready(old) && kubetest.Ready(pod):
			say("is ready")
		}
		return nil
	}
}

// telling is ordered, with a diary in the place of a judgement about the order.
func telling(log *bytes.Buffer) kubetest.Setup {
	setup := ordered
	setup.Invariants = []kubetest.Invariant{neverTwoOfAName, diary(log)}
	return setup
}

// Between a look and the write that follows from it the world goes on: a Pod is
// made too early, and another is deleted too early.
func TestRunOfALateLook(t *testing.T) {
	var log bytes.Buffer
	meanwhile := func(c *kubetest.Cluster, verb, name string, what func()) {
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == verb && call.Key.Name == name {
				c.Client.Fail(nil)
				fmt.Fprintf(&log, "%6s  (the controller has read its cache, and decided to %s %s)\n", c.Elapsed(), verb, name)
				what()
			}
			return nil
		})
	}
	in(t, telling(&log), func(c *kubetest.Cluster) {
		fmt.Fprintln(&log, "# part: up")
		kubetest.Create(c, web(2))
		meanwhile(c, "create", "web-1", func() { c.DeletePod("web-0", kubetest.Grace(0)) })
		rest(c)
	})
	up := log.String()
	in(t, telling(&log), func(c *kubetest.Cluster) {
		kubetest.Create(c, web(5))
		rest(c)
		log.Reset()
		fmt.Fprintln(&log, "# part: down")
		meanwhile(c, "delete", "web-4", func() { is(c, "web-1", corev1.PodRunning, false) })
		scale(c, 3)
		rest(c)
	})
	kubetest.Recorded(t, "late.txt", []byte(up+log.String()))
}
