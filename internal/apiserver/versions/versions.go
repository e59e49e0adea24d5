package versions

import (
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsv1 "k8s.io/kubernetes/pkg/apis/apps/v1"
	"k8s.io/kubernetes/pkg/apis/autoscaling"
	autoscalingv1 "k8s.io/kubernetes/pkg/apis/autoscaling/v1"
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
// validation; and all others that clients have, as they have them.
var Scheme = New()

// New returns a scheme like Scheme, to which more kinds can be added.
func New() *runtime.Scheme {
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
		autoscaling.AddToScheme, autoscalingv1.AddToScheme,
		clientscheme.AddToScheme,
	} {
		if err := add(scheme); err != nil {
			panic(err) // two versions of a kind, or none
		}
	}
	return scheme
}

// Internal returns the internal form of an object. Both share memory: neither
// may be changed while the other is in use. It fails if the kind is not served,
// or if an annotation that stands for a field cannot be read.
func Internal(obj runtime.Object) (runtime.Object, error) {
	return Scheme.UnsafeConvertToVersion(obj, runtime.InternalGroupVersioner)
}

// InternalList returns the internal form of a list of objects of one kind.
func InternalList(
	kind schema.GroupVersionKind, objs []controlloop.Object,
) (runtime.Object, error) {
	kind.Version, kind.Kind = runtime.APIVersionInternal, kind.Kind+"List"
	list, err := Scheme.New(kind)
	if err != nil {
		return nil, err
	}
	var items []runtime.Object
	for _, obj := range objs {
		item, err := Internal(obj)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
	}
	return list, meta.SetList(list, items)
}

// Restore puts into obj what its internal form has become.
func Restore(obj controlloop.Object, internal runtime.Object) error {
	said := obj.GetObjectKind().GroupVersionKind()
	next := reflect.New(reflect.TypeOf(obj).Elem())
	if err := Scheme.Convert(internal, next.Interface(), nil); err != nil {
		return err
	}
	reflect.ValueOf(obj).Elem().Set(next.Elem())
	obj.GetObjectKind().SetGroupVersionKind(said)
	return nil
}
