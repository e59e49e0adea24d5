package apiserver

import (
	"context"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/handlers"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	storageapi "k8s.io/apiserver/pkg/storage"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/printers"
	"reconcile/internal/apiserver/rules"
)

// storage is a view of a resource over chapter 1's store, as Kubernetes' handlers
// want it. They read requests and write answers; what is stored, and whether, is
// decided here.
type storage struct {
	*server
	*resource
	*view
}

var _ interface {
	rest.StandardStorage
	rest.Patcher
	rest.TableConvertor
} = &storage{}

// scope returns what the handlers have to know of a subresource.
func (s *storage) scope(subresource string) *handlers.RequestScope {
	scope := s.codecs.scope(
		s.GroupVersion().WithResource(s.Resource), s.view.kind, subresource, s.Namespaced)
	scope.TableConvertor = s
	scope.FieldManager = s.managers
	scope.MaxRequestBodyBytes = s.limits.Body
	return scope
}

func (k *codecs) scope(
	at schema.GroupVersionResource, kind schema.GroupVersionKind, subresource string,
	namespaced bool,
) *handlers.RequestScope {
	return &handlers.RequestScope{
		Namer: handlers.ContextBasedNaming{
			Namer: meta.NewAccessor(), ClusterScoped: !namespaced},
		Serializer:               k,
		ParameterCodec:           runtime.NewParameterCodec(k.scheme),
		Creater:                  k.scheme,
		Convertor:                k.scheme,
		Defaulter:                defaulter(rules.Decoded),
		Typer:                    k.scheme,
		UnsafeConvertor:          runtime.UnsafeObjectConvertor(k.scheme),
		Authorizer:               everything{},
		EquivalentResourceMapper: runtime.NewEquivalentResourceRegistry(),
		Resource:                 at,
		Kind:                     kind,
		Subresource:              subresource,
		MetaGroupVersion:         metav1.SchemeGroupVersion,
		HubGroupVersion:          kind.GroupVersion(),
	}
}

// patchTypes are the four ways to say how an object shall change.
var patchTypes = []string{
	string(types.JSONPatchType), string(types.MergePatchType),
	string(types.StrategicMergePatchType), string(types.ApplyYAMLPatchType),
}

// everything allows everything: here every user may do so.
type everything struct{}

func (everything) Authorize(
	context.Context, authorizer.Attributes,
) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}

// key returns the key of an object in the namespace that the path names.
func (s *storage) key(ctx context.Context, name string) controlloop.Key {
	if !s.Namespaced {
		return controlloop.Key{Name: name}
	}
	return controlloop.Key{Namespace: request.NamespaceValue(ctx), Name: name}
}

// gvk returns the kind that the store keeps.
func (s *storage) gvk() schema.GroupVersionKind { return s.inStore.GroupVersionKind }

// shown returns an object of the store as clients see it. What is made of it for one
// of them is not shared.
func (s *storage) shown(obj controlloop.Object) runtime.Object {
	if made := s.show(obj); made != obj {
		return made
	}
	return shared{obj, s.codecs.texts}
}

// New implements rest.Storage.
func (s *storage) New() runtime.Object { return s.view.new() }

// NewList implements rest.Lister.
func (s *storage) NewList() runtime.Object { return &list{TypeMeta: s.listType()} }

// Destroy implements rest.Storage. The store is not the handlers' to end.
func (s *storage) Destroy() {}

// NamespaceScoped implements rest.Scoper.
func (s *storage) NamespaceScoped() bool { return s.Namespaced }

// GetSingularName implements rest.SingularNameProvider.
func (s *storage) GetSingularName() string { return strings.ToLower(s.GroupVersionKind.Kind) }

// Get implements rest.Getter.
func (s *storage) Get(
	ctx context.Context, name string, opts *metav1.GetOptions,
) (runtime.Object, error) {
	if err := s.reached(ctx, opts.ResourceVersion); err != nil {
		return nil, err
	}
	live, err := s.store.Get(ctx, s.gvk(), s.key(ctx, name))
	if err != nil {
		return nil, err
	}
	return s.shown(live), nil
}

// reached returns an error if a version is none, or is the future's.
func (s *storage) reached(ctx context.Context, version string) error {
	if err := isVersion(version); err != nil || version == "" || version == "0" {
		return err
	}
	now, err := s.items(ctx, controlloop.ListOptions{Fields: fields.Nothing()})
	if err != nil {
		return err
	}
	return serves(now.ResourceVersion, &internalversion.ListOptions{ResourceVersion: version})
}

// isVersion returns why a version is none.
func isVersion(version string) error {
	_, err := storageapi.APIObjectVersioner{}.ParseResourceVersion(version)
	return err
}

// ConvertToTable implements rest.TableConvertor. How much of the objects is in the
// rows, the handlers see to.
func (s *storage) ConvertToTable(
	_ context.Context, obj runtime.Object, options runtime.Object,
) (*metav1.Table, error) {
	opts := printers.Options{Include: metav1.IncludeObject}
	if asked, ok := options.(*metav1.TableOptions); ok {
		opts.NoHeaders = asked.NoHeaders
	}
	if l, ok := obj.(*list); ok {
		opts.List = true
		table := printers.Table(s.Kind.Kind, l.Items, opts)
		table.ListMeta = l.ListMeta
		return table, nil
	}
	if of, ok := obj.(shared); ok {
		obj = of.Object
	}
	one := obj.(controlloop.Object)
	table := printers.Table(s.Kind.Kind, []controlloop.Object{one}, opts)
	table.ResourceVersion = one.GetResourceVersion()
	return table, nil
}
