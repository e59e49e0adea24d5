package kinds

import (
	rollingupdate "reconcile/chapters/03-rolling-update"
	daemonset "reconcile/chapters/06-daemonset"
)

// coordination returns the kinds of coordination.k8s.io/v1.
func coordination() []Kind {
	return []Kind{{
		Kind:           taught(daemonset.LeaseKind),
		CreateOnUpdate: true,
		Conditional:    true,
	}}
}

// discovery returns the kinds of discovery.k8s.io/v1.
func discovery() []Kind {
	return []Kind{{
		Kind: taught(rollingupdate.EndpointSliceKind),
	}}
}

// policy returns the kinds of policy/v1.
func policy() []Kind {
	return []Kind{{
		Kind:        taught(daemonset.BudgetKind),
		ShortNames:  []string{"pdb"},
		Conditional: true,
	}}
}

// scheduling returns the kinds of scheduling.k8s.io/v1.
func scheduling() []Kind {
	return []Kind{{
		Kind:       taught(daemonset.PriorityKind),
		ShortNames: []string{"pc"},
	}}
}
