package storage_test

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
)

// BenchmarkBind binds that many claims to as many volumes, of a
// hundred sizes, and measures what the binder spends on each. The
// volumes exist first, or come later.
func BenchmarkBind(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		b.Run(fmt.Sprintf("volumes-first/%d", n), func(b *testing.B) { bindAll(b, n, true) })
		b.Run(fmt.Sprintf("claims-first/%d", n), func(b *testing.B) { bindAll(b, n, false) })
	}
}

func bindAll(b *testing.B, n int, volumesFirst bool) {
	ctx := context.Background()
	var offered, wanted []controlloop.Object
	for i := range n {
		size := fmt.Sprintf("%dGi", 1+i*7919%100)
		offered = append(offered, volume(fmt.Sprintf("volume-%d", i), size))
		wanted = append(wanted, claim(fmt.Sprintf("claim-%d", i), size))
	}
	if !volumesFirst {
		offered, wanted = wanted, offered
	}
	for b.Loop() {
		store := controlloop.NewStore(allKinds, controlloop.WithHistory(10*n))
		system := &controlloop.System{Client: store}
		storage.NewBinder(system)
		for _, all := range [][]controlloop.Object{offered, wanted} {
			for _, obj := range all {
				if _, err := store.Create(ctx, controlloop.Copy(obj)); err != nil {
					b.Fatal(err)
				}
			}
			for more := true; more; {
				var err error
				if more, err = system.Step(ctx, controlloop.InOrder); err != nil {
					b.Fatal(err)
				}
			}
		}
		list, err := store.List(ctx, storage.ClaimKind, controlloop.ListOptions{})
		if err != nil {
			b.Fatal(err)
		}
		for _, obj := range list.Items {
			if obj.(*corev1.PersistentVolumeClaim).Status.Phase != corev1.ClaimBound {
				b.Fatalf("%s has no volume", obj.GetName())
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/claim")
}
