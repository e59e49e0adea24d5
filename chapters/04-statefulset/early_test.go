package statefulset

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// These are early forms of processReplica, processCondemned and remove. The chapter's pages come by
// them, and TestRunOfEarlyForms runs them.

// fill makes what is missing.
func fill(pod *corev1.Pod) (do verb, ready bool) {
	if pod == nil {
		return create, false
	}
	return leave, true
}

// await waits for each Pod to be ready.
func await(pod *corev1.Pod) (do verb, ready bool) {
	if pod == nil {
		return create, false
	}
	return leave, isRunningAndReady(pod)
}

func awaitTheEnd(pod *corev1.Pod) (do verb, ready bool) {
	if pod != nil && pod.DeletionTimestamp != nil {
		return leave, false
	}
	return await(pod)
}

func replaceTheEnded(pod *corev1.Pod) (do verb, ready bool) {
	if pod != nil && pod.DeletionTimestamp == nil && controlloop.HasEnded(pod) {
		return remove, false
	}
	return awaitTheEnd(pod)
}

// spare takes away only what works.
func spare(set *appsv1.StatefulSet, pod *corev1.Pod) verb {
	if available, _ := isAvailable(set, pod); !available {
		return leave // it could be mended
	}
	return remove
}

// removeByName deletes the Pod that has this name.
func (s *StatefulSets) removeByName(
	ctx context.Context, pod *corev1.Pod,
) error {
	return s.Client.Delete(ctx, controlloop.PodKind, controlloop.KeyOf(pod),
		metav1.DeleteOptions{})
}

// early is a StatefulSets in an early form. It does not report.
type early struct {
	*StatefulSets
	processReplica func(pod *corev1.Pod) (do verb, ready bool)
	byName         bool
}

// NewEarly returns a function that makes a controller in one of the early forms:
// "fill", "await", "await-the-end", "replace-the-ended", "spare" or "by-name".
func NewEarly(form string) func(*controlloop.System) *controlloop.Controller {
	return func(s *controlloop.System) *controlloop.Controller {
		c := NewStatefulSets(s)
		e := early{StatefulSets: c.Reconciler.(*StatefulSets), processReplica: replaceTheEnded, byName: form == "by-name"}
		switch form {
		case "fill":
			e.processReplica = fill
		case "await":
			e.processReplica = await
		case "await-the-end":
			e.processReplica = awaitTheEnd
		}
		c.Reconciler = e
		return c
	}
}

// Reconcile goes through the places in order, and then through the condemned.
func (e early) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := e.Sets.Get(key)
	if !ok {
		return controlloop.Result{}, nil
	}
	set := obj.(*appsv1.StatefulSet)
	pods, err := e.claimPods(ctx, set)
	if err != nil {
		return controlloop.Result{}, err
	}
	p := planOf(set, pods)
	for place, pod := range p.replicas {
		do, ready := e.processReplica(pod)
		if err := e.do(ctx, set, step{do, place, pod}); err != nil || !ready {
			return controlloop.Result{}, err
		}
	}
	for _, pod := range p.condemned {
		return controlloop.Result{}, e.do(ctx, set, step{do: spare(set, pod), pod: pod})
	}
	return controlloop.Result{}, nil
}

func (e early) do(ctx context.Context, set *appsv1.StatefulSet, x step) error {
	if x.do == remove && e.byName {
		return e.removeByName(ctx, x.pod)
	}
	v, err := e.Update.Versions(ctx, set, nil)
	if err != nil {
		return err
	}
	return e.take(ctx, set, v, []step{x})
}
