package controlloop

import corev1 "k8s.io/api/core/v1"

// Ending says how the objects of a kind go. Any function may be nil: then an
// object goes at once when it is asked to.
type Ending struct {
	// Grace returns how many seconds obj gets, where asked is what the caller
	// of Delete would give it; nil: the caller does not say.
	Grace func(obj Object, asked *int64) int64
	Holds func(obj Object) bool // reports whether it has to stay for now
	Begin func(obj Object)      // writes more when it is asked to go
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

// podGrace returns zero for a Pod that does not run: only one that does needs
// time (Kubernetes: pkg/registry/core/pod/strategy.go, CheckGracefulDelete).
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

// hasContents reports whether a Namespace still holds anything,
// which has to go first.
func hasContents(obj Object) bool {
	return len(obj.(*corev1.Namespace).Spec.Finalizers) > 0
}

func terminateNamespace(obj Object) {
	obj.(*corev1.Namespace).Status.Phase = corev1.NamespaceTerminating
}
