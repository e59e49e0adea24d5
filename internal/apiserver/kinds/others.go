package kinds

import (
	coordinationv1 "k8s.io/api/coordination/v1"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/apiserver/columns"
	"reconcile/internal/apiserver/rules"
)

// coordination are the kinds of coordination.k8s.io/v1.
func coordination() []Kind {
	return []Kind{{
		Kind: controlloop.Kind{
			GroupVersionKind: coordinationv1.SchemeGroupVersion.WithKind("Lease"),
			Resource:         "leases",
			Namespaced:       true,
			New:              func() controlloop.Object { return &coordinationv1.Lease{} },
			Rules:            rules.Lease(),
		},
		CreateOnUpdate: true,
		Set:            columns.Lease,
	}}
}

// discovery are the kinds of discovery.k8s.io/v1.
func discovery() []Kind {
	return []Kind{{
		Kind: beyond(rollingupdate.EndpointSliceKind, rules.EndpointSlice()),
		Set:  columns.EndpointSlice,
	}}
}
