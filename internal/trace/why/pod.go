package why

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"

	controlloop "reconcile/chapters/01-control-loop"
)

// pod says what a Pod waits for until it is ready.
func (w *walk) pod(p *corev1.Pod) bool {
	if controlloop.HasEnded(p) || controlloop.IsReady(p) {
		return false
	}
	if p.Spec.NodeName == "" {
		return w.unscheduled(p)
	}
	w.say(p, "is on %s, %s", p.Spec.NodeName, phase(p))
	node, there := named[*corev1.Node](w.World, "", p.Spec.NodeName)
	switch {
	case !there:
		return w.nodeless(p)
	case w.lost(node):
		return true
	case w.held("kubelet " + node.Name):
		return w.loop("kubelet "+node.Name, p)
	}
	return w.mounts(p) || w.containers(p) || w.gates(p) || w.loop("kubelet "+node.Name, p)
}

// nodeless ends the chain at the loop that deletes the Pods of a node that is gone.
func (w *walk) nodeless(p *corev1.Pod) bool {
	w.more("there is no such node")
	return w.keyed("pod-garbage-collector-controller", p.Spec.NodeName, "Pod")
}

// held reports whether a loop does nothing.
func (w *walk) held(lane string) bool {
	state, runs := w.Look.State(lane)
	return !runs || state.Hold == "paused" || state.Hold == "crashed"
}

// phase is a Pod's state, as kubectl get pods has it, in short.
func phase(p *corev1.Pod) string {
	for _, c := range statuses(p) {
		if c.State.Waiting != nil && c.State.Waiting.Reason != "" {
			return c.State.Waiting.Reason
		}
	}
	return string(p.Status.Phase)
}

func statuses(p *corev1.Pod) []corev1.ContainerStatus {
	return slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses)
}

// mounts goes on to what a Pod's volumes, and its variables, are made of.
func (w *walk) mounts(p *corev1.Pod) bool {
	if !slices.Contains([]string{"Pending", "ContainerCreating", "PodInitializing"}, phase(p)) {
		return false // they are there
	}
	for _, v := range p.Spec.Volumes {
		switch {
		case !isMounted(p, v.Name):
		case v.PersistentVolumeClaim != nil:
			if w.claimOf(p, v.PersistentVolumeClaim.ClaimName) {
				return true
			}
		case v.ConfigMap != nil && !isTrue(v.ConfigMap.Optional):
			if w.missing(p, "ConfigMap", v.ConfigMap.Name) {
				return true
			}
		case v.Secret != nil && !isTrue(v.Secret.Optional):
			if w.missing(p, "Secret", v.Secret.SecretName) {
				return true
			}
		}
	}
	if words := w.told(p, "FailedMount", "FailedAttachVolume"); words != "" {
		w.more("%s", words)
		return w.end(Refused, "")
	}
	return false
}

// isMounted reports whether a container mounts a volume: a kubelet leaves the others.
func isMounted(p *corev1.Pod, volume string) bool {
	return slices.ContainsFunc(slices.Concat(p.Spec.InitContainers, p.Spec.Containers), func(c corev1.Container) bool {
		return slices.ContainsFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == volume })
	})
}

// missing ends the chain at an object that a Pod names, and that isn't there.
func (w *walk) missing(p *corev1.Pod, kind, name string) bool {
	if w.find(kind, p.Namespace+"/"+name) != nil {
		return false
	}
	w.link(kind+" "+p.Namespace+"/"+name, "isn't there, and the Pod names it")
	return w.end(Object, "kubectl create %s%s", create[kind]+name, in(p))
}

// create has a kind's words in kubectl create.
var create = map[string]string{"ConfigMap": "configmap ", "Secret": "secret generic "}

func isTrue(b *bool) bool { return ptr.Deref(b, false) }

// gates says which condition a Pod wants besides.
func (w *walk) gates(p *corev1.Pod) bool {
	for _, gate := range p.Spec.ReadinessGates {
		if c := controlloop.PodCondition(p, gate.ConditionType); c == nil || c.Status != corev1.ConditionTrue {
			w.more("its readiness gate %s isn't true, which whoever asked for it has to write", gate.ConditionType)
			return w.end(Unready, "")
		}
	}
	return false
}
