package lab

import (
	"context"
	"sync"

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

	// creating is held from the question to the write. A name is made for the
	// one and stays for the other; of the Pods that a ReplicaSet creates side by
	// side each gets the same name in every run only if no other comes between.
	creating *sync.Mutex
}

// Create implements controlloop.Client.
func (a admitted) Create(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	a.creating.Lock()
	defer a.creating.Unlock()
	obj, err := admission.Admit(ctx, a.store, obj, false)
	if err != nil {
		return nil, err
	}
	return a.Client.Create(ctx, obj)
}
