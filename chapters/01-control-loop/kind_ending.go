package controlloop

import corev1 "k8s.io/api/core/v1"

// Ending is how the objects of a kind go. Any of it may be nil: then they go at
// once when they are asked to.
type Ending struct {
	// Grace is how many seconds obj gets, where asked is what the caller of
	// Delete would give it; nil: the caller does not say.
	Grace func(obj Object, asked *int64) int64
	Holds func(obj Object) bool // whether it has to stay for now
	Begin func(obj Object)      // what else is written when it is asked to go
}

func (e Ending) grace(obj Object, asked *int64) int64 {
	if e.Grace == nil {
		return 0
	}
	return e.Grace(obj, asked)
}

func (e Ending) begin(obj Object) {
	if e.Begin != nil {
		e.Begin(obj)
	}
}

// gone reports whether nothing holds obj any longer.
func (e Ending) gone(obj Object) bool {
	grace := obj.GetDeletionGracePeriodSeconds()
	return grace != nil && *grace == 0 && len(obj.GetFinalizers()) == 0 &&
		(e.Holds == nil || !e.Holds(obj))
}

// podGrace: only a Pod that runs needs any (Kubernetes:
// pkg/registry/core/pod/strategy.go, CheckGracefulDelete).
func podGrace(obj Object, asked *int64) int64 {
	pod := obj.(*corev1.Pod)
	switch own := pod.Spec.TerminationGracePeriodSeconds; {
	case pod.Spec.NodeName == "", HasEnded(pod):
		return 0
	case asked != nil:
		return *asked
	case own != nil && *own < 0:
		return 1
	case own != nil:
		return *own
	}
	return corev1.DefaultTerminationGracePeriodSeconds
}

// hasContents: what is in a Namespace has to go first.
func hasContents(obj Object) bool {
	return len(obj.(*corev1.Namespace).Spec.Finalizers) > 0
}

func terminateNamespace(obj Object) {
	obj.(*corev1.Namespace).Status.Phase = corev1.NamespaceTerminating
}
