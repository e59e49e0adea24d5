package daemonset

import (
	"context"
	"slices"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
)

// Revised fills chapter 4's Update: a set's template is a revision, and its
// Pods go from one to the next, the highest ordinal first.
type Revised struct{ History *History }

// NewStatefulSets returns the controller that reconciles StatefulSets whose
// Pods have names and disks, and are replaced when the template is another.
func NewStatefulSets(s *controlloop.System) *controlloop.Controller {
	return NewStatefulSetsWith(s, storage.NewDisks(s))
}

// NewStatefulSetsWith does so for Pods that keep something else.
func NewStatefulSetsWith(
	s *controlloop.System, claims statefulset.Claims,
) *controlloop.Controller {
	c := statefulset.NewStatefulSetsWith(
		s, claims, Revised{historyOfStatefulSets(s)})
	c.Watch(revisionsOf(s), func(r controlloop.Object) []controlloop.Key {
		if key, ok := controlloop.ControllerKey(r, statefulset.StatefulSetKind); ok {
			return []controlloop.Key{key}
		}
		return nil
	})
	return c
}

// Versions implements statefulset.Update. The version that the status says is
// current stays so until all Pods are of the other, and ready.
func (r Revised) Versions(
	ctx context.Context, set *appsv1.StatefulSet, pods []*corev1.Pod,
) (v statefulset.Versions, err error) {
	all, err := r.History.Of(ctx, set, deployment.SelectorOf(set.Spec.Selector))
	if err != nil {
		return v, err
	}
	update, err := r.History.Now(ctx, set, &set.Spec.Template, all)
	if err != nil {
		return v, err
	}
	v.Update = statefulset.Version{
		Revision: update.Name, Template: &set.Spec.Template,
	}
	v.Current = v.Update
	if !isComplete(set, update.Name, pods) {
		if v.Current, err = r.current(ctx, set, all, v.Update); err != nil {
			return v, err
		}
	}
	idle := idleOf(all, pods, v)
	if limit := int(*set.Spec.RevisionHistoryLimit); limit >= 0 {
		err = r.History.Drop(ctx, idle, len(idle)-limit)
	}
	return v, err
}

// current returns the version that the status says is current, or the other if
// there is none. A cache that is late may not have heard of it: then the store
// is asked, or what is below the partition would come back in the wrong one.
func (r Revised) current(
	ctx context.Context, set *appsv1.StatefulSet,
	all []*appsv1.ControllerRevision, other statefulset.Version,
) (statefulset.Version, error) {
	name := set.Status.CurrentRevision
	if name == "" || name == other.Revision {
		return other, nil
	}
	at := slices.IndexFunc(all, func(r *appsv1.ControllerRevision) bool {
		return r.Name == name
	})
	if at < 0 {
		obj, err := r.History.Client.Get(ctx, RevisionKind,
			controlloop.Key{Namespace: set.Namespace, Name: name})
		if apierrors.IsNotFound(err) {
			return other, nil
		}
		if err != nil {
			return other, err
		}
		all, at = []*appsv1.ControllerRevision{obj.(*appsv1.ControllerRevision)}, 0
	}
	template, err := templateOf(all[at])
	return statefulset.Version{Revision: name, Template: template}, err
}

// isComplete reports whether all of a set's Pods are there, ready, and of a
// revision. Only those in their places count: a set of three that becomes one
// of two has as many as it wants while the first is missing, and the third is
// yet to go. (Kubernetes: completeUpdate in
// pkg/controller/statefulset/stateful_set_utils.go.)
func isComplete(
	set *appsv1.StatefulSet, revision string, pods []*corev1.Pod,
) bool {
	for _, pod := range pods {
		if !isPlaced(set, pod) || pod.DeletionTimestamp != nil ||
			revisionOf(pod) != revision ||
			pod.Status.Phase != corev1.PodRunning || !controlloop.IsReady(pod) {
			return false
		}
	}
	return len(pods) == int(*set.Spec.Replicas)
}

// isPlaced reports whether a Pod is one of as many as its set wants.
func isPlaced(set *appsv1.StatefulSet, pod *corev1.Pod) bool {
	at := strings.LastIndexByte(pod.Name, '-')
	ordinal, err := strconv.Atoi(pod.Name[at+1:])
	place := placeOf(set, ordinal)
	return err == nil && 0 <= place && place < int(*set.Spec.Replicas)
}

// revisionOf returns what a Pod says it was made of; "": of none.
func revisionOf(pod *corev1.Pod) string {
	return pod.Labels[appsv1.ControllerRevisionHashLabelKey]
}

// idleOf returns the revisions that no Pod is of, and that no Pod is to be of.
func idleOf(
	all []*appsv1.ControllerRevision, pods []*corev1.Pod, v statefulset.Versions,
) []*appsv1.ControllerRevision {
	live := map[string]bool{v.Current.Revision: true, v.Update.Revision: true}
	for _, pod := range pods {
		live[revisionOf(pod)] = true
	}
	return slices.DeleteFunc(slices.Clone(all),
		func(r *appsv1.ControllerRevision) bool { return live[r.Name] })
}
