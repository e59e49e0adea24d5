package deployment_test

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// A family of five is deleted in the foreground, and one of them takes its time.
// Exercise 2k asks for the order in which they go.
func TestRunOfAFamilyThatGoes(t *testing.T) {
	var log bytes.Buffer
	setup := collecting
	setup.Invariants = []kubetest.Invariant{func(w kubetest.Write, _ []kubetest.Write) error {
		switch {
		case w.Type == watch.Deleted:
			fmt.Fprintf(&log, "gone  %s\n", w.Object.GetName())
		case w.Old != nil && w.Old.GetDeletionTimestamp() == nil && w.Object.GetDeletionTimestamp() != nil:
			fmt.Fprintf(&log, "told  %s\n", w.Object.GetName())
		}
		return nil
	}}
	in(t, setup, func(c *kubetest.Cluster) {
		shop := kubetest.Create(c, thing("shop"))
		web := kubetest.Create(c, thing("web", shop))
		kubetest.Create(c, thing("web-1", web))
		db := kubetest.Create(c, thing("db", shop))
		held := thing("db-1", db)
		held.Finalizers = []string{"example.com/backup"}
		held = kubetest.Create(c, held)
		c.Settle()
		remove(t, c, shop, foreground)
		c.Advance(10 * time.Second)
		fmt.Fprintln(&log, "# ten seconds later the backup is made, and the finalizer taken away")
		kubetest.Edit(c, held, func(held *corev1.ConfigMap) { held.Finalizers = nil })
		c.Settle()
		kubetest.Recorded(t, "../exercises/2k.txt", log.Bytes())
	})
}

// A Deployment comes up, and is scaled: what its controller sees and says.
//
//book:exercise 2g
func TestRunOfADeploymentThatIsScaled(t *testing.T) {
	var log bytes.Buffer
	var start time.Time
	looking := false
	setup := everything
	setup.DetectMutations = false // it would give the answer away
	setup.Trace = func(s controlloop.Step) {
		if s.Action == "reconcile" {
			looking = s.Lane == "deployment"
		}
		if looking && s.Action == "reconcile" {
			fmt.Fprintf(&log, "%3s  the controller looks\n", s.At.Sub(start))
		}
	}
	setup.Invariants = []kubetest.Invariant{func(w kubetest.Write, _ []kubetest.Write) error {
		switch obj := w.Object.(type) {
		case *appsv1.Deployment:
			if looking {
				fmt.Fprintf(&log, "       and writes: there %d, ready %d, observed generation %d\n",
					obj.Status.Replicas, obj.Status.ReadyReplicas, obj.Status.ObservedGeneration)
			}
		case *appsv1.ReplicaSet:
			if looking {
				fmt.Fprintf(&log, "       and has the ReplicaSet want %d\n", *obj.Spec.Replicas)
			} else {
				fmt.Fprintf(&log, "%3s  the ReplicaSet says: there %d, ready %d\n",
					w.At, obj.Status.Replicas, obj.Status.ReadyReplicas)
			}
		}
		return nil
	}}
	in(t, setup, func(c *kubetest.Cluster) {
		start = time.Now()
		kubetest.Create(c, recreated("web", 1))
		c.Advance(10 * time.Second)
		looking = false
		fmt.Fprintln(&log, "10s  somebody scales it to 2")
		kubetest.Edit(c, recreated("web", 1), func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(2)) })
		c.Advance(10 * time.Second)
		kubetest.Recorded(t, "scaled.txt", log.Bytes())
	})
}

// No watch has heard of a status that was not written.
//
//book:exercise 2g
func TestWhatADeploymentSaysOfItselfIsWritten(t *testing.T) {
	setup := everything
	setup.DetectMutations = false
	in(t, setup, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 1))
		c.Advance(10 * time.Second)
		writes := c.WritesOf(d)
		require.Greater(t, len(writes), 1, "nobody has heard of it since it was made")
		last := writes[len(writes)-1].Object.(*appsv1.Deployment).Status
		assert.EqualValues(t, 1, last.ObservedGeneration)
		assert.EqualValues(t, 1, last.AvailableReplicas)
	})
}
