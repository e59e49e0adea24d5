package versions

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsv1 "k8s.io/kubernetes/pkg/apis/apps/v1"
	"k8s.io/kubernetes/pkg/apis/batch"
	batchv1 "k8s.io/kubernetes/pkg/apis/batch/v1"
	"k8s.io/kubernetes/pkg/apis/coordination"
	coordinationv1 "k8s.io/kubernetes/pkg/apis/coordination/v1"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/apis/discovery"
	discoveryv1 "k8s.io/kubernetes/pkg/apis/discovery/v1"
	"k8s.io/kubernetes/pkg/apis/events"
	eventsv1 "k8s.io/kubernetes/pkg/apis/events/v1"
	"k8s.io/kubernetes/pkg/apis/networking"
	networkingv1 "k8s.io/kubernetes/pkg/apis/networking/v1"
	"k8s.io/kubernetes/pkg/apis/policy"
	policyv1 "k8s.io/kubernetes/pkg/apis/policy/v1"
	"k8s.io/kubernetes/pkg/apis/resource"
	resourcev1 "k8s.io/kubernetes/pkg/apis/resource/v1"
	"k8s.io/kubernetes/pkg/apis/scheduling"
	schedulingv1 "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	"k8s.io/kubernetes/pkg/apis/storage"
	storagev1 "k8s.io/kubernetes/pkg/apis/storage/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Scheme has the groups that are served, each in the version that is served and
// in the internal one, with Kubernetes' defaults, conversions, and declarative
// validation.
var Scheme = newScheme()

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		core.AddToScheme, corev1.AddToScheme,
		apps.AddToScheme, appsv1.AddToScheme,
		batch.AddToScheme, batchv1.AddToScheme,
		coordination.AddToScheme, coordinationv1.AddToScheme,
		discovery.AddToScheme, discoveryv1.AddToScheme,
		events.AddToScheme, eventsv1.AddToScheme,
		networking.AddToScheme, networkingv1.AddToScheme,
		policy.AddToScheme, policyv1.AddToScheme,
		resource.AddToScheme, resourcev1.AddToScheme,
		scheduling.AddToScheme, schedulingv1.AddToScheme,
		storage.AddToScheme, storagev1.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(err) // two versions of a kind, or none
		}
	}
	return scheme
}

// Internal returns the internal form of an object. Both share memory: neither
// may be changed while the other is in use.
func Internal(obj controlloop.Object) runtime.Object {
	internal, err := Scheme.UnsafeConvertToVersion(obj, runtime.InternalGroupVersioner)
	if err != nil {
		panic(err) // of a kind that is not served
	}
	return internal
}

// InternalList returns the internal form of a list of objects of one type.
func InternalList(kind controlloop.Kind, objs []controlloop.Object) runtime.Object {
	gvk := kind.GroupVersionKind
	gvk.Version, gvk.Kind = runtime.APIVersionInternal, gvk.Kind+"List"
	list, err := Scheme.New(gvk)
	if err != nil {
		panic(err) // of a kind that is not served
	}
	var items []runtime.Object
	for _, obj := range objs {
		items = append(items, Internal(obj))
	}
	if err := meta.SetList(list, items); err != nil {
		panic(fmt.Errorf("%s: %w", gvk, err)) // objects of another kind
	}
	return list
}

// Restore puts into obj what its internal form has become.
func Restore(obj controlloop.Object, internal runtime.Object) {
	said := obj.GetObjectKind().GroupVersionKind()
	next := reflect.New(reflect.TypeOf(obj).Elem())
	if err := Scheme.Convert(internal, next.Interface(), nil); err != nil {
		panic(err) // it is of another kind
	}
	reflect.ValueOf(obj).Elem().Set(next.Elem())
	obj.GetObjectKind().SetGroupVersionKind(said)
}
