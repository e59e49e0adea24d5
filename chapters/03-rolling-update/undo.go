package rollingupdate

import (
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// target returns the ReplicaSet of a revision; of revision 0, that with the
// highest number but one. The sets are sorted by number.
//
//book:exercise 3g
func target(
	d *appsv1.Deployment, sets []*appsv1.ReplicaSet, revision int64,
) (*appsv1.ReplicaSet, error) {
	if revision == 0 {
		if len(sets) < 2 {
			return nil, fmt.Errorf("no rollout history found for deployment %q", d.Name)
		}
		return sets[len(sets)-2], nil
	}
	for _, rs := range sets {
		if revisionOf(rs) == revision {
			return rs, nil
		}
	}
	return nil, fmt.Errorf("unable to find specified revision %v in history", revision)
}

// restored returns a Deployment with the template and the notes of a ReplicaSet.
// Notes that only the Deployment has about itself, it keeps.
func restored(d *appsv1.Deployment, rs *appsv1.ReplicaSet) *appsv1.Deployment {
	next := controlloop.Copy(d)
	next.Spec.Template = *rs.Spec.Template.DeepCopy()
	delete(next.Spec.Template.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
	maps.DeleteFunc(next.Annotations, func(name, _ string) bool {
		return !notCopied.Has(name)
	})
	inherit(&next.ObjectMeta, &rs.ObjectMeta)
	return next
}
