package lab

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/admission"
)

var namespaceKind = corev1.SchemeGroupVersion.WithKind("Namespace")

// admitted is the client that the lab's controllers have. They do not go
// through the HTTP API, but objects that it does not admit are refused to them
// too.
type admitted struct {
	controlloop.Client
	store *controlloop.Store
}

// Create implements controlloop.Client.
func (a admitted) Create(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	obj, err := admission.Admit(ctx, a.store, obj, false)
	if err != nil {
		return nil, err
	}
	return a.Client.Create(ctx, obj)
}
