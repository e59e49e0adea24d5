package lab

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
)

// belongings gives every namespace the object of one kind that belongs in each.
// Pods and tests of Kubernetes' own wait for both of these kinds.
type belongings struct {
	client     controlloop.Client
	namespaces *controlloop.Indexer
	cache      *controlloop.Indexer // of those that there are
	name       string
	new        func() controlloop.Object
	// mend restores an object that was changed, and reports whether it had to;
	// nil: it may be changed.
	mend func(controlloop.Object) bool
}

// newServiceAccounts makes the account under which Pods run that name none
// (Kubernetes: pkg/controller/serviceaccount).
func newServiceAccounts(s *controlloop.System) *controlloop.Controller {
	return newBelongings(s, "serviceaccount",
		corev1.SchemeGroupVersion.WithKind("ServiceAccount"),
		&belongings{
			name: "default",
			new:  func() controlloop.Object { return &corev1.ServiceAccount{} },
		})
}

const (
	caAnnotation  = "kubernetes.io/description"
	caDescription = "Contains a CA bundle that can be used to verify the kube-apiserver when using internal endpoints such as the internal service IP or kubernetes.default.svc. " +
		"No other usage is guaranteed across distributions of Kubernetes clusters."
)

// noCA is what is published in a lab: no container reaches its API server, so
// they have nothing to trust.
const noCA = "# the lab's API server has no certificate here\n"

// rootCAs publishes by which certificates containers should trust the API server
// (Kubernetes: pkg/controller/certificates/rootcacertpublisher).
func rootCAs(ca string) OfCluster {
	return func(s *controlloop.System) *controlloop.Controller {
		return newRootCAs(s, ca)
	}
}

func newRootCAs(s *controlloop.System, ca string) *controlloop.Controller {
	return newBelongings(s, "root-ca-cert-publisher",
		corev1.SchemeGroupVersion.WithKind("ConfigMap"),
		&belongings{
			name: "kube-root-ca.crt",
			new:  func() controlloop.Object { return &corev1.ConfigMap{} },
			mend: func(obj controlloop.Object) bool {
				config := obj.(*corev1.ConfigMap)
				data := map[string]string{"ca.crt": ca}
				if equality.Semantic.DeepEqual(config.Data, data) &&
					config.Annotations[caAnnotation] != "" {
					return false
				}
				config.Data = data
				metav1.SetMetaDataAnnotation(&config.ObjectMeta, caAnnotation, caDescription)
				return true
			},
		})
}

func newBelongings(
	s *controlloop.System, name string, kind schema.GroupVersionKind, b *belongings,
) *controlloop.Controller {
	namespaces := s.Informer(namespaceKind, controlloop.ListOptions{})
	all := s.Informer(kind, controlloop.ListOptions{
		Fields: fields.OneTermEqualSelector("metadata.name", b.name),
	})
	b.client, b.namespaces, b.cache = s.Client, namespaces.Cache, all.Cache
	c := controlloop.NewController(name, b)
	s.Add(c)
	c.Watch(namespaces, controlloop.Self)
	c.Watch(all, func(obj controlloop.Object) []controlloop.Key {
		return []controlloop.Key{{Name: obj.GetNamespace()}}
	})
	return c
}

// Reconcile implements controlloop.Reconciler; its keys are namespaces.
func (b *belongings) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	namespace, ok := b.namespaces.Get(key)
	if !ok || namespace.GetDeletionTimestamp() != nil {
		return controlloop.Result{}, nil
	}
	old, ok := b.cache.Get(controlloop.Key{Namespace: key.Name, Name: b.name})
	if !ok {
		return controlloop.Result{}, b.create(ctx, key.Name)
	}
	if b.mend == nil {
		return controlloop.Result{}, nil
	}
	next := controlloop.Copy(old)
	if !b.mend(next) {
		return controlloop.Result{}, nil
	}
	_, err := b.client.Update(ctx, next)
	return controlloop.Result{}, err
}

// create makes a namespace's object. A namespace that goes, or has gone, needs
// it no more; and if it is there already, the cache will know soon.
func (b *belongings) create(ctx context.Context, namespace string) error {
	obj := b.new()
	obj.SetNamespace(namespace)
	obj.SetName(b.name)
	if b.mend != nil {
		b.mend(obj)
	}
	_, err := b.client.Create(ctx, obj)
	if apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) ||
		apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return nil
	}
	return err
}
