package deployment

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	controlloop "reconcile/chapters/01-control-loop"
)

// NewReplicaSets returns the controller that reconciles the ReplicaSets of a
// system. (Kubernetes: pkg/controller/replicaset/replica_set.go.)
func NewReplicaSets(s *controlloop.System) *controlloop.Controller {
	sets := s.Informer(ReplicaSetKind, controlloop.ListOptions{})
	return (&ReplicaSets{
		Kind: ReplicaSetKind, Client: s.Client, Sets: sets.Cache,
		Recorder: s.RecorderFor("replicaset-controller", ""),
	}).addTo(s, "replicaset", sets)
}

// addTo makes a controller of r, and adds it to a system. The informer is the
// one that fills r.Sets.
func (r *ReplicaSets) addTo(
	s *controlloop.System, name string, sets *controlloop.Informer,
) *controlloop.Controller {
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	r.Sets.AddIndex(controlloop.ByOwner, controlloop.ControllerUID)
	pods.Cache.AddIndex(controlloop.ByOwner, controlloop.ControllerUID)
	pods.Cache.AddIndex(Orphans, OrphanIn)
	r.Pods, r.Expected = pods.Cache, NewExpectations()
	c := controlloop.NewController(name, r)
	c.Workers = 5
	s.Add(c)
	pods.Handle(r.observer()) // before the key is added: it may act at once
	sets.Handle(controlloop.Handler{OnDelete: func(rs controlloop.Object) {
		r.Expected.Forget(rs.GetUID())
	}})
	c.Watch(sets, controlloop.Self)
	c.Watch(pods, r.setsOf)
	return c
}

// observer returns a handler that lowers the expectations of the ReplicaSet
// whose Pod comes or goes.
func (r *ReplicaSets) observer() controlloop.Handler {
	going := func(pod controlloop.Object) {
		if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
			r.Expected.Deleted(owner.UID, pod.GetUID())
		}
	}
	return controlloop.Handler{
		OnAdd: func(pod controlloop.Object) {
			if pod.GetDeletionTimestamp() != nil {
				going(pod) // its life was missed; this is its end
			} else if owner := metav1.GetControllerOfNoCopy(pod); owner != nil {
				r.Expected.Created(owner.UID)
			}
		},
		OnUpdate: func(_, pod controlloop.Object) {
			if pod.GetDeletionTimestamp() != nil {
				going(pod)
			}
		},
		OnDelete: going,
	}
}

// setsOf returns the ReplicaSet that controls a Pod or, of an orphan, all that
// might adopt it.
func (r *ReplicaSets) setsOf(pod controlloop.Object) []controlloop.Key {
	if key, ok := controlloop.ControllerKey(pod, r.Kind); ok {
		return []controlloop.Key{key}
	}
	if metav1.GetControllerOfNoCopy(pod) != nil {
		return nil
	}
	var keys []controlloop.Key
	for _, obj := range r.Sets.Lookup(controlloop.ByNamespace, pod.GetNamespace()) {
		selector := SelectorOf(obj.(*appsv1.ReplicaSet).Spec.Selector)
		if selector.Matches(labels.Set(pod.GetLabels())) {
			keys = append(keys, controlloop.KeyOf(obj))
		}
	}
	return keys
}

// SelectorOf returns the selector of a stored object. It was checked on its way
// in.
func SelectorOf(s *metav1.LabelSelector) labels.Selector {
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return labels.Nothing()
	}
	return selector
}

// claimPods returns the active Pods that belong to rs.
func (r *ReplicaSets) claimPods(
	ctx context.Context, rs *appsv1.ReplicaSet, owned []controlloop.Object,
) ([]*corev1.Pod, error) {
	free := r.Pods.Lookup(Orphans, rs.Namespace)
	candidates := slices.DeleteFunc(
		OfType[*corev1.Pod](append(owned, free...)),
		func(pod *corev1.Pod) bool { return !isActive(pod) })
	return Claim(ctx, &Claims{
		Client: r.Client, Kind: r.Kind, Owner: rs,
		Selector: SelectorOf(rs.Spec.Selector),
	}, candidates)
}

// related returns the Pods of all ReplicaSets with the owner of rs: they do the
// same work, and beside one of them another is of less use. Without an owner
// there are none, as in Kubernetes.
func (r *ReplicaSets) related(rs *appsv1.ReplicaSet) []*corev1.Pod {
	owner := metav1.GetControllerOfNoCopy(rs)
	if owner == nil {
		return nil
	}
	sets := r.Sets.Lookup(controlloop.ByOwner, string(owner.UID))
	var pods []*corev1.Pod
	for _, set := range sets {
		owned := r.Pods.Lookup(controlloop.ByOwner, string(set.GetUID()))
		pods = append(pods, OfType[*corev1.Pod](owned)...)
	}
	return pods
}

// tell records which Pods were created, and why others were not. They were asked
// for side by side, and are told of in order.
func (r *ReplicaSets) tell(rs *appsv1.ReplicaSet, created, refused []string) {
	for _, name := range slices.Sorted(slices.Values(created)) {
		r.Recorder.Eventf(rs, corev1.EventTypeNormal, "SuccessfulCreate",
			"Created pod: %s", name)
	}
	for _, why := range slices.Sorted(slices.Values(refused)) {
		r.Recorder.Eventf(rs, corev1.EventTypeWarning, "FailedCreate",
			"Error creating: %s", why)
	}
}
