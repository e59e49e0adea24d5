package cache

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"
)

// Event is something that happened and may help a Pod that no node took: a node
// was one thing and is another, a Pod has left a node or come to one.
type Event struct {
	Was, Is    *corev1.Node // nil: there was or is none
	Left, Came *PodInfo     // both: its labels have changed
	Volumes    bool         // a claim, a volume or a class has changed
	Self       types.UID    // the Pod itself has changed
}

// IsNewNode reports whether a node has come.
func (e *Event) IsNewNode() bool { return e.Was == nil && e.Is != nil }

// HasLeft reports whether a Pod has left, and not only changed.
func (e *Event) HasLeft() bool { return e.Left != nil && e.Came == nil }

// IsOf reports whether a Pod has left that may look for a place again: that its
// own is free is no news to it.
func (e *Event) IsOf(uid types.UID) bool {
	return e.HasLeft() && e.Left.UID == uid
}

// IsRelabelled reports whether a node has other labels.
func (e *Event) IsRelabelled() bool {
	return e.Was != nil && e.Is != nil && !maps.Equal(e.Was.Labels, e.Is.Labels)
}

// IsRetainted reports whether a node has other taints.
func (e *Event) IsRetainted() bool {
	return e.Was != nil && e.Is != nil &&
		!equality.Semantic.DeepEqual(e.Was.Spec.Taints, e.Is.Spec.Taints)
}

// Differ reports whether a node has changed in what a filter looks at, which a
// heartbeat does not.
func Differ(was, is *corev1.Node) bool {
	return was.Spec.Unschedulable != is.Spec.Unschedulable ||
		!maps.Equal(was.Labels, is.Labels) ||
		!equality.Semantic.DeepEqual(was.Spec.Taints, is.Spec.Taints) ||
		!equality.Semantic.DeepEqual(was.Status.Allocatable, is.Status.Allocatable)
}
