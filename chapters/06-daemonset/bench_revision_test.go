package daemonset_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	daemonset "reconcile/chapters/06-daemonset"
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
