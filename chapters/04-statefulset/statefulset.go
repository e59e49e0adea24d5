package statefulset

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

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
	deletions  deletions
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
		deletions: deletions{told: map[types.UID]bool{}},
	}
	c := controlloop.NewController("statefulset", r)
	c.Workers = 5
	s.Add(c)
	c.Watch(sets, controlloop.Self)
	pods.Handle(controlloop.Handler{OnUpdate: r.replaced, OnDelete: r.forget})
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
