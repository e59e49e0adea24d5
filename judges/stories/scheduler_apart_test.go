package stories

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
)

// leaveOut takes the things out of a world that the two are known to see
// differently, on purpose or because no user will meet them:
//
//   - Two Pods on a node with the same port of it, which only a user who goes
//     past all schedulers can bring about. When preemption asks what if one left,
//     Kubernetes takes the port to be free: it keeps a set. The book counts.
//   - A Pod that leaves already, or a constraint that is about all Pods: neither
//     is counted for a spread. When preemption asks what if the Pod left, or one
//     that was promised the node came, Kubernetes counts it nevertheless, and is
//     off by one. The book does not.
//   - A Pod with a promise of a node that it says it cannot be on. Kubernetes asks
//     that node too, only to hear so.
//
// And the dice do not throw:
//
//   - A claim that has a volume which is not there. Of all nodes at once,
//     Kubernetes says that it was not found; the book says of each why not.
//   - Volumes that differ in their modes. Of several claims, the book's get those
//     with the fewest modes first, as the volume controller has it; Kubernetes'
//     scheduler looks at nothing but their size.
//   - Volumes with labels of a zone, classes with topologies, drivers that say how
//     much is left, ephemeral claims that are still to be made.
//   - A claim for one Pod only, held by one that is less important: Kubernetes
//     sends that away, in the book the other waits.
//   - A preferred term that compares with what is no number. Kubernetes' scheduler
//     has an error then and tries again for ever; in the book it is not true.
//   - An owner or a Service that no longer selects the Pod it made.
//   - A Pod on a node whose containers have been resized in place, and a toleration
//     that compares numbers, which is behind a gate.
func (w *world) leaveOut() {
	w.leaveOutSharedPorts()
	if namesNodes(w.pod) {
		w.pod.Status.NominatedNodeName = ""
	}
	if len(w.promised) > 0 || slices.ContainsFunc(append(w.pods, w.pod), hasRank) {
		w.leaveOutUncounted()
	}
}

func (w *world) leaveOutSharedPorts() {
	type port struct {
		node, ip string
		protocol corev1.Protocol
		port     int32
	}
	owners := map[port]*corev1.Pod{}
	for _, pod := range w.pods {
		for _, containers := range [][]corev1.Container{
			pod.Spec.InitContainers, pod.Spec.Containers,
		} {
			for _, c := range containers {
				for i := range c.Ports {
					p := &c.Ports[i]
					at := port{pod.Spec.NodeName, p.HostIP, p.Protocol, p.HostPort}
					if at.ip == "0.0.0.0" {
						at.ip = ""
					}
					if owner := owners[at]; owner != nil && owner != pod {
						p.HostPort = 0
					}
					owners[at] = pod
				}
			}
		}
	}
}

func namesNodes(pod *corev1.Pod) bool {
	a := pod.Spec.Affinity
	if a == nil || a.NodeAffinity == nil ||
		a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return false
	}
	for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		if len(term.MatchFields) > 0 {
			return true
		}
	}
	return false
}

func hasRank(pod *corev1.Pod) bool { return pod.Spec.Priority != nil }

func (w *world) leaveOutUncounted() {
	constraints := w.pod.Spec.TopologySpreadConstraints
	for i := range constraints {
		s := constraints[i].LabelSelector
		if s != nil && len(s.MatchLabels)+len(s.MatchExpressions) == 0 {
			s.MatchLabels = map[string]string{"app": "web"}
		}
	}
	for _, pod := range w.pods {
		if len(constraints) > 0 && pod.DeletionTimestamp != nil {
			pod.DeletionTimestamp = nil
		}
	}
}
