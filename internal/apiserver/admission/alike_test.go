package admission_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestAPodIsToldWhichOthersAreLikeIt(t *testing.T) {
	selector := func() *metav1.LabelSelector {
		return &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	}
	term := func(keys, not []string) corev1.PodAffinityTerm {
		return corev1.PodAffinityTerm{
			TopologyKey: "zone", LabelSelector: selector(),
			MatchLabelKeys: keys, MismatchLabelKeys: not,
		}
	}
	with := func(s *metav1.LabelSelector, operator string) *metav1.LabelSelector {
		s.MatchExpressions = []metav1.LabelSelectorRequirement{{
			Key: "hash", Operator: metav1.LabelSelectorOperator(operator),
			Values: []string{"5d9f"},
		}}
		return s
	}
	inLimits(t, nil, func(l limited) {
		mine := pod("web", nil, nil)
		mine.Labels = map[string]string{"app": "web", "hash": "5d9f"}
		nobody := term([]string{"hash"}, nil)
		nobody.LabelSelector = nil
		mine.Spec.Affinity = &corev1.Affinity{
			PodAffinity: &corev1.PodAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
					term([]string{"hash", "absent"}, nil), nobody,
				},
			},
			PodAntiAffinity: &corev1.PodAntiAffinity{
				PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{
					{Weight: 1, PodAffinityTerm: term(nil, []string{"hash"})},
				},
			},
		}
		mine.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{
			{TopologyKey: "zone", LabelSelector: selector(), MatchLabelKeys: []string{"hash"}},
			{TopologyKey: "host", LabelSelector: selector()},
		}
		got, err := l.admitted(mine)
		require.NoError(t, err)
		near := got.Spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
		assert.Equal(t, with(selector(), "In"), near[0].LabelSelector)
		assert.Nil(t, near[1].LabelSelector)
		far := got.Spec.Affinity.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution
		assert.Equal(t, with(selector(), "NotIn"), far[0].PodAffinityTerm.LabelSelector)
		spread := got.Spec.TopologySpreadConstraints
		assert.Equal(t, with(selector(), "In"), spread[0].LabelSelector)
		assert.Equal(t, selector(), spread[1].LabelSelector)
	})
}
