package kinds

import (
	deployment "reconcile/chapters/02-deployment"
	statefulset "reconcile/chapters/04-statefulset"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/apiserver/rules"
)

// apps returns the kinds of apps/v1.
func apps() []Kind {
	return []Kind{
		{
			Kind: beyond(daemonset.RevisionKind, rules.ControllerRevision()),
		},
		{
			Kind:       beyond(daemonset.DaemonSetKind, rules.DaemonSet()),
			ShortNames: []string{"ds"},
			Categories: all,
		},
		{
			Kind:       beyond(deployment.DeploymentKind, rules.Deployment()),
			ShortNames: []string{"deploy"},
			Categories: all,
			Scale:      deploymentScale,
		},
		{
			Kind: beyond(deployment.ReplicaSetKind,
				rules.ReplicaSet().And(selectable(replicaSetFields))),
			ShortNames: []string{"rs"},
			Categories: all,
			Scale:      replicaSetScale,
		},
		{
			Kind:       beyond(statefulset.StatefulSetKind, rules.StatefulSet()),
			ShortNames: []string{"sts"},
			Categories: all,
			Scale:      statefulSetScale,
		},
	}
}
