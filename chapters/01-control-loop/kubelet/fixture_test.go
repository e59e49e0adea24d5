package kubelet_test

import (
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/kubetest"
)

// in runs a test in a cluster in a bubble.
func in(t *testing.T, setup kubetest.Setup, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(kubetest.New(t, setup)) })
}

// held gives a Pod a finalizer that stays.
func held(pod *corev1.Pod) { pod.Finalizers = []string{"example.com/hold"} }

// replaceAt replaces a Pod by another of its name at the moment when a
// controller is about to delete it.
func replaceAt(c *kubetest.Cluster, name string) (young *corev1.Pod) {
	c.Client.Fail(func(call kubetest.Call) error {
		if call.Verb == "delete" && call.Key.Name == name {
			c.Client.Fail(nil)
			c.DeletePod(name, kubetest.Grace(0))
			young = kubetest.Create(c, kubetest.Pod(name))
		}
		return nil
	})
	c.Advance(time.Minute)
	return young
}
