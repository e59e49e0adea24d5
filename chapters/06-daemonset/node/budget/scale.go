package budget

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	statefulset "reconcile/chapters/04-statefulset"
)

// Needs returns how many Pods a budget wants to be healthy where so many are
// wanted. Shares are rounded up, of what has to stay and of what may go.
//
//	minAvailable 50% of 7:   4 have to be healthy, 3 may go
//	maxUnavailable 50% of 7: 4 may go, 3 have to be healthy
func Needs(
	spec *policyv1.PodDisruptionBudgetSpec, expected int32,
) (int32, error) {
	limit := spec.MinAvailable
	if spec.MaxUnavailable != nil {
		limit = spec.MaxUnavailable
	}
	n, err := intstr.GetScaledValueFromIntOrPercent(limit, int(expected), true)
	if spec.MaxUnavailable != nil {
		return max(0, expected-int32(n)), err
	}
	return int32(n), err
}

// scales know how many Pods an owner wants.
type scales map[schema.GroupKind]*controlloop.Indexer

// newScales returns the scales of a system, which c waits for.
func newScales(s *controlloop.System, c *controlloop.Controller) scales {
	all := scales{}
	for _, kind := range []schema.GroupVersionKind{
		controlloop.RCKind, deployment.ReplicaSetKind,
		deployment.DeploymentKind, statefulset.StatefulSetKind,
	} {
		owners := s.Informer(kind, controlloop.ListOptions{})
		c.Watch(owners, func(controlloop.Object) []controlloop.Key { return nil })
		all[kind.GroupKind()] = owners.Cache
	}
	return all
}

// sum returns how many Pods the owners of these want together, and whether some
// have none. (Kubernetes: getExpectedScale in pkg/controller/disruption.)
func (s scales) sum(pods []*corev1.Pod) (n int32, unmanaged bool, err error) {
	wants := map[types.UID]int32{}
	for _, pod := range pods {
		owner := metav1.GetControllerOfNoCopy(pod)
		if owner == nil {
			unmanaged = true
			continue
		}
		uid, replicas, err := s.of(owner, pod)
		if err != nil {
			return 0, false, err
		}
		wants[uid] = replicas
	}
	for _, replicas := range wants {
		n += replicas
	}
	return n, unmanaged, nil
}

// of returns how many Pods the owner of one wants, and who says so: for a
// ReplicaSet of a Deployment, that is the Deployment.
func (s scales) of(
	ref *metav1.OwnerReference, pod *corev1.Pod,
) (types.UID, int32, error) {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return "", 0, err
	}
	kind := gv.WithKind(ref.Kind)
	if s[kind.GroupKind()] == nil {
		resource, _ := meta.UnsafeGuessKindToResource(kind)
		return "", 0, fmt.Errorf(
			"%s does not implement the scale subresource",
			resource.GroupResource())
	}
	owner := s.find(ref, pod.Namespace)
	if owner == nil {
		return "", 0, fmt.Errorf("found no controllers for pod %q", pod.Name)
	}
	if above := metav1.GetControllerOfNoCopy(owner); above != nil {
		if dep := s.find(above, pod.Namespace); dep != nil {
			owner = dep
		}
	}
	return owner.GetUID(), replicasOf(owner), nil
}

// find returns what an owner reference names, or nil.
func (s scales) find(
	ref *metav1.OwnerReference, namespace string,
) controlloop.Object {
	gv, _ := schema.ParseGroupVersion(ref.APIVersion)
	cache := s[gv.WithKind(ref.Kind).GroupKind()]
	if cache == nil {
		return nil
	}
	owner, ok := cache.Get(controlloop.Key{
		Namespace: namespace, Name: ref.Name,
	})
	if !ok || owner.GetUID() != ref.UID {
		return nil
	}
	return owner
}

func replicasOf(owner controlloop.Object) int32 {
	switch owner := owner.(type) {
	case *corev1.ReplicationController:
		return *owner.Spec.Replicas
	case *appsv1.ReplicaSet:
		return *owner.Spec.Replicas
	case *appsv1.Deployment:
		return *owner.Spec.Replicas
	case *appsv1.StatefulSet:
		return *owner.Spec.Replicas
	}
	return 0
}
