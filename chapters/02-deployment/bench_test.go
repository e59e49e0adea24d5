package deployment_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// plant is a store and controllers that step over it, in real time.
type plant struct {
	b      *testing.B
	store  *controlloop.Store
	system *controlloop.System

	created int
}

func newPlant(b *testing.B, controllers ...kubetest.Controller) *plant {
	store := controlloop.NewStore(kinds(), controlloop.WithHistory(5_000))
	p := &plant{b: b, store: store, system: &controlloop.System{Client: store}}
	for _, controller := range controllers {
		controller(p.system)
	}
	p.settle()
	return p
}

// settle steps until nothing waits.
func (p *plant) settle() {
	p.b.Helper()
	for more := true; more; {
		var err error
		if more, err = p.system.Step(p.b.Context(), controlloop.InOrder); err != nil {
			p.b.Fatal(err)
		}
	}
}

// create stores obj, and now and then lets the caches catch up.
func (p *plant) create(obj controlloop.Object) controlloop.Object {
	p.b.Helper()
	if p.created++; p.created%1000 == 0 {
		p.settle()
	}
	stored, err := p.store.Create(p.b.Context(), obj)
	if err != nil {
		p.b.Fatal(err)
	}
	return stored
}

func (p *plant) pods() []controlloop.Object {
	list, err := p.store.List(p.b.Context(), controlloop.PodKind, controlloop.ListOptions{})
	if err != nil {
		p.b.Fatal(err)
	}
	return list.Items
}

// each reports what f costs for each of n: time, and allocations.
func each(b *testing.B, n int, f func()) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	f()
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(took.Nanoseconds())/float64(n), "ns/pod")
	b.ReportMetric(float64(after.Mallocs-before.Mallocs)/float64(n), "allocs/pod")
}

// A Pod costs the same, however many are created with it.
func BenchmarkReplicaSetCreates(b *testing.B) {
	for _, pods := range []int{100, 1_000, 10_000} {
		b.Run(fmt.Sprintf("pods=%d", pods), func(b *testing.B) {
			for b.Loop() {
				p := newPlant(b, deployment.NewReplicaSets)
				each(b, pods, func() {
					p.create(replicaSet("web", int32(pods)))
					p.settle()
				})
				if n := len(p.pods()); n != pods {
					b.Fatalf("%d Pods", n)
				}
			}
		})
	}
}

// Of so many Pods five hundred go. A Pod costs the same, however many there are.
func BenchmarkLeastUseful(b *testing.B) {
	for _, n := range []int{1_000, 20_000} {
		b.Run(fmt.Sprintf("pods=%d", n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, 0))
			pods := make([]*corev1.Pod, n)
			for i := range pods {
				pods[i] = kubetest.Pod(fmt.Sprintf("web-%08x", r.Uint32()))
			}
			for b.Loop() {
				deployment.LeastUseful(pods, pods, 500)
			}
			each := float64(b.N) * float64(n)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/each, "ns/pod")
		})
	}
}

// One Pod becomes ready and unready. The number of other Pods does not matter.
func BenchmarkOnePodChanges(b *testing.B) {
	for _, others := range []int{10, 1_000, 3_000} {
		b.Run(fmt.Sprintf("others=%d", others), func(b *testing.B) {
			p := newPlant(b, deployment.NewReplicaSets, deployment.NewDeployments)
			for i := range others {
				p.create(recreated(fmt.Sprintf("other-%d", i), 1))
			}
			p.create(recreated("web", 1))
			p.settle()
			var pod *corev1.Pod
			for _, obj := range p.pods() {
				if obj.GetLabels()["app"] == "web" {
					pod = controlloop.Copy(obj.(*corev1.Pod))
				}
			}
			runtime.GC()
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				pod.ResourceVersion = ""
				pod.Status.Conditions = []corev1.PodCondition{{
					Type:   corev1.PodReady,
					Status: []corev1.ConditionStatus{"True", "False"}[i%2],
				}}
				if _, err := p.store.UpdateStatus(b.Context(), pod); err != nil {
					b.Fatal(err)
				}
				p.settle()
			}
		})
	}
}

// An owner goes, with its dependents. The number of other objects does not
// matter.
func BenchmarkCollectOne(b *testing.B) {
	for _, others := range []int{10, 1_000, 100_000} {
		b.Run(fmt.Sprintf("others=%d", others), func(b *testing.B) {
			p := newPlant(b, newCollector)
			for i := range others {
				p.create(thing(fmt.Sprintf("other-%d", i)))
			}
			p.settle()
			runtime.GC()
			b.ReportAllocs()
			for b.Loop() {
				owner := p.create(thing("owner"))
				p.create(thing("child", owner))
				p.settle()
				err := p.store.Delete(b.Context(), configMapKind,
					controlloop.KeyOf(owner), metav1.DeleteOptions{})
				if err != nil {
					b.Fatal(err)
				}
				p.settle()
				key := kubetest.Named("child")
				if _, err := p.store.Get(b.Context(), configMapKind, key); err == nil {
					b.Fatal("the child is there still")
				}
			}
		})
	}
}

// A ReplicaSet goes, and all its Pods, which are on a node and take their time.
func BenchmarkCollectAll(b *testing.B) {
	for _, policy := range []metav1.DeletionPropagation{background, foreground} {
		for _, pods := range []int{100, 1_000, 10_000} {
			b.Run(fmt.Sprintf("%s/pods=%d", policy, pods), func(b *testing.B) {
				for b.Loop() {
					collectAll(b, pods, policy)
				}
			})
		}
	}
}

func collectAll(b *testing.B, pods int, policy metav1.DeletionPropagation) {
	p := newPlant(b, newCollector)
	rs := p.create(replicaSet("web", int32(pods)))
	for i := range pods {
		pod := kubetest.Pod(fmt.Sprintf("web-%d", i))
		pod.Spec.NodeName = "node-1"
		pod.OwnerReferences = []metav1.OwnerReference{ownedBy(rs)}
		p.create(pod)
	}
	p.settle()
	end := func(kind controlloop.Object, opts metav1.DeleteOptions) {
		gvk := kind.GetObjectKind().GroupVersionKind()
		if err := p.store.Delete(b.Context(), gvk, controlloop.KeyOf(kind), opts); err != nil {
			b.Fatal(err)
		}
		p.settle()
	}
	each(b, pods, func() {
		end(rs, metav1.DeleteOptions{PropagationPolicy: &policy})
		for _, pod := range p.pods() {
			end(pod, kubetest.Grace(0))
		}
	})
	list, err := p.store.List(b.Context(), deployment.ReplicaSetKind, controlloop.ListOptions{})
	if err != nil || len(list.Items)+len(p.pods()) > 0 {
		b.Fatal("there is something left")
	}
}
