package statefulset

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// claimPods returns the Pods of a set, ended ones too, after it has adopted
// those that have its names and let go of those that have not.
//
//book:exercise 4b
func (s *StatefulSets) claimPods(
	ctx context.Context, set *appsv1.StatefulSet,
) ([]*corev1.Pod, error) {
	claims := &deployment.Claims{
		Client: s.Client, Kind: StatefulSetKind, Owner: set,
		Selector: deployment.SelectorOf(set.Spec.Selector),
	}
	nobody := &deployment.Claims{
		Client: s.Client, Kind: StatefulSetKind, Owner: set,
		Selector: labels.Nothing(),
	}
	owned := s.Pods.Lookup(controlloop.ByOwner, string(set.UID))
	free := s.Pods.Lookup(deployment.Orphans, set.Namespace)
	var ours, strangers []*corev1.Pod
	for _, pod := range deployment.OfType[*corev1.Pod](append(owned, free...)) {
		if _, named := ordinalOf(set, pod); named {
			ours = append(ours, pod)
		} else if metav1.IsControlledBy(pod, set) {
			strangers = append(strangers, pod)
		}
	}
	if _, err := deployment.Claim(ctx, nobody, strangers); err != nil {
		return nil, err
	}
	return deployment.Claim(ctx, claims, ours)
}

// isMember reports whether a Pod has a name that the set gives, and its labels.
func isMember(set *appsv1.StatefulSet, pod *corev1.Pod) bool {
	_, named := ordinalOf(set, pod)
	selector := deployment.SelectorOf(set.Spec.Selector)
	return named && selector.Matches(labels.Set(pod.Labels))
}
