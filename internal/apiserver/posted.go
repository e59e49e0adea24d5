package apiserver

import (
	"context"
	"net/http"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	"k8s.io/apiserver/pkg/registry/rest"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
)

// posted handles an object that is sent and never stored: a question, or an
// order.
type posted[T runtime.Object] struct {
	new func() T
	do  func(ctx context.Context, name string, sent T, dryRun bool) (runtime.Object, error)
}

// New implements rest.Storage.
func (p posted[T]) New() runtime.Object { return p.new() }

// Create implements rest.NamedCreater.
func (p posted[T]) Create(
	ctx context.Context, name string, sent runtime.Object, _ rest.ValidateObjectFunc,
	opts *metav1.CreateOptions,
) (runtime.Object, error) {
	return p.do(ctx, name, sent.(T), len(opts.DryRun) > 0)
}

// PreserveRequestObjectMetaSystemFieldsOnSubresourceCreate implements
// rest.SubresourceObjectMetaPreserver: an order may be for one version of an object.
func (p posted[T]) PreserveRequestObjectMetaSystemFieldsOnSubresourceCreate() bool { return true }

// unnamed is one that is sent to a collection, so that only the object itself can
// say a name.
type unnamed[T runtime.Object] struct{ posted[T] }

// Create implements rest.Creater.
func (p unnamed[T]) Create(
	ctx context.Context, sent runtime.Object, validate rest.ValidateObjectFunc,
	opts *metav1.CreateOptions,
) (runtime.Object, error) {
	about, err := meta.Accessor(sent)
	if err != nil {
		return nil, err
	}
	return p.posted.Create(ctx, about.GetName(), sent, validate, opts)
}

// toObject returns the answers of what is posted to a subresource of an object.
func (p posted[T]) toObject(s *server, of *resource, subresource string) methods {
	scope := p.scope(s, of.GroupVersion().WithResource(of.Resource), subresource, true)
	return methods{http.MethodPost: anew(func() http.HandlerFunc {
		return handlers.CreateNamedResource(p, scope, nil)
	})}
}

// toCollection has the server answer what is posted to a collection.
func (p posted[T]) toCollection(s *server, at schema.GroupVersionResource, namespaced bool) {
	scope := p.scope(s, at, "", namespaced)
	s.resources[at] = &resource{
		Kind: kinds.Kind{Kind: controlloop.Kind{
			GroupVersionKind: scope.Kind, Resource: at.Resource, Namespaced: namespaced}},
		collection: methods{http.MethodPost: anew(func() http.HandlerFunc {
			return handlers.CreateResource(unnamed[T]{p}, scope, nil)
		})},
	}
}

func (p posted[T]) scope(
	s *server, at schema.GroupVersionResource, subresource string, namespaced bool,
) *handlers.RequestScope {
	kind := kindOf(s.codecs.scheme, p.new())
	scope := s.codecs.scope(at, kind, subresource, namespaced)
	scope.FieldManager = deduced(kind, subresource, s.codecs)
	scope.MaxRequestBodyBytes = s.limits.Body
	return scope
}

func kindOf(scheme *runtime.Scheme, obj runtime.Object) schema.GroupVersionKind {
	kinds, _, err := scheme.ObjectKinds(obj)
	if err != nil {
		panic(err) // of a wrong table only
	}
	return kinds[0]
}

// deduced returns the managers of a kind that client-go's schemas lack. They tell
// lists from maps by the Go type, which is enough for kinds without lists.
func deduced(
	kind schema.GroupVersionKind, subresource string, codecs *codecs,
) *managedfields.FieldManager {
	untyped := *codecs
	untyped.typed = managedfields.NewDeducedTypeConverter()
	return newManagers(kinds.Kind{Kind: controlloop.Kind{GroupVersionKind: kind}},
		func(controlloop.Object) {}, subresource, &untyped)
}
