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

// templateFor returns what a set makes its Pods of: its template, of a
// revision, with what every daemon bears. (Kubernetes: CreatePodTemplate in
// pkg/controller/daemon/util/daemonset_util.go.)
func templateFor(ds *appsv1.DaemonSet, hash string) *corev1.PodTemplateSpec {
	template := ds.Spec.Template.DeepCopy()
	for _, t := range borne(&template.Spec) {
		tolerate(&template.Spec, t)
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

// borne returns the taints that no daemon minds: it stays on a node that is not
// ready or has fallen silent, and comes to one that is short of something, or
// takes no other Pods. A Pod on its host's network may be what others wait for
// to have one.
func borne(spec *corev1.PodSpec) []corev1.Toleration {
	bears := func(
		effect corev1.TaintEffect, keys ...string,
	) (all []corev1.Toleration) {
		for _, key := range keys {
			all = append(all, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists, Effect: effect,
			})
		}
		return all
	}
	all := append(bears(corev1.TaintEffectNoExecute,
		corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable,
	), bears(corev1.TaintEffectNoSchedule,
		corev1.TaintNodeDiskPressure, corev1.TaintNodeMemoryPressure,
		corev1.TaintNodePIDPressure, corev1.TaintNodeUnschedulable,
	)...)
	if spec.HostNetwork {
		all = append(all, bears(corev1.TaintEffectNoSchedule,
			corev1.TaintNodeNetworkUnavailable)...)
	}
	return all
}

// tolerate adds a toleration, in the spot of each of the same taint that may
// have an end.
func tolerate(spec *corev1.PodSpec, t corev1.Toleration) {
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

// newPod returns the Pod of a node. It is not put there: it is made so that it
// can go nowhere else, and the scheduler finds out whether there is room.
func newPod(
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

// target returns the node that a Pod is on or, until it is on one, the only one
// to which it can go; "" if that is not said. (Kubernetes: GetTargetNodeName.)
func target(pod *corev1.Pod) string {
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
