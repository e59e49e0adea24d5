package kinds

import (
	deployment "reconcile/chapters/02-deployment"
	statefulset "reconcile/chapters/04-statefulset"
	daemonset "reconcile/chapters/06-daemonset"
)

// apps returns the kinds of apps/v1.
func apps() []Kind {
	return []Kind{
		{
			Kind: taught(daemonset.RevisionKind),
		},
		{
			Kind:       taught(daemonset.DaemonSetKind),
			ShortNames: []string{"ds"},
			Categories: all,
		},
		{
			Kind:       taught(deployment.DeploymentKind),
			ShortNames: []string{"deploy"},
			Categories: all,
			Scale:      deploymentScale,
		},
		{
			Kind:       taught(deployment.ReplicaSetKind, replicaSetFields),
			ShortNames: []string{"rs"},
			Categories: all,
			Scale:      replicaSetScale,
		},
		{
			Kind:       taught(statefulset.StatefulSetKind),
			ShortNames: []string{"sts"},
			Categories: all,
			Scale:      statefulSetScale,
		},
	}
}
