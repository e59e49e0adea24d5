package daemonset

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	statefulset "reconcile/chapters/04-statefulset"
)

// groups are what makes Pods several of one kind: Services, and owners with a
// selector.
type groups struct {
	services *controlloop.Indexer
	owners   map[schema.GroupVersionKind]*controlloop.Indexer
}

// newGroups returns the groups of a system, and has watch wait for them.
func newGroups(
	s *controlloop.System, watch func(*controlloop.Informer),
) *groups {
	cache := func(kind schema.GroupVersionKind) *controlloop.Indexer {
		i := s.Informer(kind, controlloop.ListOptions{})
		watch(i)
		return i.Cache
	}
	g := &groups{cache(rollingupdate.ServiceKind),
		map[schema.GroupVersionKind]*controlloop.Indexer{}}
	for _, kind := range []schema.GroupVersionKind{
		controlloop.RCKind, deployment.ReplicaSetKind, statefulset.StatefulSetKind,
	} {
		g.owners[kind] = cache(kind)
	}
	return g
}

// constraints are those of a Pod that says nothing itself: that its like are
// spread a little over nodes, and less over zones. (Kubernetes:
// systemDefaultConstraints in plugins/podtopologyspread/plugin.go.)
func (g *groups) constraints(pod *corev1.Pod) []constraint {
	if g == nil {
		return nil
	}
	like := g.selector(pod)
	if like.Empty() {
		return nil
	}
	return []constraint{
		{topology: corev1.LabelHostname, skew: 3, like: like, affinity: true},
		{topology: corev1.LabelTopologyZone, skew: 5, like: like, affinity: true},
	}
}

// selector is true of those that are in all the groups that a Pod is in.
// (Kubernetes: DefaultSelector in plugins/helper/spread.go.)
func (g *groups) selector(pod *corev1.Pod) labels.Selector {
	like := labels.Set{}
	for _, obj := range g.services.Lookup(controlloop.ByNamespace, pod.Namespace) {
		own := labels.Set(obj.(*corev1.Service).Spec.Selector)
		if own != nil && own.AsSelectorPreValidated().Matches(labels.Set(pod.Labels)) {
			like = labels.Merge(like, own)
		}
	}
	selector := like.AsSelector()
	if of := g.ownerSelector(pod); of != nil {
		requirements, _ := of.Requirements()
		selector = selector.Add(requirements...)
	}
	return selector
}

// ownerSelector is that of the Pod's owner, or nil.
func (g *groups) ownerSelector(pod *corev1.Pod) labels.Selector {
	ref := metav1.GetControllerOfNoCopy(pod)
	if ref == nil {
		return nil
	}
	cache := g.owners[schema.FromAPIVersionAndKind(ref.APIVersion, ref.Kind)]
	if cache == nil {
		return nil
	}
	obj, ok := cache.Get(controlloop.Key{Namespace: pod.Namespace, Name: ref.Name})
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
