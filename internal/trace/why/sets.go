package why

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// deployment goes on to the ReplicaSet that isn't as wished.
func (w *walk) deployment(d *appsv1.Deployment) bool {
	if d.Status.ObservedGeneration < d.Generation {
		w.say(d, "was changed, and its controller hasn't seen it")
		return w.loop("deployment", d)
	}
	current, old := w.sets(d)
	wants := count(d.Spec.Replicas)
	switch {
	case d.Spec.Paused && (current == nil || left(old) > 0):
		w.say(d, "has a new template, and spec.paused")
		return w.end(Stopped, "kubectl rollout resume %s", kubectlName(d))
	case current == nil:
		w.say(d, "has no ReplicaSet of its template")
		if d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType && w.worst(asObjects(old...)...) {
			return true
		}
		if c := deployment.FindCondition(&d.Status, appsv1.DeploymentReplicaFailure); c != nil && c.Status == corev1.ConditionTrue {
			return w.refusedBy(d, "deployment", c.Message)
		}
		return w.loop("deployment", d)
	}
	w.say(d, "wants %s, and has %d of its template, %d of them available", some(int(wants), "Pod"), d.Status.UpdatedReplicas, current.Status.AvailableReplicas)
	w.late(d)
	if w.worst(append(asObjects(current), asObjects(old...)...)...) {
		return true
	}
	if current.Status.AvailableReplicas == wants && left(old) == 0 && deployment.Complete(d, &d.Status) {
		return w.unsaid()
	}
	return w.loop("deployment", d)
}

// late notes a deadline that has passed.
func (w *walk) late(d *appsv1.Deployment) {
	if c := deployment.FindCondition(&d.Status, appsv1.DeploymentProgressing); c != nil && c.Reason == "ProgressDeadlineExceeded" {
		w.beside("its progress deadline has passed")
	}
}

// sets returns the ReplicaSet of a Deployment's template, and the others.
func (w *walk) sets(d *appsv1.Deployment) (current *appsv1.ReplicaSet, old []*appsv1.ReplicaSet) {
	for _, rs := range owned[*appsv1.ReplicaSet](w.World, d) {
		template := rs.Spec.Template.DeepCopy()
		delete(template.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
		if current == nil && equality.Semantic.DeepEqual(template, &d.Spec.Template) {
			current = rs
		} else {
			old = append(old, rs)
		}
	}
	return current, old
}

// left is how many Pods ReplicaSets have and want.
func left(sets []*appsv1.ReplicaSet) (n int32) {
	for _, rs := range sets {
		n += max(count(rs.Spec.Replicas), rs.Status.Replicas)
	}
	return n
}

// refusedBy ends the chain with the API's words; that the loop tries again stands beside.
func (w *walk) refusedBy(about controlloop.Object, lane, words string) bool {
	state, runs := w.Look.State(lane)
	if !runs || state.Hold != "" {
		return w.loop(lane, about)
	}
	w.more("the API refuses it, %s", words)
	if back, comes := state.Back[keyOf(about)]; comes {
		w.beside("it's tried again at %s", clock(back.At))
	}
	return w.end(Refused, "")
}

// replicas goes on to the Pods of a ReplicaSet or of a ReplicationController.
func (w *walk) replicas(set controlloop.Object, lane string, wants, minReady int32, seen int64, available int32, failure string) bool {
	pods := slices.DeleteFunc(owned[*corev1.Pod](w.World, set), controlloop.HasEnded)
	active := slices.DeleteFunc(slices.Clone(pods), func(p *corev1.Pod) bool { return p.DeletionTimestamp != nil })
	n := int32(len(active))
	w.say(set, "wants %d, has %d", wants, n)
	switch {
	case n < wants && failure != "":
		return w.refusedBy(set, lane, failure)
	case n != wants, seen < set.GetGeneration():
		return w.loop(lane, set)
	case w.worst(asObjects(pods...)...), w.unavailable(minReady, active):
		return true
	case available != n: // they are, and its status will say so
		return w.loop(lane, set)
	}
	return w.unsaid()
}

// unavailable goes to the Pod that has to be ready longest.
func (w *walk) unavailable(minReady int32, pods []*corev1.Pod) bool {
	var last *corev1.Pod
	var wait time.Duration
	for _, pod := range pods {
		if d, _ := deployment.UntilAvailable(pod, minReady); d > wait {
			last, wait = pod, d
		}
	}
	if last == nil {
		return false
	}
	w.say(last, "is ready, and counts when it has been so for minReadySeconds, %d", minReady)
	return w.until(Time, w.Now.Add(wait))
}

// daemonSet goes on to its Pods.
func (w *walk) daemonSet(d *appsv1.DaemonSet) bool {
	s, pods := d.Status, owned[*corev1.Pod](w.World, d)
	w.say(d, "wants a Pod on %s, and %d are available", some(int(s.DesiredNumberScheduled), "node"), s.NumberAvailable)
	onDelete := d.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType
	switch {
	case s.ObservedGeneration < d.Generation:
		return w.loop("daemonset", d)
	case s.DesiredNumberScheduled == 0:
		return w.nowhere(&d.Spec.Template.Spec)
	case w.worst(asObjects(pods...)...), w.unavailable(d.Spec.MinReadySeconds, pods):
		return true
	case s.UpdatedNumberScheduled < s.DesiredNumberScheduled && onDelete:
		w.more("updateStrategy OnDelete replaces those that somebody deletes")
		oldest := slices.MinFunc(pods, func(a, b *corev1.Pod) int { return a.CreationTimestamp.Compare(b.CreationTimestamp.Time) })
		return w.end(Stopped, "kubectl delete %s", kubectlName(oldest))
	case min(s.CurrentNumberScheduled, s.UpdatedNumberScheduled, s.NumberAvailable) < s.DesiredNumberScheduled:
		return w.loop("daemonset", d)
	}
	return w.unsaid()
}

func count(replicas *int32) int32 { return ptr.Deref(replicas, 1) }

func asObjects[T controlloop.Object](typed ...T) []controlloop.Object {
	objs := make([]controlloop.Object, len(typed))
	for i, obj := range typed {
		objs[i] = obj
	}
	return objs
}
