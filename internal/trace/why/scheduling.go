package why

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// unscheduled says why a Pod has no node.
func (w *walk) unscheduled(p *corev1.Pod) bool {
	w.say(p, "has no node")
	if w.gated(p) || w.nominated(p) {
		return true
	}
	c := controlloop.PodCondition(p, corev1.PodScheduled)
	if c == nil || c.Status != corev1.ConditionFalse || w.held("scheduler") {
		return w.loop("scheduler", p)
	}
	for _, v := range p.Spec.Volumes {
		if v.PersistentVolumeClaim != nil && w.claimOf(p, v.PersistentVolumeClaim.ClaimName) {
			return true
		}
	}
	return w.decided(p, c.Message)
}

// gated says who has to let a Pod be scheduled, or that its scheduler isn't there.
func (w *walk) gated(p *corev1.Pod) bool {
	if len(p.Spec.SchedulingGates) > 0 {
		w.more("its scheduling gate %s is closed, which whoever put it there opens", p.Spec.SchedulingGates[0].Name)
		return w.end(Stopped, `kubectl patch %s --type=json -p '[{"op":"remove","path":"/spec/schedulingGates"}]'`, kubectlName(p))
	}
	name := cmp.Or(p.Spec.SchedulerName, corev1.DefaultSchedulerName)
	if _, runs := w.Look.State(name); !runs && name != corev1.DefaultSchedulerName {
		w.more("it wants the scheduler %s, and there is none of that name", name)
		return w.end(Nobody, "")
	}
	return false
}

// nominated goes on to the Pods that make room for one.
func (w *walk) nominated(p *corev1.Pod) bool {
	name := p.Status.NominatedNodeName
	if name == "" {
		return false
	}
	w.more("a place on %s is made for it", name)
	return w.worst(asObjects(all(w.World, func(other *corev1.Pod) bool {
		return other.Spec.NodeName == name && other.DeletionTimestamp != nil
	})...)...)
}

// decided ends the chain with what the scheduler has said of a Pod, unless it is about to
// decide anew.
func (w *walk) decided(p *corev1.Pod, words string) bool {
	state, _ := w.Look.State("scheduler")
	if state.Length+len(state.Running) > 0 || slices.ContainsFunc(decidedBy, func(kind string) bool { return w.Look.Behind(kind) > 0 }) {
		return w.loop("scheduler", p)
	}
	w.more("%s", words)
	return w.refusal(p, words)
}

// decidedBy are the kinds that a decision goes by.
var decidedBy = []string{"Pod", "Node", "PersistentVolumeClaim", "PersistentVolume", "StorageClass"}

// refusal ends the chain with what would change the scheduler's mind: the first of its
// reasons that is somebody's wish, or that a command can meet.
func (w *walk) refusal(p *corev1.Pod, words string) bool {
	info := cache.NewPodInfo(p)
	nodes := all(w.World, func(n *corev1.Node) bool { return len(scheduler.Shortages(cache.NewNode(n), info)) == 0 })
	if len(nodes) == 0 && strings.Contains(words, "Insufficient") {
		w.more("it wants more than any node has")
		return w.end(Refused, "")
	}
	nodes = slices.DeleteFunc(nodes, func(n *corev1.Node) bool { return !w.reaches(n, p) })
	for _, n := range nodes {
		if n.Spec.Unschedulable && strings.Contains(words, "were unschedulable") {
			return w.end(Stopped, "kubectl uncordon %s", n.Name)
		}
		taint := daemonset.Untolerated(n, p.Spec.Tolerations, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)
		switch {
		case taint == nil, !strings.Contains(words, "untolerated taint"):
		case w.lost(n):
			return true
		default:
			return w.end(Refused, "kubectl taint nodes %s %s-", n.Name, taint.Key)
		}
	}
	_, pinned := p.Spec.NodeSelector[corev1.LabelHostname]
	if owner := metav1.GetControllerOf(p); pinned || owner != nil && owner.Kind == "DaemonSet" {
		return w.end(Refused, "") // no other node will do
	}
	for _, n := range nodes {
		if want := labels.SelectorFromSet(p.Spec.NodeSelector); !want.Matches(labels.Set(n.Labels)) {
			return w.end(Refused, "kubectl label nodes %s %s", n.Name, pairs(p.Spec.NodeSelector))
		}
	}
	for _, more := range []string{"no nodes available", "No preemption victims", "preemptionPolicy=Never"} {
		if strings.Contains(words, more) {
			return w.end(Refused, "lab node add")
		}
	}
	return w.end(Refused, "")
}

// reaches reports whether a node has the disks of a Pod, as far as they are bound.
func (w *walk) reaches(n *corev1.Node, p *corev1.Pod) bool {
	for _, v := range all(w.World, func(v *corev1.PersistentVolume) bool { return v.Spec.NodeAffinity != nil }) {
		claim := v.Spec.ClaimRef
		if claim == nil || !uses(p, &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: claim.Namespace, Name: claim.Name}}) {
			continue
		}
		where, err := nodeaffinity.NewNodeSelector(v.Spec.NodeAffinity.Required)
		if err == nil && !where.Match(n) {
			return false
		}
	}
	return true
}

// nowhere says why no node can have a Pod of a DaemonSet.
func (w *walk) nowhere(spec *corev1.PodSpec) bool {
	for _, n := range all(w.World, func(*corev1.Node) bool { return true }) {
		if !daemonset.Wants(spec, n) {
			if len(spec.NodeSelector) == 0 {
				w.more("its node affinity fits no node")
				return w.end(Stopped, "")
			}
			w.more("its nodeSelector, %s, fits no node", pairs(spec.NodeSelector))
			return w.end(Stopped, "kubectl label nodes %s %s", n.Name, pairs(spec.NodeSelector))
		}
		taint := daemonset.Untolerated(n, spec.Tolerations, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute)
		if taint != nil {
			w.more("it doesn't tolerate the taint %s of %s", taint.ToString(), n.Name)
			return w.end(Refused, "kubectl taint nodes %s %s-", n.Name, taint.Key)
		}
	}
	w.more("there is no node that it wants")
	return w.end(Object, "lab node add")
}

func pairs(labels map[string]string) string {
	var all []string
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		all = append(all, name+"="+labels[name])
	}
	return strings.Join(all, " ")
}
