package stories

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	appsclient "k8s.io/client-go/kubernetes/typed/apps/v1"
	coreclient "k8s.io/client-go/kubernetes/typed/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/events"
)

// direct is a client for Kubernetes' controllers that calls the store, as the
// book's controllers do: nothing is written as text, or read from it. It has
// what the controllers of Deployments and ReplicaSets need.
type direct struct {
	kubernetes.Interface
	store *controlloop.Store
}

func (d direct) CoreV1() coreclient.CoreV1Interface { return core{store: d.store} }
func (d direct) AppsV1() appsclient.AppsV1Interface { return apps{store: d.store} }

// IsWatchListSemanticsUnSupported makes reflectors list first.
func (direct) IsWatchListSemanticsUnSupported() bool { return true }

type core struct {
	coreclient.CoreV1Interface
	store *controlloop.Store
}

func (c core) Pods(namespace string) coreclient.PodInterface {
	return pods{things: things[*corev1.Pod]{c.store, controlloop.PodKind, namespace}}
}

func (c core) Events(namespace string) coreclient.EventInterface {
	return told{things: things[*corev1.Event]{c.store, events.Kind, namespace}}
}

type apps struct {
	appsclient.AppsV1Interface
	store *controlloop.Store
}

func (a apps) Deployments(namespace string) appsclient.DeploymentInterface {
	return deployments{things: things[*appsv1.Deployment]{
		a.store, deployment.DeploymentKind, namespace}}
}

func (a apps) ReplicaSets(namespace string) appsclient.ReplicaSetInterface {
	return replicaSets{things: things[*appsv1.ReplicaSet]{
		a.store, deployment.ReplicaSetKind, namespace}}
}

// The methods of a client that are not called here are a level deeper, so that
// they do not stand in the way.
type (
	otherPods        struct{ coreclient.PodInterface }
	otherEvents      struct{ coreclient.EventInterface }
	otherDeployments struct{ appsclient.DeploymentInterface }
	otherReplicaSets struct{ appsclient.ReplicaSetInterface }
)

type pods struct {
	things[*corev1.Pod]
	otherPods
}

func (p pods) List(ctx context.Context, _ metav1.ListOptions) (*corev1.PodList, error) {
	list := &corev1.PodList{}
	err := p.list(ctx, &list.ListMeta, func(pod *corev1.Pod) {
		list.Items = append(list.Items, *pod)
	})
	return list, err
}

type deployments struct {
	things[*appsv1.Deployment]
	otherDeployments
}

func (d deployments) List(
	ctx context.Context, _ metav1.ListOptions,
) (*appsv1.DeploymentList, error) {
	list := &appsv1.DeploymentList{}
	err := d.list(ctx, &list.ListMeta, func(d *appsv1.Deployment) {
		list.Items = append(list.Items, *d)
	})
	return list, err
}

type replicaSets struct {
	things[*appsv1.ReplicaSet]
	otherReplicaSets
}

func (r replicaSets) List(
	ctx context.Context, _ metav1.ListOptions,
) (*appsv1.ReplicaSetList, error) {
	list := &appsv1.ReplicaSetList{}
	err := r.list(ctx, &list.ListMeta, func(rs *appsv1.ReplicaSet) {
		list.Items = append(list.Items, *rs)
	})
	return list, err
}

type told struct {
	things[*corev1.Event]
	otherEvents
}

func (e told) CreateWithEventNamespace(event *corev1.Event) (*corev1.Event, error) {
	return e.Create(context.Background(), event, metav1.CreateOptions{})
}

// PatchWithEventNamespace counts an event up: it is called so rarely that the
// patch is left out.
func (told) PatchWithEventNamespace(event *corev1.Event, _ []byte) (*corev1.Event, error) {
	return event, nil
}

// things holds the objects of one kind.
type things[T controlloop.Object] struct {
	store     *controlloop.Store
	kind      schema.GroupVersionKind
	namespace string
}

func as[T controlloop.Object](obj controlloop.Object, err error) (none T, _ error) {
	if err != nil {
		return none, err
	}
	return obj.(T), nil
}

func (t things[T]) Get(ctx context.Context, name string, _ metav1.GetOptions) (T, error) {
	return as[T](t.store.Get(ctx, t.kind, types.NamespacedName{Namespace: t.namespace, Name: name}))
}

func (t things[T]) Create(ctx context.Context, obj T, _ metav1.CreateOptions) (T, error) {
	if t.namespace != "" {
		obj.SetNamespace(t.namespace)
	}
	return as[T](t.store.Create(ctx, obj))
}

func (t things[T]) Update(ctx context.Context, obj T, _ metav1.UpdateOptions) (T, error) {
	return as[T](t.store.Update(ctx, obj))
}

func (t things[T]) UpdateStatus(ctx context.Context, obj T, _ metav1.UpdateOptions) (T, error) {
	return as[T](t.store.UpdateStatus(ctx, obj))
}

func (t things[T]) Delete(ctx context.Context, name string, opts metav1.DeleteOptions) error {
	return t.store.Delete(ctx, t.kind,
		types.NamespacedName{Namespace: t.namespace, Name: name}, opts)
}

func (t things[T]) list(ctx context.Context, about *metav1.ListMeta, each func(T)) error {
	list, err := t.store.List(ctx, t.kind, controlloop.ListOptions{Namespace: t.namespace})
	about.ResourceVersion = list.ResourceVersion
	for _, obj := range list.Items {
		each(obj.(T))
	}
	return err
}

func (t things[T]) Watch(ctx context.Context, opts metav1.ListOptions) (watch.Interface, error) {
	changes, err := t.store.Watch(ctx, t.kind, controlloop.ListOptions{
		Namespace: t.namespace, ResourceVersion: opts.ResourceVersion,
	})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	p := &pushed{make(chan watch.Event, 100), cancel}
	go func() {
		defer changes.Stop()
		defer close(p.events)
		for {
			event, err := changes.Next(ctx)
			if err != nil {
				return
			}
			select {
			case p.events <- event:
			case <-ctx.Done():
				return
			}
		}
	}()
	return p, nil
}

// pushed is a watch as client-go knows it.
type pushed struct {
	events chan watch.Event
	stop   context.CancelFunc
}

func (p *pushed) Stop()                          { p.stop() }
func (p *pushed) ResultChan() <-chan watch.Event { return p.events }
