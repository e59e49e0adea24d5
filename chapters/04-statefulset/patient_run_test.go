package statefulset_test

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"reconcile/internal/kubetest"
)

// A set whose Pods have to be ready for ten seconds comes up; after half a
// minute a user puts an annotation on it.
//
//book:exercise 4h
func TestRunOfAPatientSet(t *testing.T) {
	var log bytes.Buffer
	setup := ordered
	setup.Invariants = append(slices.Clip(setup.Invariants), func(w kubetest.Write, _ []kubetest.Write) error {
		pod, ok := w.Object.(*corev1.Pod)
		switch {
		case ok && w.Type == watch.Added:
			fmt.Fprintf(&log, "%4s  %s is made\n", w.At, pod.Name)
		case ok && kubetest.Ready(pod) && !kubetest.Ready(w.Old.(*corev1.Pod)):
			fmt.Fprintf(&log, "%4s  %s is ready\n", w.At, pod.Name)
		}
		return nil
	})
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(3, patient(10)))
		nap := func(seconds int) {
			for range seconds {
				c.Advance(time.Second)
				serve(c)
			}
		}
		nap(30)
		fmt.Fprintln(&log, " 30s  somebody puts an annotation on the set")
		kubetest.Edit(c, web(0), func(set *appsv1.StatefulSet) {
			set.Annotations = map[string]string{"example.com/seen-by": "ada"}
		})
		nap(30)
		fmt.Fprintf(&log, " 60s  there are %s\n", names(c))
		assert.Equal(t, "web-0, web-1, web-2", names(c), "a minute is enough for three")
		kubetest.Recorded(t, "patient.txt", log.Bytes())
	})
}

// A set whose Pods have to be ready for ten seconds is reconciled when these
// are over: no later, and not once a second in between.
//
//book:exercise 4h
func TestASetThatWaitsForTimeIsReconciledWhenItIsUp(t *testing.T) {
	setup, looks := ordered, &lookCount{}
	setup.Trace = looks.record
	in(t, setup, func(c *kubetest.Cluster) {
		kubetest.Create(c, web(3, patient(10)))
		for range 40 {
			c.Advance(time.Second)
			serve(c)
		}
		assert.Equal(t, "web-0, web-1, web-2", names(c), "each is available after ten seconds")
		assert.Less(t, looks.count, 20, "a reconcile each second would be 40")
	})
}
