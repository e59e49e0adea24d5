package stories

import (
	"context"
	"strconv"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"

	controlloop "reconcile/chapters/01-control-loop"
)

// A key that is added, taken and done with, while a thousand others wait.
func BenchmarkQueue(b *testing.B) {
	keys := make([]types.NamespacedName, 2000)
	for i := range keys {
		keys[i] = types.NamespacedName{Namespace: "default", Name: "web-" + strconv.Itoa(i)}
	}
	b.Run("ours", func(b *testing.B) {
		q := controlloop.NewQueue[types.NamespacedName]()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			q.Add(keys[i%len(keys)])
			key, _ := q.Get()
			q.Done(key)
		}
	})
	b.Run("client-go", func(b *testing.B) {
		q := workqueue.NewTyped[types.NamespacedName]()
		defer q.ShutDown()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			q.Add(keys[i%len(keys)])
			key, _ := q.Get()
			q.Done(key)
		}
	})
}

// A cache of ten thousand Pods in which one is put after the other, under the
// namespace and the owner that it had.
func BenchmarkIndexerUpdate(b *testing.B) {
	pods := make([]*corev1.Pod, 10_000)
	for i := range pods {
		pods[i] = fullPod(i)
	}
	b.Run("ours", func(b *testing.B) {
		x := controlloop.NewIndexer()
		x.AddIndex(controlloop.ByOwner, oursOwners)
		for _, pod := range pods {
			x.Put(pod)
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			x.Put(pods[i%len(pods)])
		}
	})
	b.Run("client-go", func(b *testing.B) {
		x := cache.NewIndexer(cache.MetaNamespaceKeyFunc, cache.Indexers{
			cache.NamespaceIndex: cache.MetaNamespaceIndexFunc,
			controlloop.ByOwner:  func(obj any) ([]string, error) { return owners(obj.(*corev1.Pod)), nil },
		})
		for _, pod := range pods {
			_ = x.Add(pod)
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			_ = x.Update(pods[i%len(pods)])
		}
	})
}

// The status of one Pod, written again and again, without watchers.
func BenchmarkStatusWrite(b *testing.B) {
	b.Run("ours", func(b *testing.B) {
		store, pod := oursWithPod(b)
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			writeOurs(b, store, pod, i)
		}
	})
	b.Run("client-go", func(b *testing.B) {
		client := newFake()
		pod, err := client.CoreV1().Pods("default").Create(b.Context(), fullPod(0), metav1.CreateOptions{})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			writeFake(b, client, pod, i)
			client.ClearActions()
		}
	})
}

// newFake returns the client-go client without field management, which the store
// does not do either.
func newFake() *fake.Clientset {
	return fake.NewSimpleClientset()
}

func oursWithPod(b *testing.B) (*controlloop.Store, *corev1.Pod) {
	store := controlloop.NewStore(controlloop.CoreKinds())
	created, err := store.Create(b.Context(), fullPod(0))
	if err != nil {
		b.Fatal(err)
	}
	pod := controlloop.Copy(created.(*corev1.Pod))
	pod.Status = fullPod(0).Status
	return store, pod
}

func writeOurs(b *testing.B, store *controlloop.Store, pod *corev1.Pod, i int) {
	pod.ResourceVersion, pod.Status.Message = "", strconv.Itoa(i)
	if _, err := store.UpdateStatus(b.Context(), pod); err != nil {
		b.Fatal(err)
	}
}

func writeFake(b *testing.B, client *fake.Clientset, pod *corev1.Pod, i int) {
	pod.ResourceVersion, pod.Status.Message = "", strconv.Itoa(i)
	_, err := client.CoreV1().Pods("default").UpdateStatus(b.Context(), pod, metav1.UpdateOptions{})
	if err != nil {
		b.Fatal(err)
	}
}

// An informer with three handlers, running, and the cost of one more event from
// its store's log. The write itself is BenchmarkStatusWrite's figure.
func BenchmarkWriteAndInformer(b *testing.B) {
	const handlers = 3
	b.Run("ours", func(b *testing.B) {
		store, pod := oursWithPod(b)
		var heard sync.WaitGroup
		system := &controlloop.System{Client: store}
		informer := system.Informer(controlloop.PodKind, controlloop.ListOptions{})
		for range handlers {
			informer.Handle(controlloop.Handler{OnUpdate: func(_, _ controlloop.Object) { heard.Done() }})
		}
		ctx, cancel := context.WithCancel(b.Context())
		defer cancel()
		go system.Run(ctx)
		<-informer.Synced()
		heard.Add(handlers)
		writeOurs(b, store, pod, -1)
		heard.Wait()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			heard.Add(handlers)
			writeOurs(b, store, pod, i)
			heard.Wait()
		}
	})
	b.Run("client-go", func(b *testing.B) {
		client := newFake()
		pod, err := client.CoreV1().Pods("default").Create(b.Context(), fullPod(0), metav1.CreateOptions{})
		if err != nil {
			b.Fatal(err)
		}
		var heard sync.WaitGroup
		factory := informers.NewSharedInformerFactory(client, 0)
		informer := factory.Core().V1().Pods().Informer()
		for range handlers {
			_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{UpdateFunc: func(_, _ any) { heard.Done() }})
			if err != nil {
				b.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(b.Context())
		defer cancel()
		factory.Start(ctx.Done())
		factory.WaitForCacheSync(ctx.Done())
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			heard.Add(handlers)
			writeFake(b, client, pod, i)
			heard.Wait()
			client.ClearActions()
		}
	})
}
