package storage

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
)

const deleted = appsv1.DeletePersistentVolumeClaimRetentionPolicyType

func whenScaled(
	set *appsv1.StatefulSet,
) appsv1.PersistentVolumeClaimRetentionPolicyType {
	return set.Spec.PersistentVolumeClaimRetentionPolicy.WhenScaled
}

// ownersOf returns the owners that a claim is to have, and whether they differ
// from those it has. No controller deletes claims: an owner takes them along
// when it goes, and chapter 2's collector sees to that. A Pod that is one too
// many owns its claims if they go when it does, whenScaled; of the others, the
// set, whenDeleted.
//
//book:exercise 5j
func ownersOf(
	claim *corev1.PersistentVolumeClaim,
	set *appsv1.StatefulSet, pod *corev1.Pod,
) (owners []metav1.OwnerReference, change bool) {
	if isLeftBehind(claim, set, statefulset.StatefulSetKind) ||
		isLeftBehind(claim, pod, controlloop.PodKind) {
		return nil, false // it was to go with an owner before them
	}
	policy := set.Spec.PersistentVolumeClaimRetentionPolicy
	var owner *metav1.OwnerReference
	switch {
	case policy.WhenScaled == deleted && !statefulset.IsWanted(set, pod):
		owner = metav1.NewControllerRef(pod, controlloop.PodKind)
	case policy.WhenDeleted == deleted:
		owner = metav1.NewControllerRef(set, statefulset.StatefulSetKind)
	}
	for _, ref := range claim.OwnerReferences {
		if ref.UID != set.UID && ref.UID != pod.UID {
			owners = append(owners, ref)
		}
	}
	other := slices.ContainsFunc(owners, func(ref metav1.OwnerReference) bool {
		return ref.Controller != nil && *ref.Controller
	})
	if owner != nil && !other {
		owners = append(owners, *owner)
	}
	return owners, !equality.Semantic.DeepEqual(owners, claim.OwnerReferences)
}

// isLeftBehind reports whether a claim is owned by an object of owner's name
// that is not owner: its owner is gone, and it is about to go too.
func isLeftBehind(
	claim *corev1.PersistentVolumeClaim, owner controlloop.Object,
	kind schema.GroupVersionKind,
) bool {
	return slices.ContainsFunc(claim.OwnerReferences,
		func(ref metav1.OwnerReference) bool {
			return ref.Kind == kind.Kind && ref.Name == owner.GetName() &&
				ref.APIVersion == kind.GroupVersion().String() &&
				ref.UID != owner.GetUID()
		})
}

// claimsFor returns the claims of one Pod of a set, a template after the other,
// named after both and the ordinal: www-web-0.
//
//book:exercise 5j
func claimsFor(
	set *appsv1.StatefulSet, pod *corev1.Pod,
) []*corev1.PersistentVolumeClaim {
	var claims []*corev1.PersistentVolumeClaim
	for i := range set.Spec.VolumeClaimTemplates {
		claim := controlloop.Copy(&set.Spec.VolumeClaimTemplates[i])
		claim.Name += "-" + pod.Name
		claim.Namespace = set.Namespace
		labels := map[string]string{}
		maps.Copy(labels, claim.Labels)
		maps.Copy(labels, set.Spec.Selector.MatchLabels)
		claim.Labels = labels
		claims = append(claims, claim)
	}
	return claims
}
