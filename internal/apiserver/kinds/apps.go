package kinds

import (
	deployment "reconcile/chapters/02-deployment"
	statefulset "reconcile/chapters/04-statefulset"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/apiserver/columns"
	"reconcile/internal/apiserver/rules"
)

// apps returns the kinds of apps/v1.
func apps() []Kind {
	return []Kind{
		{
			Kind: beyond(daemonset.RevisionKind, rules.ControllerRevision()),
			Set:  columns.ControllerRevision,
		},
		{
			Kind:       beyond(daemonset.DaemonSetKind, rules.DaemonSet()),
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
