package controlloop_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// mustBind returns the Pod as it is on its node.
func mustBind(t *testing.T, s *controlloop.Store, pod *corev1.Pod, node string) *corev1.Pod {
	t.Helper()
	require.NoError(t, s.Bind(t.Context(), controlloop.NewBinding(pod, node)))
	obj, err := s.Get(t.Context(), controlloop.PodKind, controlloop.KeyOf(pod))
	require.NoError(t, err)
	return obj.(*corev1.Pod)
}

func TestABindingIsNoChangeThatGenerationCounts(t *testing.T) {
	s, writes := written()
	pod := mustBind(t, s, mustCreate(t, s, kubetest.Pod("web")), "node-1")
	assert.Equal(t, "node-1", pod.Spec.NodeName)
	assert.EqualValues(t, 1, pod.Generation)
	assert.Equal(t, "2", pod.ResourceVersion)
	require.Len(t, *writes, 2)
	assert.Equal(t, watch.Modified, (*writes)[1].Type)
	pod = mustUpdate(t, s, edited(pod, func(p *corev1.Pod) { p.Spec.Containers[0].Image = "nginx:1.28" }))
	assert.EqualValues(t, 2, pod.Generation, "an edit does count")
}

func TestAPodThatIsBoundIsScheduledAndPromisedToNoNode(t *testing.T) {
	s, _ := written()
	pod := mustCreate(t, s, kubetest.Pod("web"))
	pod = mustUpdateStatus(t, s, edited(pod, func(p *corev1.Pod) {
		p.Status.NominatedNodeName = "node-2"
		p.Status.Conditions = []corev1.PodCondition{{
			Type: corev1.PodScheduled, Status: corev1.ConditionFalse,
			Reason: corev1.PodReasonUnschedulable, Message: "0/2 nodes are available",
		}}
	}))
	status := mustBind(t, s, pod, "node-1").Status
	assert.Empty(t, status.NominatedNodeName)
	assert.Equal(t, []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionTrue,
		LastTransitionTime: status.Conditions[0].LastTransitionTime,
	}}, status.Conditions)
	assert.False(t, status.Conditions[0].LastTransitionTime.IsZero())
}

func TestABindingBringsLabelsAndAnnotations(t *testing.T) {
	for name, test := range map[string]struct{ has, brings, want map[string]string }{
		"to none":        {nil, map[string]string{"b": "2"}, map[string]string{"b": "2"}},
		"none":           {map[string]string{"a": "1"}, nil, map[string]string{"a": "1"}},
		"others' values": {map[string]string{"a": "1", "b": "1"}, map[string]string{"b": "2"}, map[string]string{"a": "1", "b": "2"}},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := written()
			pod := kubetest.Pod("web")
			pod.Labels, pod.Annotations = test.has, test.has
			binding := controlloop.NewBinding(mustCreate(t, s, pod), "node-1")
			binding.Labels, binding.Annotations = test.brings, test.brings
			require.NoError(t, s.Bind(t.Context(), binding))
			obj, err := s.Get(t.Context(), controlloop.PodKind, kubetest.Named("web"))
			require.NoError(t, err)
			assert.Equal(t, test.want, obj.GetLabels())
			assert.Equal(t, test.want, obj.GetAnnotations())
		})
	}
}

func TestAPodThatIsGoingOrHasGatesIsNotBound(t *testing.T) {
	for want, change := range map[string]func(*corev1.Pod){
		"pod web is being deleted, cannot be assigned to a host": held,
		"pod web has non-empty .spec.schedulingGates": func(p *corev1.Pod) {
			p.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/gate"}}
		},
	} {
		s, _ := written()
		pod := mustCreate(t, s, edited(kubetest.Pod("web"), change))
		if len(pod.Finalizers) > 0 {
			require.NoError(t, s.Delete(t.Context(), controlloop.PodKind,
				controlloop.KeyOf(pod), metav1.DeleteOptions{}))
		}
		assert.EqualError(t, s.Bind(t.Context(), controlloop.NewBinding(pod, "node-1")),
			`Operation cannot be fulfilled on pods/binding "web": `+want)
	}
}

// What is said of a Pod meanwhile is no reason to refuse its node.
func TestABindingNeedNotNameTheNewestVersion(t *testing.T) {
	s, _ := written()
	pod := mustCreate(t, s, kubetest.Pod("web"))
	mustUpdate(t, s, edited(pod, func(p *corev1.Pod) { p.Labels = map[string]string{"seen": "yes"} }))
	bound := mustBind(t, s, pod, "node-1")
	assert.Equal(t, map[string]string{"seen": "yes"}, bound.Labels)
}
