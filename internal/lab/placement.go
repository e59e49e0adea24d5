package lab

import (
	"context"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	controlloop "reconcile/chapters/01-control-loop"
)

// placement is chapter 1's FirstCome for a node that may be closed to new Pods:
// kubectl cordon and kubectl drain are of no use if they come back.
type placement struct {
	*controlloop.FirstCome
	nodes *controlloop.Indexer
}

func newPlacement(s *controlloop.System, node string) *controlloop.Controller {
	nodes := s.Informer(nodeKind, controlloop.ListOptions{
		Fields: fields.OneTermEqualSelector(metav1.ObjectNameField, node),
	})
	c := controlloop.NewFirstCome(s, node)
	firstCome := c.Reconciler.(*controlloop.FirstCome)
	c.Reconciler = &placement{firstCome, nodes.Cache}
	c.Watch(nodes, func(controlloop.Object) (waiting []controlloop.Key) {
		for _, pod := range firstCome.Pods.List() {
			waiting = append(waiting, controlloop.KeyOf(pod))
		}
		return waiting
	})
	return c
}

// Reconcile implements controlloop.Reconciler.
func (p *placement) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	node, there := p.nodes.Get(controlloop.Key{Name: p.Node})
	pod, waits := p.Pods.Get(key)
	if !there || !waits || !takes(node.(*corev1.Node), pod.(*corev1.Pod)) {
		return controlloop.Result{}, nil // a change of either brings us back
	}
	return p.FirstCome.Reconcile(ctx, key)
}

// takes reports whether a node is open to a Pod.
func takes(node *corev1.Node, pod *corev1.Pod) bool {
	taints := node.Spec.Taints
	if node.Spec.Unschedulable {
		taints = append(slices.Clip(taints), corev1.Taint{
			Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule,
		})
	}
	return !slices.ContainsFunc(taints, func(taint corev1.Taint) bool {
		return taint.Effect != corev1.TaintEffectPreferNoSchedule &&
			!tolerates(pod, taint)
	}) && hasLabels(node, pod.Spec.NodeSelector)
}

func tolerates(pod *corev1.Pod, taint corev1.Taint) bool {
	return slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool {
		switch {
		case t.Effect != "" && t.Effect != taint.Effect,
			t.Key != "" && t.Key != taint.Key:
			return false
		case t.Operator == corev1.TolerationOpExists:
			return true
		}
		return t.Key != "" && t.Value == taint.Value
	})
}

func hasLabels(node *corev1.Node, want map[string]string) bool {
	for key, value := range want {
		if has, ok := node.Labels[key]; !ok || has != value {
			return false
		}
	}
	return true
}
