package kubetest

import (
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// bound returns the Pod as it is on its node.
func bound(c tried, pod *corev1.Pod, node string) *corev1.Pod {
	c.Helper()
	require.NoError(c, c.Bind(c.Context(), controlloop.NewBinding(pod, node)))
	return c.now(controlloop.PodKind, controlloop.KeyOf(pod)).(*corev1.Pod)
}

var bindings = []claim{
	{"A binding is no change that generation counts", func(c tried) {
		pod := bound(c, made(c, Pod("web")), "node-1")
		assert.Equal(c, "node-1", pod.Spec.NodeName)
		assert.EqualValues(c, 1, pod.Generation)
		pod = updated(c, edited(pod, func(p *corev1.Pod) { p.Spec.Containers[0].Image = "nginx:1.28" }))
		assert.EqualValues(c, 2, pod.Generation, "an edit does count")
	}},
	{"A Pod that is bound is scheduled and promised to no node", func(c tried) {
		pod := made(c, Pod("web"))
		pod = told(c, edited(pod, func(p *corev1.Pod) {
			p.Status.NominatedNodeName = "node-2"
			p.Status.Conditions = []corev1.PodCondition{{
				Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
				Reason: corev1.PodReasonUnschedulable, Message: "0/2 nodes are available",
			}}
		}))
		status := bound(c, pod, "node-1").Status
		assert.Empty(c, status.NominatedNodeName)
		assert.Equal(c, []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionTrue,
			LastTransitionTime: status.Conditions[0].LastTransitionTime,
		}}, status.Conditions)
		assert.False(c, status.Conditions[0].LastTransitionTime.IsZero())
	}},
	{"A binding brings labels and annotations", func(c tried) {
		for name, test := range map[string]struct{ has, brings, want map[string]string }{
			"to-none":        {nil, map[string]string{"b": "2"}, map[string]string{"b": "2"}},
			"none":           {map[string]string{"a": "1"}, nil, map[string]string{"a": "1"}},
			"others--values": {map[string]string{"a": "1", "b": "1"}, map[string]string{"b": "2"}, map[string]string{"a": "1", "b": "2"}},
		} {
			pod := Pod(name)
			pod.Labels, pod.Annotations = test.has, test.has
			binding := controlloop.NewBinding(made(c, pod), "node-1")
			binding.Labels, binding.Annotations = test.brings, test.brings
			require.NoError(c, c.Bind(c.Context(), binding))
			obj := c.now(controlloop.PodKind, Named(name))
			assert.Equal(c, test.want, obj.GetLabels())
			assert.Equal(c, test.want, obj.GetAnnotations())
		}
	}},
	{"A Pod that goes or has gates is not bound", func(c tried) {
		for want, change := range map[string]func(*corev1.Pod){
			"pod gone is being deleted, cannot be assigned to a host": func(p *corev1.Pod) {
				p.Name = "gone"
				held(p)
			},
			"pod gated has non-empty .spec.schedulingGates": func(p *corev1.Pod) {
				p.Name = "gated"
				p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/gate"}}
			},
		} {
			pod := made(c, edited(Pod("web"), change))
			if len(pod.Finalizers) > 0 {
				require.NoError(c, c.Delete(c.Context(), controlloop.PodKind,
					controlloop.KeyOf(pod), metav1.DeleteOptions{}))
			}
			assert.EqualError(c, c.Bind(c.Context(), controlloop.NewBinding(pod, "node-1")),
				`Operation cannot be fulfilled on pods/binding "`+pod.Name+`": `+want)
		}
	}},
	// What is said of a Pod meanwhile is no reason to refuse its node.
	{"A binding need not name the newest version", func(c tried) {
		pod := made(c, Pod("web"))
		updated(c, edited(pod, func(p *corev1.Pod) { p.Labels = map[string]string{"seen": "yes"} }))
		assert.Equal(c, map[string]string{"seen": "yes"}, bound(c, pod, "node-1").Labels)
	}},
}
