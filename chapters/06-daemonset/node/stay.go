package node

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
)

// forever is longer than any tolerationSeconds.
const forever = time.Duration(1<<63 - 1)

// stay returns for how long a Pod may stay under the taints of its node: not at
// all under one that it does not tolerate; else for the shortest of its
// tolerations' times, or forever. For each taint the first toleration that
// matches it counts, and one without a time sets no end.
// (Kubernetes: processPodOnNode in
// pkg/controller/tainteviction/taint_eviction.go.)
//
//	taints      tolerations                     stay
//	a, b        a for 300 s, b for 60 s         60 s
//	a           a, a for 60 s                   forever
//	a, b        a for 300 s                     0
//
//book:exercise 6c
func stay(taints []corev1.Taint, by []corev1.Toleration) time.Duration {
	shortest := forever
	for i := range taints {
		if taints[i].Effect != corev1.TaintEffectNoExecute {
			continue
		}
		t := controlloop.Find(by, func(t corev1.Toleration) bool {
			return daemonset.Tolerates(&t, &taints[i])
		})
		switch {
		case t == nil:
			return 0
		case t.TolerationSeconds != nil:
			seconds := max(0, *t.TolerationSeconds)
			shortest = min(shortest, time.Duration(seconds)*time.Second)
		}
	}
	return shortest
}
