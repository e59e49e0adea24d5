package controlloop_test

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// watched returns a store with so many watchers of Pods, each read to the end
// all the time by a goroutine of its own.
func watched(b *testing.B, watchers int) *controlloop.Store {
	store := newStore()
	ctx, cancel := context.WithCancel(b.Context())
	var reading sync.WaitGroup
	for range watchers {
		w, err := store.Watch(ctx, controlloop.PodKind, controlloop.ListOptions{})
		if err != nil {
			b.Fatal(err)
		}
		reading.Go(func() {
			for {
				if _, err := w.Next(ctx); err != nil {
					return
				}
			}
		})
	}
	b.Cleanup(func() {
		cancel()
		reading.Wait()
	})
	return store
}

// The cost of a write depends little on the number of watchers: they are woken,
// and read for themselves.
func BenchmarkStoreCreate(b *testing.B) {
	for _, watchers := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("watchers=%d", watchers), func(b *testing.B) {
			store := watched(b, watchers)
			pod := nginxPod("")
			pod.GenerateName = "web-"
			b.ReportAllocs()
			for b.Loop() {
				if _, err := store.Create(b.Context(), pod); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkStoreUpdate(b *testing.B) {
	for _, watchers := range []int{1, 10, 100} {
		b.Run(fmt.Sprintf("watchers=%d", watchers), func(b *testing.B) {
			store := watched(b, watchers)
			pod := benchPod(b, store)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				touch(b, store, pod, i)
			}
		})
	}
}

func benchPod(b *testing.B, store *controlloop.Store) *corev1.Pod {
	pod := nginxPod("")
	pod.GenerateName = "web-"
	stored, err := store.Create(b.Context(), pod)
	if err != nil {
		b.Fatal(err)
	}
	return controlloop.Copy(stored.(*corev1.Pod))
}

// touch writes pod with an annotation that it did not have.
func touch(b *testing.B, store *controlloop.Store, pod *corev1.Pod, i int) {
	pod.ResourceVersion = ""
	pod.Annotations = map[string]string{"touched": strconv.Itoa(i)}
	if _, err := store.Update(b.Context(), pod); err != nil {
		b.Fatal(err)
	}
}

// From a write to the handler that hears of it, by way of reflector, fifo and
// cache, driven by hand.
func BenchmarkDelivery(b *testing.B) {
	store := newStore()
	pod := benchPod(b, store)
	informer, heard := listening(b, store)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		touch(b, store, pod, i)
		if _, err := informer.Step(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	if *heard == 0 {
		b.Fatal("the handler heard nothing")
	}
}

// listening returns an informer that has caught up, and the count
// that its handler keeps.
func listening(b *testing.B, store *controlloop.Store) (*controlloop.Informer, *int) {
	heard := 0
	informer := controlloop.NewInformer(store, controlloop.PodKind, controlloop.ListOptions{}, 0, nil)
	informer.Handle(controlloop.Handler{
		OnUpdate: func(_, _ controlloop.Object) { heard++ },
	})
	if _, err := informer.Step(b.Context()); err != nil {
		b.Fatal(err)
	}
	return informer, &heard
}

// One Pod among many changes. The informer is told; the naive loop lists.
func BenchmarkNoticeOneChange(b *testing.B) {
	for _, pods := range []int{10, 1_000, 100_000} {
		store := newStore()
		for range pods {
			benchPod(b, store)
		}
		pod := benchPod(b, store)
		b.Run(fmt.Sprintf("informer/pods=%d", pods), func(b *testing.B) {
			informer, heard := listening(b, store)
			runtime.GC() // the garbage of making the Pods is not to be paid for here
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				touch(b, store, pod, i)
				if _, err := informer.Step(b.Context()); err != nil {
					b.Fatal(err)
				}
			}
			if *heard < b.N {
				b.Fatalf("heard %d of %d", *heard, b.N)
			}
		})
		b.Run(fmt.Sprintf("naive/pods=%d", pods), func(b *testing.B) {
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				touch(b, store, pod, i)
				_, err := store.List(b.Context(), controlloop.PodKind, controlloop.ListOptions{})
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkQueue(b *testing.B) {
	b.Run("serial", func(b *testing.B) {
		q := controlloop.NewQueue[int]()
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			q.Add(i)
			key, _ := q.Get()
			q.Done(key)
		}
	})
	b.Run("serial/waiting=100000", func(b *testing.B) {
		q := controlloop.NewQueue[int]()
		for i := range 100_000 {
			q.Add(-i)
		}
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			q.Add(i)
			key, _ := q.Get()
			q.Done(key)
		}
	})
	b.Run("parallel", func(b *testing.B) {
		q := controlloop.NewQueue[int]()
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			for i := 0; pb.Next(); i++ {
				q.Add(i)
				if key, ok := q.TryGet(0); ok {
					q.Done(key)
				}
			}
		})
	})
}

// One node's watch costs as much as happens on that node, however many others
// there are: each reads a log of its own.
func BenchmarkAWriteWatchedByNodes(b *testing.B) {
	for _, nodes := range []int{3, 100} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			store := newStore()
			ctx, cancel := context.WithCancel(b.Context())
			var reading sync.WaitGroup
			for i := range nodes {
				w, err := store.Watch(ctx, controlloop.PodKind, controlloop.ListOptions{
					Fields: onNode(fmt.Sprint("node-", i)),
				})
				if err != nil {
					b.Fatal(err)
				}
				reading.Go(func() {
					for {
						if _, err := w.Next(ctx); err != nil {
							return
						}
					}
				})
			}
			b.Cleanup(func() {
				cancel()
				reading.Wait()
			})
			var pods []*corev1.Pod
			for i := range nodes {
				pod := nginxPod("")
				pod.GenerateName, pod.Spec.NodeName = "web-", fmt.Sprint("node-", i)
				stored, err := store.Create(b.Context(), pod)
				if err != nil {
					b.Fatal(err)
				}
				pods = append(pods, controlloop.Copy(stored.(*corev1.Pod)))
			}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				touch(b, store, pods[i%nodes], i)
			}
		})
	}
}
