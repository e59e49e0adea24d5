package deployment

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	controlloop "reconcile/chapters/01-control-loop"
)

// Stamp annotates a ReplicaSet that is about to be made, or to get another
// size.
type Stamp func(r *Rollout, rs *appsv1.ReplicaSet)

// NewDeployments returns the controller that reconciles the Deployments of a
// system, all of them by the strategy Recreate.
func NewDeployments(s *controlloop.System) *controlloop.Controller {
	return NewDeploymentsWith(s, Strategies{
		appsv1.RecreateDeploymentStrategyType: Recreate{},
	}, func(*Rollout, *appsv1.ReplicaSet) {})
}

// NewDeploymentsWith returns one that uses these strategies, and stamps what
// they write. (Kubernetes: pkg/controller/deployment/deployment_controller.go.)
func NewDeploymentsWith(
	s *controlloop.System, strategies Strategies, stamp Stamp,
) *controlloop.Controller {
	deployments := s.Informer(DeploymentKind, controlloop.ListOptions{})
	sets := s.Informer(ReplicaSetKind, controlloop.ListOptions{})
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	sets.Cache.AddIndex(controlloop.ByOwner, controlloop.ControllerUID)
	sets.Cache.AddIndex(Orphans, OrphanIn)
	pods.Cache.AddIndex(controlloop.ByOwner, controlloop.ControllerUID)
	d := &Deployments{
		Client: s.Client, Deployments: deployments.Cache, Sets: sets.Cache,
		Pods: pods.Cache, Recorder: s.RecorderFor("deployment-controller", ""),
		Strategies: strategies, Stamp: stamp,
	}
	c := controlloop.NewController("deployment", d)
	c.Workers = 5
	s.Add(c)
	c.Watch(deployments, controlloop.Self)
	c.Watch(sets, d.deploymentsOf)
	pods.Handle(controlloop.Handler{OnDelete: func(pod controlloop.Object) {
		if key, ok := d.waitsFor(pod); ok {
			c.Queue.Add(key)
		}
	}})
	return c
}

// deploymentsOf returns the Deployment that controls a ReplicaSet or, of an
// orphan, all that might adopt it.
func (d *Deployments) deploymentsOf(set controlloop.Object) []controlloop.Key {
	if key, ok := controlloop.ControllerKey(set, DeploymentKind); ok {
		return []controlloop.Key{key}
	}
	if metav1.GetControllerOf(set) != nil {
		return nil
	}
	var keys []controlloop.Key
	for _, obj := range d.Deployments.Lookup(
		controlloop.ByNamespace, set.GetNamespace()) {
		selector := SelectorOf(obj.(*appsv1.Deployment).Spec.Selector)
		if selector.Matches(labels.Set(set.GetLabels())) {
			keys = append(keys, controlloop.KeyOf(obj))
		}
	}
	return keys
}

// waitsFor returns the Deployment that may have waited for a Pod to be gone:
// one that recreates. All others read ReplicaSets alone.
func (d *Deployments) waitsFor(pod controlloop.Object) (controlloop.Key, bool) {
	set, ok := controlloop.ControllerKey(pod, ReplicaSetKind)
	if !ok {
		return controlloop.Key{}, false
	}
	rs, ok := d.Sets.Get(set)
	if !ok {
		return controlloop.Key{}, false
	}
	key, ok := controlloop.ControllerKey(rs, DeploymentKind)
	if !ok {
		return controlloop.Key{}, false
	}
	obj, ok := d.Deployments.Get(key)
	recreates := ok && obj.(*appsv1.Deployment).Spec.Strategy.Type ==
		appsv1.RecreateDeploymentStrategyType
	return key, recreates
}

// claimSets returns the ReplicaSets that belong to a Deployment.
func (d *Deployments) claimSets(
	ctx context.Context, dep *appsv1.Deployment,
) ([]*appsv1.ReplicaSet, error) {
	owned := d.Sets.Lookup(controlloop.ByOwner, string(dep.UID))
	free := d.Sets.Lookup(Orphans, dep.Namespace)
	return Claim(ctx, &Claims{
		Client: d.Client, Kind: DeploymentKind, Owner: dep,
		Selector: SelectorOf(dep.Spec.Selector),
	}, OfType[*appsv1.ReplicaSet](append(owned, free...)))
}

// podsOf returns the Pods that a ReplicaSet controls, those that have ended
// among them.
func (d *Deployments) podsOf(rs *appsv1.ReplicaSet) []*corev1.Pod {
	return OfType[*corev1.Pod](
		d.Pods.Lookup(controlloop.ByOwner, string(rs.UID)))
}
