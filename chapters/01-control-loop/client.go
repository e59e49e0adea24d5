package controlloop

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
)

// Client is all that a controller may ask of a cluster. Store implements it in
// this process; a client of a remote API server can take its place.
//
// Objects that come back are shared: read them, or change a copy. Errors are
// those of k8s.io/apimachinery/pkg/api/errors.
type Client interface {
	Get(ctx context.Context, kind schema.GroupVersionKind, key Key) (Object, error)
	List(ctx context.Context, kind schema.GroupVersionKind,
		opts ListOptions) (List, error)
	Watch(ctx context.Context, kind schema.GroupVersionKind,
		opts ListOptions) (Watch, error)

	// Create, Update and UpdateStatus return the object as it was stored.
	Create(ctx context.Context, obj Object) (Object, error)
	Update(ctx context.Context, obj Object) (Object, error)
	UpdateStatus(ctx context.Context, obj Object) (Object, error)
	Delete(ctx context.Context, kind schema.GroupVersionKind, key Key,
		opts metav1.DeleteOptions) error
	// Bind gives a Pod to a node, for good.
	Bind(ctx context.Context, binding *corev1.Binding) error
}

// ListOptions select objects of a kind and, for a Watch, say where it begins.
// The zero value selects all, from now on.
type ListOptions struct {
	Namespace string          // "" is all namespaces
	Labels    labels.Selector // nil is everything
	Fields    fields.Selector // nil is everything; see Kind

	ResourceVersion string // a Watch delivers what came after it
	Bookmarks       bool   // a Watch says now and then how far it has come
}

// List holds the selected objects as they were at one version, sorted by key.
type List struct {
	Items           []Object
	ResourceVersion string
}

// Watch delivers changes in the order in which they were made.
type Watch interface {
	// Next waits for the next event. Its error is 410 Expired when events were
	// lost for good and the caller must list again.
	Next(ctx context.Context) (watch.Event, error)
	// TryNext returns the next event without waiting, or false when none has
	// come.
	TryNext() (watch.Event, bool, error)
	// Stop ends the watch. Call it once.
	Stop()
}
