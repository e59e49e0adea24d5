package why

import (
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/labels"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/06-daemonset/node/budget"
)

// ofKind goes to an object that isn't being deleted.
func (w *walk) ofKind(obj controlloop.Object) bool {
	switch obj := obj.(type) {
	case *appsv1.Deployment:
		return w.deployment(obj)
	case *appsv1.ReplicaSet:
		return w.replicas(obj, "replicaset", count(obj.Spec.Replicas), obj.Spec.MinReadySeconds,
			obj.Status.ObservedGeneration, obj.Status.AvailableReplicas, failureOf(obj.Status.Conditions))
	case *corev1.ReplicationController:
		return w.replicas(obj, "replication", count(obj.Spec.Replicas), obj.Spec.MinReadySeconds,
			obj.Status.ObservedGeneration, obj.Status.AvailableReplicas, "")
	case *appsv1.StatefulSet:
		return w.statefulSet(obj)
	case *appsv1.DaemonSet:
		return w.daemonSet(obj)
	case *corev1.Pod:
		return w.pod(obj)
	case *corev1.Node:
		return w.lost(obj)
	case *corev1.PersistentVolumeClaim:
		return w.claim(obj)
	case *corev1.Service:
		return w.service(obj)
	case *policyv1.PodDisruptionBudget:
		return w.budget(obj)
	case *batchv1.Job, *batchv1.CronJob:
		w.say(obj, "is an object that no controller here acts on")
		return w.end(Nobody, "")
	}
	return false
}

func failureOf(conditions []appsv1.ReplicaSetCondition) string {
	for _, c := range conditions {
		if c.Type == appsv1.ReplicaSetReplicaFailure && c.Status == corev1.ConditionTrue {
			return c.Message
		}
	}
	return ""
}

// service says why connections to a Service reach nobody.
func (w *walk) service(s *corev1.Service) bool {
	if len(s.Spec.Selector) == 0 {
		return false
	}
	fits := labels.SelectorFromSet(s.Spec.Selector)
	pods := all(w.World, func(p *corev1.Pod) bool { return p.Namespace == s.Namespace && fits.Matches(labels.Set(p.Labels)) })
	for _, pod := range pods {
		if controlloop.IsReady(pod) {
			return false
		}
	}
	w.say(s, "has no Pod that is ready")
	if len(pods) == 0 {
		w.more("none has the labels %s", fits)
		return w.end(Object, "kubectl label pods POD %s%s", pairs(s.Spec.Selector), in(s))
	}
	return w.worst(asObjects(pods...)...) || w.loop("endpointslice", s)
}

// budget says why no Pod of a budget can be evicted.
func (w *walk) budget(b *policyv1.PodDisruptionBudget) bool {
	s := b.Status
	switch {
	case s.ObservedGeneration < b.Generation:
		w.say(b, "was changed, and its controller hasn't seen it")
		return w.loop("disruption-controller", b)
	case s.ExpectedPods == 0, s.DisruptionsAllowed > 0:
		return false
	}
	w.say(b, "lets nobody evict a Pod: it wants %d healthy ones, and %d are", s.DesiredHealthy, s.CurrentHealthy)
	if w.worst(asObjects(all(w.World, func(p *corev1.Pod) bool { return p.Namespace == b.Namespace && budget.Covers(b, p) })...)...) {
		return true
	}
	return w.end(Stopped, "kubectl delete %s", of(b))
}
