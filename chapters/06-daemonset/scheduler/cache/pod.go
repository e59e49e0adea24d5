package cache

import corev1 "k8s.io/api/core/v1"

// PodInfo is a Pod with what it asks of a node, worked out once: a scheduler
// compares it with thousands of nodes. (Kubernetes: PodInfo in
// pkg/scheduler/framework/types.go.)
type PodInfo struct {
	*corev1.Pod
	Priority int32
	Requests Amounts
	NonZero  Amounts // as Requests, for scores: one that says nothing takes some
	counted  Amounts // as NonZero, once it is on a node
	Ports    []HostPort
	Terms    Terms
	Leaving  bool   // it is about to go
	node     string // on which it is counted
}

// NewPodInfo works out what a Pod asks for.
func NewPodInfo(pod *corev1.Pod) *PodInfo {
	p := &PodInfo{
		Pod: pod, Requests: requestsOf(&pod.Spec), Ports: hostPortsOf(pod),
		NonZero: guessForScore(pod.Spec), counted: guessOnNode(&pod.Spec),
		Terms: termsOf(pod), Leaving: pod.DeletionTimestamp != nil,
	}
	if pod.Spec.Priority != nil {
		p.Priority = *pod.Spec.Priority
	}
	return p
}

// IsAssumed reports whether a Pod is counted on a node before its binding was
// heard of.
func (p *PodInfo) IsAssumed() bool { return p.Spec.NodeName == "" }

// On returns the name of the node on which the Pod is counted.
func (p *PodInfo) On() string { return p.node }
