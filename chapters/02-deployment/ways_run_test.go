package deployment_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// A departure is that of one of the objects that a deletion concerns, as
// figures/ways.svg has it. Times begin with the deletion.
type departure struct {
	Kind  string         `json:"kind"`
	Told  *time.Duration `json:"told,omitempty"` // that it is to go
	Gone  *time.Duration `json:"gone,omitempty"`
	Order int            `json:"order,omitempty"` // in which they went
	Freed bool           `json:"freed,omitempty"` // it has no owner any more
}

// departures returns what became of objects by a cluster's writes from one on.
func departures(objs []controlloop.Object, writes []kubetest.Write, start time.Duration) (all []*departure) {
	order := 0
	for _, obj := range objs {
		all = append(all, &departure{Kind: obj.GetObjectKind().GroupVersionKind().Kind})
	}
	for _, w := range writes {
		for i, obj := range objs {
			if obj.GetUID() != w.Object.GetUID() {
				continue
			}
			d, at := all[i], w.At-start
			if d.Told == nil && w.Object.GetDeletionTimestamp() != nil {
				d.Told = &at
			}
			if w.Type == watch.Deleted {
				order++
				d.Gone, d.Order = &at, order
			}
			d.Freed = len(obj.GetOwnerReferences()) > 0 && len(w.Object.GetOwnerReferences()) == 0
		}
	}
	return all
}

// One Deployment, of a Pod that does not listen when it is asked to end, deleted
// in each of the three ways.
func TestRunOfTheWaysToDelete(t *testing.T) {
	setup := everything
	setup.Images = simulated.Images{"slow:1": kubetest.Stubborn}
	record := map[string][]*departure{}
	for _, policy := range []metav1.DeletionPropagation{background, foreground, orphan} {
		in(t, setup, func(c *kubetest.Cluster) {
			d := kubetest.Create(c, slow("web", 1))
			c.Advance(5 * time.Second)
			objs := []controlloop.Object{kubetest.Get(c, d)}
			objs = append(objs, kubetest.All[controlloop.Object](c, deployment.ReplicaSetKind)...)
			objs = append(objs, kubetest.All[controlloop.Object](c, controlloop.PodKind)...)
			before, start := len(c.Writes()), c.Elapsed()
			remove(t, c, d, policy)
			c.Advance(time.Minute)
			record[string(policy)] = departures(objs, c.Writes()[before:], start)
		})
	}
	kubetest.RecordedJSON(t, "ways.json", record)
}
