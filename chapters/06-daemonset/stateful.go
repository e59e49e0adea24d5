package daemonset

import (
	"context"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
)

// Revised fills chapter 4's Update: a set's template is a revision, and its Pods
// go from one to the next, the highest ordinal first.
type Revised struct{ History *History }

// NewStatefulSets returns the controller that reconciles StatefulSets whose Pods
// have names and disks, and are replaced when the template is another.
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

// Versions implements statefulset.Update. What the status says is current stays
// so until all Pods are of the other, and ready.
func (r Revised) Versions(
	ctx context.Context, set *appsv1.StatefulSet, pods []*corev1.Pod,
) (statefulset.Versions, error) {
	none := statefulset.Versions{}
	all, err := r.History.Of(ctx, set, deployment.SelectorOf(set.Spec.Selector))
	if err != nil {
		return none, err
	}
	update, err := r.History.Now(ctx, set, &set.Spec.Template, all)
	if err != nil {
		return none, err
	}
	current := revisionNamed(all, set.Status.CurrentRevision)
	if current == nil || isComplete(set, update.Name, pods) {
		current = update
	}
	before, err := templateOf(current)
	if err != nil {
		return none, err
	}
	idle := idleOf(all, pods, current, update)
	err = r.History.Drop(ctx, idle, len(idle)-int(*set.Spec.RevisionHistoryLimit))
	return statefulset.Versions{
		Current: statefulset.Version{Revision: current.Name, Template: before},
		Update: statefulset.Version{
			Revision: update.Name, Template: &set.Spec.Template,
		},
	}, err
}

// revisionNamed returns the revision of that name, or nil.
func revisionNamed(
	all []*appsv1.ControllerRevision, name string,
) *appsv1.ControllerRevision {
	at := slices.IndexFunc(all, func(r *appsv1.ControllerRevision) bool {
		return r.Name == name
	})
	if at < 0 {
		return nil
	}
	return all[at]
}

// isComplete reports whether all of a set's Pods are there, ready, and of a
// revision. (Kubernetes: completeUpdate in
// pkg/controller/statefulset/stateful_set_utils.go.)
func isComplete(
	set *appsv1.StatefulSet, revision string, pods []*corev1.Pod,
) bool {
	updated, ready := 0, 0
	for _, pod := range pods {
		if pod.DeletionTimestamp == nil && revisionOf(pod) == revision {
			updated++
		}
		if pod.Status.Phase == corev1.PodRunning && controlloop.IsReady(pod) {
			ready++
		}
	}
	want := int(*set.Spec.Replicas)
	return len(pods) == want && updated == want && ready == want
}

// revisionOf is what a Pod says it was made of; "": of none.
func revisionOf(pod *corev1.Pod) string {
	return pod.Labels[appsv1.ControllerRevisionHashLabelKey]
}

// idleOf returns the revisions that no Pod is of, and that no Pod is to be of.
func idleOf(
	all []*appsv1.ControllerRevision, pods []*corev1.Pod,
	current, update *appsv1.ControllerRevision,
) []*appsv1.ControllerRevision {
	live := map[string]bool{current.Name: true, update.Name: true}
	for _, pod := range pods {
		live[revisionOf(pod)] = true
	}
	return slices.DeleteFunc(slices.Clone(all),
		func(r *appsv1.ControllerRevision) bool { return live[r.Name] })
}
