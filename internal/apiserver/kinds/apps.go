package kinds

import (
	appsv1 "k8s.io/api/apps/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/internal/apiserver/columns"
	"reconcile/internal/apiserver/rules"
)

// apps are the kinds of apps/v1.
func apps() []Kind {
	return []Kind{
		{
			Kind: controlloop.Kind{
				GroupVersionKind: appsv1.SchemeGroupVersion.WithKind("ControllerRevision"),
				Resource:         "controllerrevisions",
				Namespaced:       true,
				New:              func() controlloop.Object { return &appsv1.ControllerRevision{} },
				Rules:            rules.ControllerRevision(),
			},
			Set: columns.ControllerRevision,
		},
		{
			Kind: workload("DaemonSet", "daemonsets", rules.DaemonSet(),
				func() controlloop.Object { return &appsv1.DaemonSet{} }),
			ShortNames: []string{"ds"},
			Categories: all,
			Set:        columns.DaemonSet,
		},
		{
			Kind:       beyond(deployment.DeploymentKind, rules.Deployment()),
			ShortNames: []string{"deploy"},
			Categories: all,
			Scale:      deploymentScale,
			Set:        columns.Deployment,
		},
		{
			Kind: beyond(deployment.ReplicaSetKind,
				rules.ReplicaSet().And(selectable(replicaSetFields))),
			ShortNames: []string{"rs"},
			Categories: all,
			Scale:      replicaSetScale,
			Set:        columns.ReplicaSet,
		},
		{
			Kind:       beyond(statefulset.StatefulSetKind, rules.StatefulSet()),
			ShortNames: []string{"sts"},
			Categories: all,
			Scale:      statefulSetScale,
			Set:        columns.StatefulSet,
		},
	}
}

// workload is what all kinds that make Pods have in common.
func workload(
	kind, resource string, rules controlloop.Rules, empty func() controlloop.Object,
) controlloop.Kind {
	return controlloop.Kind{
		GroupVersionKind: appsv1.SchemeGroupVersion.WithKind(kind),
		Resource:         resource,
		Namespaced:       true,
		HasStatus:        true,
		HasGeneration:    true,
		New:              empty,
		Rules:            rules,
	}
}
