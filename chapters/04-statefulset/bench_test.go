package statefulset_test

import (
	"context"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
)

// BenchmarkComeUp measures what the controller spends on each Pod of a set that
// comes up from nothing, on nodes that take no time.
func BenchmarkComeUp(b *testing.B) {
	for _, c := range []struct {
		policy func(*appsv1.StatefulSet)
		name   string
		pods   int32
	}{
		{func(*appsv1.StatefulSet) {}, "OrderedReady", 50},
		{func(*appsv1.StatefulSet) {}, "OrderedReady", 500},
		{parallel, "Parallel", 500},
		{parallel, "Parallel", 5000},
	} {
		b.Run(fmt.Sprintf("%s/%d", c.name, c.pods), func(b *testing.B) {
			for b.Loop() {
				comeUp(b, web(c.pods, c.policy))
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(c.pods), "ns/Pod")
		})
	}
}

func comeUp(b *testing.B, set *appsv1.StatefulSet) {
	var fresh []*corev1.Pod
	store := controlloop.NewStore(ordered.Kinds, controlloop.WithHistory(100_000),
		controlloop.OnWrite(func(w controlloop.Write) {
			if pod, ok := w.Object.(*corev1.Pod); ok && w.Old == nil {
				fresh = append(fresh, pod)
			}
		}))
	system := &controlloop.System{Client: store}
	statefulset.NewStatefulSets(system)
	ctx := context.Background()
	if _, err := store.Create(ctx, set); err != nil {
		b.Fatal(err)
	}
	for up := 0; up < int(*set.Spec.Replicas); {
		for more := true; more; {
			var err error
			if more, err = system.Step(ctx, controlloop.InOrder); err != nil {
				b.Fatal(err)
			}
		}
		for _, pod := range fresh {
			ready := controlloop.Copy(pod)
			ready.Status.Phase = corev1.PodRunning
			ready.Status.Conditions = []corev1.PodCondition{{
				Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: controlloop.Now(),
			}}
			if _, err := store.UpdateStatus(ctx, ready); err != nil {
				b.Fatal(err)
			}
			up++
		}
		fresh = nil
	}
}
