package statefulset

import (
	"context"
	"errors"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// StatefulSets keeps the Pods of each StatefulSet: as many as it wants, and each
// with its own name.
type StatefulSets struct {
	Client     controlloop.Client
	Sets, Pods *controlloop.Indexer
	Recorder   controlloop.Recorder
	Claims     Claims
	Update     Update
}

// NewStatefulSets returns the controller that reconciles the StatefulSets of a
// system, whose Pods have names and nothing else.
func NewStatefulSets(s *controlloop.System) *controlloop.Controller {
	return NewStatefulSetsWith(s, NoClaims{}, OnDelete{})
}

// NewStatefulSetsWith returns one for Pods that keep more than their names, and
// give way to others by some rule.
func NewStatefulSetsWith(
	s *controlloop.System, claims Claims, update Update,
) *controlloop.Controller {
	sets := s.Informer(StatefulSetKind, controlloop.ListOptions{})
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	pods.Cache.AddIndex(controlloop.ByOwner, controlloop.ControllerUID)
	pods.Cache.AddIndex(deployment.Orphans, deployment.OrphanIn)
	r := &StatefulSets{
		Client: s.Client, Sets: sets.Cache, Pods: pods.Cache,
		Recorder: s.RecorderFor("statefulset-controller", ""),
		Claims:   claims, Update: update,
	}
	c := controlloop.NewController("statefulset", r)
	c.Workers = 5
	s.Add(c)
	c.Watch(sets, controlloop.Self)
	c.Watch(pods, r.setsOf)
	return c
}

// setsOf returns the set that controls a Pod or, of an orphan, all that might
// adopt it.
func (s *StatefulSets) setsOf(pod controlloop.Object) []controlloop.Key {
	if key, ok := controlloop.ControllerKey(pod, StatefulSetKind); ok {
		return []controlloop.Key{key}
	}
	if metav1.GetControllerOfNoCopy(pod) != nil {
		return nil
	}
	var keys []controlloop.Key
	for _, obj := range s.Sets.Lookup(controlloop.ByNamespace, pod.GetNamespace()) {
		if isMember(obj.(*appsv1.StatefulSet), pod.(*corev1.Pod)) {
			keys = append(keys, controlloop.KeyOf(obj))
		}
	}
	return keys
}

// isMember reports whether a Pod has a name that the set gives, and its labels.
func isMember(set *appsv1.StatefulSet, pod *corev1.Pod) bool {
	_, named := ordinalOf(set, pod)
	selector := deployment.SelectorOf(set.Spec.Selector)
	return named && selector.Matches(labels.Set(pod.Labels))
}

// Reconcile implements controlloop.Reconciler. Its errors are returned after the
// status has been reported.
func (s *StatefulSets) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := s.Sets.Get(key)
	if !ok {
		return controlloop.Result{}, nil
	}
	set := obj.(*appsv1.StatefulSet)
	pods, err := s.claimPods(ctx, set)
	if err != nil {
		return controlloop.Result{}, err
	}
	v, err := s.Update.Versions(ctx, set, pods)
	if err != nil {
		return controlloop.Result{}, err
	}
	now := *set // with the status as it is, not as it was reported last
	now.Status = statusOf(set, v, pods)
	var todo steps
	var failure error
	if set.DeletionTimestamp == nil {
		todo, failure = s.manage(ctx, &now, v, pods)
	}
	err = s.report(ctx, set, now.Status)
	return controlloop.Result{After: todo.wait}, errors.Join(failure, err)
}

// manage takes the steps that are due. Only a set that is as it should be is
// updated.
func (s *StatefulSets) manage(
	ctx context.Context, set *appsv1.StatefulSet, v Versions, pods []*corev1.Pod,
) (steps, error) {
	p := planOf(set, pods)
	for _, pod := range havingTheirTurn(set, p) {
		if pod == nil {
			continue
		}
		if err := s.Claims.Keep(ctx, set, pod); err != nil {
			return steps{}, err
		}
	}
	todo := next(set, p)
	if err := s.take(ctx, set, v, todo.take); err != nil || !todo.settled {
		return todo, err
	}
	for _, pod := range s.Update.GiveWay(set, v, p.replicas) {
		if err := s.remove(ctx, set, pod); err != nil {
			return todo, err
		}
	}
	return todo, nil
}

// havingTheirTurn returns the Pods whose belongings are seen to now. In order,
// the condemned come after all the replicas are as they should be, as in next: a
// Pod that may not be taken away yet does not take its belongings along either.
func havingTheirTurn(set *appsv1.StatefulSet, p plan) []*corev1.Pod {
	if set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement {
		for _, pod := range p.replicas {
			if _, ready, _ := processReplica(set, pod); !ready {
				return p.replicas
			}
		}
	}
	return slices.Concat(p.replicas, p.condemned)
}

// claimPods returns the Pods of a set, ended ones too, after it has adopted
// those that have its names and let go of those that have not.
//
//book:exercise 4.2
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
