package admission_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/apiserver/admission"
)

// admitted returns what is stored of a Pod.
func (l limited) admitted(pod *corev1.Pod) (*corev1.Pod, error) {
	was := pod.DeepCopy()
	obj, err := admission.Admit(l.Context(), l.store, pod, false)
	assert.Equal(l, was, pod, "it is not ours to change")
	if err != nil {
		return nil, err
	}
	return obj.(*corev1.Pod), nil
}

func staying(taint string, seconds int64) corev1.Toleration {
	return corev1.Toleration{
		Key: taint, Operator: "Exists", Effect: "NoExecute", TolerationSeconds: &seconds,
	}
}

func TestAPodIsGivenWhatItCannotKnowOfItself(t *testing.T) {
	inLimits(t, nil, func(l limited) {
		got, err := l.admitted(pod("web", nil, nil))
		require.NoError(t, err)
		assert.Equal(t, "default", got.Spec.ServiceAccountName)
		assert.EqualValues(t, 0, *got.Spec.Priority)
		assert.Equal(t, corev1.PreemptLowerPriority, *got.Spec.PreemptionPolicy)
		assert.Equal(t, []corev1.Toleration{
			staying("node.kubernetes.io/not-ready", 300),
			staying("node.kubernetes.io/unreachable", 300),
		}, got.Spec.Tolerations)
		again, err := l.admitted(got)
		require.NoError(t, err)
		assert.Equal(t, got, again)
	})
}

func TestWhatAPodSaysOfItsTolerationsCounts(t *testing.T) {
	inLimits(t, nil, func(l limited) {
		mine := pod("web", nil, nil)
		mine.Spec.Tolerations = []corev1.Toleration{
			staying("node.kubernetes.io/unreachable", 7)}
		got, err := l.admitted(mine)
		require.NoError(t, err)
		assert.Equal(t, []corev1.Toleration{
			staying("node.kubernetes.io/unreachable", 7),
			staying("node.kubernetes.io/not-ready", 300),
		}, got.Spec.Tolerations)
		mine.Spec.Tolerations = []corev1.Toleration{{Operator: "Exists"}}
		got, err = l.admitted(mine)
		require.NoError(t, err)
		assert.Len(t, got.Spec.Tolerations, 1, "it tolerates everything, for ever")
	})
}

func TestAnAccountThatAPodNamesHasToBeThere(t *testing.T) {
	inLimits(t, nil, func(l limited) {
		mine := pod("web", nil, nil)
		mine.Spec.ServiceAccountName = "robot"
		_, err := l.admitted(mine)
		assert.EqualError(t, err, `pods "web" is forbidden: error looking up service `+
			`account default/robot: serviceaccount "robot" not found`)
		l.must(l.store.Create(t.Context(), &corev1.ServiceAccount{
			ObjectMeta:       metav1.ObjectMeta{Name: "robot", Namespace: "default"},
			ImagePullSecrets: []corev1.LocalObjectReference{{Name: "registry"}},
		}))
		got, err := l.admitted(mine)
		require.NoError(t, err)
		assert.Equal(t, "robot", got.Spec.ServiceAccountName)
		assert.Equal(t, "registry", got.Spec.ImagePullSecrets[0].Name)
	})
}

func TestAPriorityIsThatOfItsClass(t *testing.T) {
	inLimits(t, nil, func(l limited) {
		mine := pod("web", nil, nil)
		mine.Spec.PriorityClassName = "urgent"
		_, err := l.admitted(mine)
		assert.EqualError(t, err,
			`pods "web" is forbidden: no PriorityClass with name urgent was found`)
		for name, value := range map[string]int32{"urgent": 1000, "usual": 7, "also": 8, "zero": 0} {
			l.must(l.store.Create(t.Context(), &schedulingv1.PriorityClass{
				ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value,
				GlobalDefault:    name == "usual" || name == "also",
				PreemptionPolicy: new(corev1.PreemptNever),
			}))
		}
		got, err := l.admitted(mine)
		require.NoError(t, err)
		assert.EqualValues(t, 1000, *got.Spec.Priority)
		assert.Equal(t, corev1.PreemptNever, *got.Spec.PreemptionPolicy)
		got, err = l.admitted(pod("web", nil, nil))
		require.NoError(t, err)
		assert.Equal(t, "usual", got.Spec.PriorityClassName,
			"the default of the cluster; of two, the lower")
		assert.EqualValues(t, 7, *got.Spec.Priority)
		mine.Spec.Priority = new(int32(3))
		_, err = l.admitted(mine)
		assert.EqualError(t, err, `pods "web" is forbidden: the integer value of `+
			`priority (3) must not be provided in pod spec; priority admission controller `+
			`computed 1000 from the given PriorityClass name`)
		mine.Spec.Priority, mine.Spec.PreemptionPolicy = nil, new(corev1.PreemptLowerPriority)
		_, err = l.admitted(mine)
		assert.EqualError(t, err, `pods "web" is forbidden: the string value of `+
			`PreemptionPolicy (PreemptLowerPriority) must not be provided in pod spec; `+
			`priority admission controller computed Never from the given PriorityClass name`)
	})
}
