package daemonset_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

// What it costs to look whether a template is the one that it was, and to find
// out between which versions a set of 10 Pods is.
func BenchmarkRevision(b *testing.B) {
	system := &controlloop.System{Client: controlloop.NewStore(revised.Kinds)}
	history := daemonset.HistoryOfStatefulSets(system)
	ctx := context.Background()
	obj, err := system.Client.Create(ctx, aSet(10))
	require.NoError(b, err)
	set := obj.(*appsv1.StatefulSet)
	r, err := history.NewRevision(set, &set.Spec.Template, 1)
	require.NoError(b, err)
	obj, err = system.Client.Create(ctx, r)
	require.NoError(b, err)
	all := []*appsv1.ControllerRevision{obj.(*appsv1.ControllerRevision)}
	b.Run("Now", func(b *testing.B) {
		for b.Loop() {
			_, _ = history.Now(ctx, set, &set.Spec.Template, all)
		}
	})
	var pods []*corev1.Pod
	for n := range 10 {
		pods = append(pods, podAs(n, r.Name))
	}
	b.Run("Look", func(b *testing.B) {
		for b.Loop() {
			v := statefulset.Versions{}
			_ = daemonset.Revised{}.GiveWay(set, v, pods)
			_ = daemonset.IsComplete(set, r.Name, pods)
		}
	})
}

// A set comes up, one Pod after the other, and is then rolled: what that costs
// for each Pod, in CPU time of the whole process, and how many times as much in
// the larger set as in the smaller.
func BenchmarkStatefulSet(b *testing.B) {
	b.Run("plain", func(b *testing.B) { growSets(b, func(*appsv1.StatefulSet) {}) })
	b.Run("disk", func(b *testing.B) { growSets(b, withDisk) })
}

func withDisk(set *appsv1.StatefulSet) {
	set.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{{
		ObjectMeta: metav1.ObjectMeta{Name: "www"},
		Spec: corev1.PersistentVolumeClaimSpec{
			AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
			Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceStorage: resource.MustParse("1Gi"),
			}},
		},
	}}
}

func growSets(b *testing.B, change statefulChange) {
	var created, rolled = map[int]float64{}, map[int]float64{}
	sizes := []int{50, 500}
	for b.Loop() {
		for _, pods := range sizes {
			made, changed := comeUpAndRoll(b, aSet(int32(pods), change))
			created[pods] += float64(made.Nanoseconds()) / float64(pods)
			rolled[pods] += float64(changed.Nanoseconds()) / float64(pods)
		}
	}
	small, large := sizes[0], sizes[1]
	b.ReportMetric(created[large]/float64(b.N), "cpu-ns/created")
	b.ReportMetric(rolled[large]/float64(b.N), "cpu-ns/rolled")
	b.ReportMetric(created[large]/created[small], "created-500:50")
	b.ReportMetric(rolled[large]/rolled[small], "rolled-500:50")
}

func comeUpAndRoll(
	b *testing.B, set *appsv1.StatefulSet,
) (created, rolled time.Duration) {
	pods := int(*set.Spec.Replicas)
	f := newStage(b, revised.Kinds, pods, daemonset.NewStatefulSets)
	created = kubetest.CPU(func() {
		f.create(set)
		f.live()
	})
	rolled = kubetest.CPU(func() {
		obj, err := f.store.Get(b.Context(), statefulset.StatefulSetKind, kubetest.Named("web"))
		require.NoError(b, err)
		set := controlloop.Copy(obj.(*appsv1.StatefulSet))
		ofVersion("v2")(set)
		_, err = f.store.Update(b.Context(), set)
		require.NoError(b, err)
		f.live()
	})
	obj, err := f.store.Get(b.Context(), statefulset.StatefulSetKind, kubetest.Named("web"))
	require.NoError(b, err)
	status := obj.(*appsv1.StatefulSet).Status
	require.EqualValues(b, pods, status.UpdatedReplicas, fmt.Sprint(status))
	require.Equal(b, status.UpdateRevision, status.CurrentRevision)
	return created, rolled
}

// fleet is a store, and a controller that steps over it.
type fleet struct {
	b      testing.TB
	store  *controlloop.Store
	system *controlloop.System
	pods   controlloop.Watch // what happens to them: for who serves them
}

// newStage returns a store that remembers what happens to so many Pods, and a
// controller over it.
func newStage(
	b testing.TB, kinds controlloop.Kinds, pods int, by kubetest.Controller,
) *fleet {
	f := &fleet{b: b, store: controlloop.NewStore(kinds, controlloop.WithHistory(20*pods))}
	f.system = &controlloop.System{Client: f.store}
	by(f.system)
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
