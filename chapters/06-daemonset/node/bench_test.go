package node_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/06-daemonset/node"
	"reconcile/chapters/06-daemonset/node/budget"
	"reconcile/chapters/06-daemonset/node/podgc"
	"reconcile/internal/kubetest"
)

// That many nodes live, each with thirty Pods, and nothing happens: what a minute
// of that costs, of one CPU, with store, heartbeats and all that looks after
// nodes. The minutes are virtual, the CPU is not.
func BenchmarkHeartbeats(b *testing.B) {
	for _, n := range []int{500, 5_000} {
		b.Run(fmt.Sprintf("nodes/%d", n), func(b *testing.B) {
			synctest.Test(&testing.T{}, func(*testing.T) { beatFor(b, n) })
		})
	}
}

const podsOnEach = 30

func beatFor(b *testing.B, nodes int) {
	ctx, stop := context.WithCancel(context.Background())
	store := controlloop.NewStore(nodeKinds, controlloop.WithHistory(20_000))
	system := &controlloop.System{Client: store}
	node.NewLifecycle(system)
	node.NewTaintEviction(system)
	podgc.New(system)
	budget.New(system)
	for n := range nodes {
		name := fmt.Sprintf("node-%d", n)
		mustCreate(b, store, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}})
		for p := range podsOnEach {
			pod := podWith(fmt.Sprintf("pod-%d-%d", n, p), hosted(name))
			mustCreate(b, store, pod)
		}
		node.NewHeartbeat(system, kubelet.Machine{Node: name})
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		system.Run(ctx)
	}()
	time.Sleep(time.Minute)
	synctest.Wait()
	b.ResetTimer()
	used := kubetest.CPU(func() {
		for range b.N {
			time.Sleep(time.Minute)
			synctest.Wait()
		}
	}).Seconds() / float64(b.N)
	b.StopTimer()
	b.ReportMetric(0, "ns/op") // of virtual time
	b.ReportMetric(used, "cpu-s/minute")
	b.ReportMetric(100*used/60, "%core")
	stop()
	<-done
}

func mustCreate(b *testing.B, store *controlloop.Store, obj controlloop.Object) {
	if _, err := store.Create(context.Background(), obj); err != nil {
		b.Fatal(err)
	}
}
