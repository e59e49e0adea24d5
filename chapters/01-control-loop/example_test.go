package controlloop_test

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// A key that changes nine times while a worker looks at it is looked at once
// more.
func ExampleQueue() {
	q := controlloop.NewQueue[string]()
	q.Add("web")
	key, _ := q.TryGet(0)
	for range 9 {
		q.Add(key)
	}
	fmt.Println("a worker has", key, "and", q.Len(), "wait")
	q.Done(key)
	fmt.Println("it is done, and", q.Len(), "waits")

	// Output:
	// a worker has web and 0 wait
	// it is done, and 1 waits
}

// A Pod that gets another label is modified. For a watch that selects by the old
// one, it is gone.
func ExampleStore_Watch() {
	ctx := context.Background()
	store := controlloop.NewStore(controlloop.CoreKinds())
	watch, _ := store.Watch(ctx, controlloop.PodKind, controlloop.ListOptions{
		Labels: labels.SelectorFromSet(labels.Set{"app": "nginx"}),
	})
	pod := kubetest.Pod("web")
	pod.Labels = map[string]string{"app": "nginx"}
	store.Create(ctx, pod)
	pod.Labels = map[string]string{"app": "apache"}
	store.Update(ctx, pod)
	for {
		event, ok, err := watch.TryNext()
		if err != nil || !ok {
			return
		}
		fmt.Println(event.Type, event.Object.(controlloop.Object).GetName())
	}

	// Output:
	// ADDED web
	// DELETED web
}

// An informer tells its handlers what happened, and has the cache that they read.
func ExampleInformer() {
	ctx := context.Background()
	store := controlloop.NewStore(controlloop.CoreKinds())
	pods := controlloop.NewInformer(
		store, controlloop.PodKind, controlloop.ListOptions{}, 0, nil)
	pods.Handle(controlloop.Handler{
		OnAdd: func(obj controlloop.Object) {
			fmt.Println("added", obj.GetName())
		},
		OnDelete: func(obj controlloop.Object) {
			fmt.Println("deleted", obj.GetName())
		},
	})
	store.Create(ctx, kubetest.Pod("web"))
	store.Create(ctx, kubetest.Pod("db"))
	pods.Step(ctx) // Run does it whenever something has happened
	fmt.Println(len(pods.Cache.List()), "Pods")
	store.Delete(ctx, controlloop.PodKind, kubetest.Named("web"), metav1.DeleteOptions{})
	pods.Step(ctx)
	fmt.Println(len(pods.Cache.List()), "Pod")

	// Output:
	// added db
	// added web
	// 2 Pods
	// deleted web
	// 1 Pod
}

// printer is a Reconciler that prints what it finds.
type printer struct{ pods *controlloop.Indexer }

// Reconcile implements controlloop.Reconciler.
func (p printer) Reconcile(_ context.Context, key controlloop.Key) (controlloop.Result, error) {
	_, exists := p.pods.Get(key)
	fmt.Println(key, "exists:", exists)
	return controlloop.Result{}, nil
}

// A Reconciler is told which object, not what happened to it: three events are
// one look.
func ExampleController() {
	ctx := context.Background()
	store := controlloop.NewStore(controlloop.CoreKinds())
	pods := controlloop.NewInformer(
		store, controlloop.PodKind, controlloop.ListOptions{}, 0, nil)
	c := controlloop.NewController("example", printer{pods.Cache})
	c.Watch(pods, controlloop.Self)

	pod := kubetest.Pod("web")
	store.Create(ctx, pod)
	pods.Step(ctx)
	pod.Labels = map[string]string{"app": "nginx"}
	store.Update(ctx, pod)
	pods.Step(ctx)
	store.Delete(ctx, controlloop.PodKind, kubetest.Named("web"), metav1.DeleteOptions{})
	pods.Step(ctx)

	fmt.Println("a look:", c.Step(ctx, 0))
	fmt.Println("another:", c.Step(ctx, 0))

	// Output:
	// default/web exists: false
	// a look: true
	// another: false
}
