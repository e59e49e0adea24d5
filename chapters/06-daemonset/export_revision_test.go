package daemonset

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// What only the tests of revisions may see.

var (
	LookUp                = lookUp
	TemplateOf            = templateOf
	HistoryOfStatefulSets = historyOfStatefulSets
	HistoryOfDaemonSets   = historyOfDaemonSets
	IsComplete            = isComplete
)

// NewRevision is newRevision, with the data that belongs to the template.
func (h *History) NewRevision(
	owner controlloop.Object, template *corev1.PodTemplateSpec, number int64,
) (*appsv1.ControllerRevision, error) {
	data, err := dataOf(template)
	return h.newRevision(owner, template, data, number), err
}

// Remembered is how many owners there are whose templates are remembered.
func (h *History) Remembered() (n int) {
	h.memory.of.Range(func(any, any) bool { n++; return true })
	return n
}
