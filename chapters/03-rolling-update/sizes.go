package rollingupdate

import (
	"context"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

func active(sets []*appsv1.ReplicaSet) []*appsv1.ReplicaSet {
	return slices.DeleteFunc(slices.Clone(sets), func(rs *appsv1.ReplicaSet) bool {
		return *rs.Spec.Replicas == 0
	})
}

// only returns the one active ReplicaSet or, if none is active, the one that
// comes first when Pods are wanted again; nil: the Deployment has none at all.
func only(
	r *deployment.Rollout, active []*appsv1.ReplicaSet,
) *appsv1.ReplicaSet {
	switch {
	case len(active) == 1:
		return active[0]
	case r.New != nil:
		return r.New
	case len(r.Old) > 0:
		return r.Old[len(r.Old)-1]
	}
	return nil
}

// saturated reports whether the new ReplicaSet has all the Pods that are
// wanted, and all of them can do their work.
func saturated(d *appsv1.Deployment, rs *appsv1.ReplicaSet) bool {
	if rs == nil {
		return false
	}
	want := *d.Spec.Replicas
	noted, ok := numberIn(rs, DesiredReplicasAnnotation)
	return ok && noted == want && *rs.Spec.Replicas == want &&
		rs.Status.AvailableReplicas == want
}

// setSize scales a ReplicaSet. One that has its size already may still have to
// note the Deployment's.
func setSize(
	ctx context.Context, r *deployment.Rollout, rs *appsv1.ReplicaSet, size int32,
) error {
	scaled, err := r.Scale(ctx, rs, size)
	if scaled || err != nil {
		return err
	}
	next := controlloop.Copy(rs)
	noteSize(next, r.Deployment)
	if maps.Equal(next.Annotations, rs.Annotations) {
		return nil
	}
	return r.Update(ctx, next)
}

// noteSize writes on a ReplicaSet how large its Deployment is, and may become.
func noteSize(rs *appsv1.ReplicaSet, d *appsv1.Deployment) {
	maxSurge, _ := boundsOf(d)
	want := *d.Spec.Replicas
	for name, n := range map[string]int32{
		DesiredReplicasAnnotation: want, MaxReplicasAnnotation: want + maxSurge,
	} {
		metav1.SetMetaDataAnnotation(&rs.ObjectMeta, name, strconv.Itoa(int(n)))
	}
}
