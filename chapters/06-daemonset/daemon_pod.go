package daemonset

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// templateGeneration is on the Pods of sets that count their templates, as all
// did before there were revisions.
const templateGeneration = "pod-template-generation"

// templateFor returns the template of a set's Pods, with the hash of its revision
// and the tolerations of every daemon. (Kubernetes: CreatePodTemplate in
// pkg/controller/daemon/util/daemonset_util.go.)
func templateFor(ds *appsv1.DaemonSet, hash string) *corev1.PodTemplateSpec {
	template := ds.Spec.Template.DeepCopy()
	for _, t := range daemonTolerations(&template.Spec) {
		addOrUpdateToleration(&template.Spec, t)
	}
	if template.Labels == nil {
		template.Labels = map[string]string{}
	}
	if n, ok := ds.Annotations[appsv1.DeprecatedTemplateGeneration]; ok {
		template.Labels[templateGeneration] = n
	}
	template.Labels[appsv1.ControllerRevisionHashLabelKey] = hash
	return template
}

// daemonTolerations returns what every daemon tolerates: it is not evicted from a
// node that is not ready or unreachable, and is scheduled to one that is under
// pressure or cordoned. A Pod on its host's network may be the plug-in that a
// network waits for. (Kubernetes: AddOrUpdateDaemonPodTolerations in
// pkg/controller/daemon/util/daemonset_util.go.)
func daemonTolerations(spec *corev1.PodSpec) []corev1.Toleration {
	tolerations := func(
		effect corev1.TaintEffect, keys ...string,
	) (all []corev1.Toleration) {
		for _, key := range keys {
			all = append(all, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists, Effect: effect,
			})
		}
		return all
	}
	all := append(tolerations(corev1.TaintEffectNoExecute,
		corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable,
	), tolerations(corev1.TaintEffectNoSchedule,
		corev1.TaintNodeDiskPressure, corev1.TaintNodeMemoryPressure,
		corev1.TaintNodePIDPressure, corev1.TaintNodeUnschedulable,
	)...)
	if spec.HostNetwork {
		all = append(all, tolerations(corev1.TaintEffectNoSchedule,
			corev1.TaintNodeNetworkUnavailable)...)
	}
	return all
}

// addOrUpdateToleration adds a toleration, or replaces those of the same taint,
// which may end.
func addOrUpdateToleration(spec *corev1.PodSpec, t corev1.Toleration) {
	has := false
	for i := range spec.Tolerations {
		if t.MatchToleration(&spec.Tolerations[i]) {
			spec.Tolerations[i], has = t, true
		}
	}
	if !has {
		spec.Tolerations = append(spec.Tolerations, t)
	}
}

// newDaemonPod returns the Pod of a node. It does not set the node: node affinity
// allows no other, and the scheduler finds out whether the Pod fits. (Kubernetes:
// ReplaceDaemonSetPodNodeNameNodeAffinity in
// pkg/controller/daemon/util/daemonset_util.go.)
func newDaemonPod(
	ds *appsv1.DaemonSet, template *corev1.PodTemplateSpec, node string,
) *corev1.Pod {
	pod := controlloop.PodFrom(template, ds, DaemonSetKind)
	affinity := &pod.Spec.Affinity
	if *affinity == nil {
		*affinity = &corev1.Affinity{}
	}
	if (*affinity).NodeAffinity == nil {
		(*affinity).NodeAffinity = &corev1.NodeAffinity{}
	}
	(*affinity).NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution =
		&corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchFields: []corev1.NodeSelectorRequirement{{
				Key:      metav1.ObjectNameField,
				Operator: corev1.NodeSelectorOpIn,
				Values:   []string{node},
			}},
		}}}
	return pod
}

// targetNode returns the node that a Pod is on or, until it is scheduled, the only
// one that its affinity allows; "" if there is no such node. (Kubernetes:
// GetTargetNodeName in pkg/controller/daemon/util/daemonset_util.go.)
func targetNode(pod *corev1.Pod) string {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	required := RequiredNodes(&pod.Spec)
	if required == nil {
		return ""
	}
	for _, term := range required.NodeSelectorTerms {
		for _, says := range term.MatchFields {
			if says.Key == metav1.ObjectNameField &&
				says.Operator == corev1.NodeSelectorOpIn {
				return onlyOne(says.Values)
			}
		}
	}
	return ""
}

func onlyOne(values []string) string {
	if len(values) != 1 {
		return ""
	}
	return values[0]
}
