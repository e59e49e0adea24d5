package daemonset_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

// A set is made, and then rolled, on that many nodes. Every Pod is placed, becomes
// ready, and goes by itself, and after each of these writes the controller has its
// look: what that costs for each Pod, in CPU time of the whole process. With a walk
// over 5,000 nodes at each of 30,000 looks it would take a quarter of an hour.
func BenchmarkDaemonSet(b *testing.B) {
	inFleets(b, 500, func(b *testing.B, nodes int, by kubetest.Controller) {
		var created, rolled time.Duration
		for b.Loop() {
			f := newFleet(b, nodes, by)
			created += kubetest.CPU(func() {
				f.create(logs(unavailable("10%")))
				f.live()
			})
			rolled += kubetest.CPU(func() {
				f.edit()
				f.live()
			})
			f.judge(nodes)
		}
		each := float64(b.N) * float64(nodes)
		b.ReportMetric(float64(created.Nanoseconds())/each, "cpu-ns/created")
		b.ReportMetric(float64(rolled.Nanoseconds())/each, "cpu-ns/rolled")
	})
}

// inFleets runs a benchmark with one controller and with the other, but walks over
// so many nodes at most.
func inFleets(
	b *testing.B, most int, run func(b *testing.B, nodes int, by kubetest.Controller),
) {
	for _, way := range ways {
		for _, nodes := range []int{500, 5_000} {
			if way.name == "walk" && nodes > most {
				continue
			}
			b.Run(fmt.Sprintf("%s/nodes=%d", way.name, nodes), func(b *testing.B) {
				run(b, nodes, way.by)
			})
		}
	}
}

// On one of that many nodes a label changes.
func BenchmarkDaemonSetOneNode(b *testing.B) {
	inFleets(b, 5_000, func(b *testing.B, nodes int, by kubetest.Controller) {
		f := newFleet(b, nodes, by)
		f.create(logs())
		f.settle() // the Pods are there, and go nowhere
		runtime.GC()
		for i := 0; b.Loop(); i++ {
			f.relabel("n7", fmt.Sprint(i))
		}
	})
}

// fleet is a store with nodes, and a controller that steps over it.
type fleet struct {
	b       testing.TB
	store   *controlloop.Store
	system  *controlloop.System
	daemons *controlloop.Controller
	pods    controlloop.Watch // what happens to them: for who serves them
}

func newFleet(b testing.TB, nodes int, by kubetest.Controller) *fleet {
	f := newStage(b, daemonKinds, nodes, by)
	for n := range nodes {
		f.create(host(fmt.Sprintf("n%d", n+1)))
	}
	f.settle()
	return f
}

// newStage returns a store that remembers what happens to so many Pods, and a
// controller over it.
func newStage(
	b testing.TB, kinds controlloop.Kinds, pods int, by kubetest.Controller,
) *fleet {
	f := &fleet{b: b, store: controlloop.NewStore(kinds, controlloop.WithHistory(20*pods))}
	f.system = &controlloop.System{Client: f.store}
	f.daemons = by(f.system)
	var err error
	f.pods, err = f.store.Watch(b.Context(), controlloop.PodKind, controlloop.ListOptions{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(f.pods.Stop)
	return f
}

func (f *fleet) create(obj controlloop.Object) {
	if _, err := f.store.Create(f.b.Context(), obj); err != nil {
		f.b.Fatal(err)
	}
}

func (f *fleet) edit() {
	obj, err := f.store.Get(f.b.Context(), daemonset.DaemonSetKind, kubetest.Named("logs"))
	if err != nil {
		f.b.Fatal(err)
	}
	ds := controlloop.Copy(obj)
	image(fresh)(ds.(setType))
	if _, err := f.store.Update(f.b.Context(), ds); err != nil {
		f.b.Fatal(err)
	}
}

// relabel changes a label of a node, and lets the controller have its look.
func (f *fleet) relabel(name, value string) {
	node := host(name, hostWith("try", value))
	if _, err := f.store.Update(f.b.Context(), node); err != nil {
		f.b.Fatal(err)
	}
	f.settle()
}

// settle steps until nothing waits.
func (f *fleet) settle() {
	for more := true; more; {
		var err error
		if more, err = f.system.Step(f.b.Context(), controlloop.InOrder); err != nil {
			f.b.Fatal(err)
		}
	}
}

// live has everybody do what there is to do until nothing happens any more.
func (f *fleet) live() {
	for {
		f.settle()
		event, ok, err := f.pods.TryNext()
		if err != nil {
			f.b.Fatal(err)
		}
		if !ok {
			return
		}
		if event.Type != watch.Deleted {
			f.serve(event.Object.(*corev1.Pod))
		}
	}
}

// serve takes the next step of a Pod's life.
func (f *fleet) serve(pod *corev1.Pod) {
	ctx, err := f.b.Context(), error(nil)
	pod = controlloop.Copy(pod)
	pod.ResourceVersion = ""
	switch {
	case pod.DeletionTimestamp != nil:
		err = f.store.Delete(ctx, controlloop.PodKind, controlloop.KeyOf(pod), kubetest.Grace(0))
	case pod.Spec.NodeName == "" && daemonset.Target(pod) != "":
		err = f.store.Bind(ctx, controlloop.NewBinding(pod, daemonset.Target(pod)))
	case !kubetest.Ready(pod):
		pod.Status.Phase = corev1.PodRunning
		pod.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodReady, Status: corev1.ConditionTrue,
			LastTransitionTime: metav1.NewTime(time.Now().Add(-time.Minute)),
		}}
		_, err = f.store.UpdateStatus(ctx, pod)
	}
	if err != nil {
		f.b.Fatal(err)
	}
}

func (f *fleet) judge(nodes int) {
	obj, err := f.store.Get(f.b.Context(), daemonset.DaemonSetKind, kubetest.Named("logs"))
	if err != nil {
		f.b.Fatal(err)
	}
	if s := obj.(setType).Status; int(s.UpdatedNumberScheduled) != nodes || int(s.NumberAvailable) != nodes {
		f.b.Fatalf("%d updated, %d available", s.UpdatedNumberScheduled, s.NumberAvailable)
	}
}
