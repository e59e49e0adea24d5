package plugins

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// defaultConstraints returns those of a Pod that says nothing itself: that the
// Pods of its Services and its owner are spread a little over nodes, and less
// over zones. (Kubernetes: systemDefaultConstraints in
// plugins/podtopologyspread/plugin.go.)
func defaultConstraints(c *scheduler.Cycle) []constraint {
	selector := groupOf(c.Nodes, c.Pod.Pod)
	if selector.Empty() {
		return nil
	}
	return []constraint{{
		topology: corev1.LabelHostname, maxSkew: 3,
		selector: selector, affinity: true,
	}, {
		topology: corev1.LabelTopologyZone, maxSkew: 5,
		selector: selector, affinity: true,
	}}
}

// groupOf selects the Pods that are in all the groups that a Pod is in.
// (Kubernetes: DefaultSelector in plugins/helper/spread.go.)
func groupOf(nodes *cache.Nodes, pod *corev1.Pod) labels.Selector {
	group := labels.Set{}
	if services := nodes.Caches[rollingupdate.ServiceKind]; services != nil {
		for _, obj := range services.Lookup(controlloop.ByNamespace, pod.Namespace) {
			own := labels.Set(obj.(*corev1.Service).Spec.Selector)
			if own != nil && own.AsSelectorPreValidated().Matches(labels.Set(pod.Labels)) {
				group = labels.Merge(group, own)
			}
		}
	}
	selector := group.AsSelector()
	if of := ownerSelector(nodes, pod); of != nil {
		requirements, _ := of.Requirements()
		selector = selector.Add(requirements...)
	}
	return selector
}

// ownerSelector returns that of the Pod's owner, or nil.
func ownerSelector(nodes *cache.Nodes, pod *corev1.Pod) labels.Selector {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		return nil
	}
	owners := nodes.Caches[schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)]
	if owners == nil {
		return nil
	}
	obj, ok := owners.Get(controlloop.Key{Namespace: pod.Namespace, Name: ref.Name})
	if !ok {
		return nil
	}
	switch owner := obj.(type) {
	case *corev1.ReplicationController:
		return labels.SelectorFromSet(owner.Spec.Selector)
	case *appsv1.ReplicaSet:
		return deployment.SelectorOf(owner.Spec.Selector)
	case *appsv1.StatefulSet:
		return deployment.SelectorOf(owner.Spec.Selector)
	}
	return nil
}
