package trace

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// facts are what the word of a Summary leaves out and loops wait for: counts, and
// conditions that are true. Counts of 0 are left out.
type facts []string

func (f *facts) count(n int64, what string) {
	if n != 0 {
		*f = append(*f, fmt.Sprintf("%d %s", n, what))
	}
}

// status adds what workloads have in theirs.
func (f *facts) status(updated, available int32, observed int64) {
	f.count(int64(updated), "updated")
	f.count(int64(available), "available")
	if observed != 0 {
		*f = append(*f, fmt.Sprintf("observedGeneration %d", observed))
	}
}

// has returns the facts of an object.
func has(obj controlloop.Object) (f facts) {
	switch obj := obj.(type) {
	case *corev1.Pod:
		if isReady(obj) {
			f = append(f, "Ready")
		}
	case *corev1.Node:
		for _, taint := range obj.Spec.Taints {
			f = append(f, fmt.Sprintf("taint %s:%s", taint.Key, taint.Effect))
		}
	case *appsv1.Deployment:
		f.status(obj.Status.UpdatedReplicas, obj.Status.AvailableReplicas, obj.Status.ObservedGeneration)
		for _, c := range obj.Status.Conditions {
			if c.Status == corev1.ConditionTrue {
				f = append(f, string(c.Type))
			}
		}
	case *appsv1.ReplicaSet:
		f.status(0, obj.Status.AvailableReplicas, obj.Status.ObservedGeneration)
	case *appsv1.StatefulSet:
		f.status(obj.Status.UpdatedReplicas, obj.Status.AvailableReplicas, obj.Status.ObservedGeneration)
	case *appsv1.DaemonSet:
		f.status(obj.Status.UpdatedNumberScheduled, obj.Status.NumberAvailable, obj.Status.ObservedGeneration)
	case *discoveryv1.EndpointSlice:
		ready := 0
		for _, e := range obj.Endpoints {
			if e.Conditions.Ready == nil || *e.Conditions.Ready {
				ready++
			}
		}
		f.count(int64(ready), "ready")
		f.count(int64(len(obj.Endpoints)-ready), "not ready")
	}
	return f
}
