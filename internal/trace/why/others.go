package why

import (
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
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
	case *corev1.PersistentVolume:
		if obj.Status.Phase == corev1.VolumeReleased && obj.Spec.PersistentVolumeReclaimPolicy == corev1.PersistentVolumeReclaimDelete {
			w.say(obj, "is Released, and goes with its disk")
			return w.loop(provisioner, obj)
		}
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

// service says why connections to a Service reach nobody, or not those that they should.
func (w *walk) service(s *corev1.Service) bool {
	if len(s.Spec.Selector) == 0 || s.Spec.Type == corev1.ServiceTypeExternalName {
		return false
	}
	fits := labels.SelectorFromSet(s.Spec.Selector)
	pods := all(w.World, func(p *corev1.Pod) bool {
		return p.Namespace == s.Namespace && !controlloop.HasEnded(p) && fits.Matches(labels.Set(p.Labels))
	})
	if slices.ContainsFunc(pods, controlloop.IsReady) {
		return w.served(s, pods)
	}
	w.say(s, "has no Pod that is ready")
	if len(pods) > 0 {
		return w.worst(asObjects(pods...)...)
	}
	for _, d := range all(w.World, func(d *appsv1.Deployment) bool { return d.Namespace == s.Namespace && count(d.Spec.Replicas) == 0 }) {
		if fits.Matches(labels.Set(d.Spec.Template.Labels)) {
			w.say(d, "would make some, and has 0 replicas")
			return w.end(Stopped, "kubectl scale %s --replicas=1", kubectlName(d))
		}
	}
	w.more("none that runs has the labels %s", fits)
	return w.end(Object, "kubectl label pods POD %s%s", pairs(s.Spec.Selector), in(s))
}

// served says what the Pods of a Service wait for until connections come to them.
func (w *walk) served(s *corev1.Service, pods []*corev1.Pod) bool {
	ready, has, ports := map[string]bool{}, map[string]bool{}, map[string]bool{}
	for _, p := range pods {
		if controlloop.IsReady(p) && p.DeletionTimestamp == nil || s.Spec.PublishNotReadyAddresses {
			ready[p.Name] = true
		}
	}
	for _, slice := range owned[*discoveryv1.EndpointSlice](w.World, s) {
		for _, e := range slice.Endpoints {
			if isTrue(e.Conditions.Ready) {
				has[e.TargetRef.Name] = true
			}
		}
		for _, port := range slice.Ports {
			ports[*port.Name] = true
		}
	}
	if !maps.Equal(ready, has) {
		w.say(s, "has %s to send to, and its EndpointSlices have %d", some(len(ready), "Pod"), len(has))
		return w.keyed("endpointslice", keyOf(s), "Service", "Pod")
	}
	for i, port := range s.Spec.Ports {
		if !ports[port.Name] && len(has) > 0 {
			w.say(s, "sends to the port %s, and its Pods have none of that name", port.TargetPort.StrVal)
			return w.end(Object, `kubectl patch %s --type=json -p '[{"op":"replace","path":"/spec/ports/%d/targetPort","value":PORT}]'`, kubectlName(s), i)
		}
	}
	if s.Spec.Type == corev1.ServiceTypeLoadBalancer && len(s.Status.LoadBalancer.Ingress) == 0 {
		w.say(s, "has no external address, and no controller here gives it one")
		return w.end(Nobody, "")
	}
	return false
}

// budget says why no Pod of a budget can be evicted.
func (w *walk) budget(b *policyv1.PodDisruptionBudget) bool {
	s := b.Status
	switch {
	case s.ObservedGeneration < b.Generation:
		w.say(b, "was changed, and its controller hasn't seen it")
		return w.loop("disruption-controller", b)
	case s.ExpectedPods == 0 && s.CurrentHealthy == 0, s.DisruptionsAllowed > 0:
		return false
	case s.ExpectedPods == 0:
		w.say(b, "lets nobody evict a Pod: no controller says of how many its share is")
		return w.end(Refused, "kubectl delete %s", kubectlName(b))
	}
	w.say(b, "lets nobody evict a Pod: it wants %s, and %d are", some(int(s.DesiredHealthy), "healthy one"), s.CurrentHealthy)
	pods := all(w.World, func(p *corev1.Pod) bool {
		return p.Namespace == b.Namespace && !controlloop.HasEnded(p) && budget.Covers(b, p)
	})
	switch {
	case w.worst(asObjects(pods...)...):
		return true
	case len(pods) == 0, len(pods) != int(s.CurrentHealthy): // its status will say so
		return w.keyed("disruption-controller", keyOf(b), "PodDisruptionBudget", "Pod")
	}
	return w.end(Stopped, "kubectl delete %s", kubectlName(b))
}
