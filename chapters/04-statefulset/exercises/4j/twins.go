// Package twins judges what is written about Pods: whether a controller may have
// put two processes behind one name.
package twins

import (
	"slices"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Author says who made a write.
type Author int

const (
	Controller Author = iota // one of the cluster's, which knows what is in the store
	Kubelet                  // of the Pod's node, which knows its processes
	Person                   // with kubectl
)

// Write is a write to a Pod.
type Write struct {
	By       Author
	Old, New *corev1.Pod // nil: it did not exist before, or no longer does
}

// Breaks reports whether a controller, by this write, may have put two processes
// behind one name. It is asked at each write, with the Pods that were in the store
// before.
//
//book:exercise 4j
func Breaks(w Write, before []*corev1.Pod) bool {
	mayRun := func(pod *corev1.Pod) bool {
		return pod != nil && pod.Spec.NodeName != "" && !controlloop.HasEnded(pod)
	}
	switch {
	case w.By != Controller:
		return false
	case w.Old == nil:
		return slices.ContainsFunc(before, func(other *corev1.Pod) bool {
			return haveOneName(other, w.New) && !controlloop.HasEnded(other)
		})
	}
	return mayRun(w.Old) && !mayRun(w.New)
}

// haveOneName reports whether two Pods answer to the same name in DNS.
func haveOneName(a, b *corev1.Pod) bool {
	return a.Namespace == b.Namespace && a.Spec.Hostname == b.Spec.Hostname &&
		a.Spec.Subdomain == b.Spec.Subdomain
}
