package daemonset

import (
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// The kinds that this chapter adds.
var (
	DaemonSetKind = appsv1.SchemeGroupVersion.WithKind("DaemonSet")
	RevisionKind  = appsv1.SchemeGroupVersion.WithKind("ControllerRevision")
	LeaseKind     = coordinationv1.SchemeGroupVersion.WithKind("Lease")
	BudgetKind    = policyv1.SchemeGroupVersion.WithKind("PodDisruptionBudget")
	PriorityKind  = schedulingv1.SchemeGroupVersion.WithKind("PriorityClass")
)

// Kinds returns the kinds of this chapter, for a store beside
// controlloop.CoreKinds.
func Kinds() []controlloop.Kind {
	return []controlloop.Kind{{
		GroupVersionKind: DaemonSetKind,
		Resource:         "daemonsets",
		Namespaced:       true,
		HasStatus:        true,
		HasGeneration:    true,
		New:              func() controlloop.Object { return &appsv1.DaemonSet{} },
		Rules:            controlloop.Rules{Default: defaultDaemonSet},
	}, {
		GroupVersionKind: RevisionKind,
		Resource:         "controllerrevisions",
		Namespaced:       true,
		New:              func() controlloop.Object { return &appsv1.ControllerRevision{} },
	}, {
		GroupVersionKind: LeaseKind,
		Resource:         "leases",
		Namespaced:       true,
		New:              func() controlloop.Object { return &coordinationv1.Lease{} },
	}, {
		GroupVersionKind: BudgetKind,
		Resource:         "poddisruptionbudgets",
		Namespaced:       true,
		HasStatus:        true,
		HasGeneration:    true,
		New: func() controlloop.Object {
			return &policyv1.PodDisruptionBudget{}
		},
	}, {
		GroupVersionKind: PriorityKind,
		Resource:         "priorityclasses",
		HasGeneration:    true,
		New:              func() controlloop.Object { return &schedulingv1.PriorityClass{} },
	}}
}
