package columns_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"reconcile/internal/apiserver/columns"
)

func TestABudgetSaysOneOfTwoThings(t *testing.T) {
	b := &policyv1.PodDisruptionBudget{
		ObjectMeta: web,
		Spec: policyv1.PodDisruptionBudgetSpec{
			MinAvailable: new(intstr.FromString("50%")),
		},
		Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: 2},
	}
	assert.Equal(t, []any{"web", "50%", "N/A", int64(2), "5m"},
		cells(columns.PodDisruptionBudget, b))
	b.Spec = policyv1.PodDisruptionBudgetSpec{MaxUnavailable: new(intstr.FromInt32(1))}
	assert.Equal(t, []any{"web", "N/A", "1", int64(2), "5m"},
		cells(columns.PodDisruptionBudget, b))
}

func TestAPriorityIsShownWithItsValue(t *testing.T) {
	p := &schedulingv1.PriorityClass{
		ObjectMeta: web, Value: -5, GlobalDefault: true,
		PreemptionPolicy: new(corev1.PreemptNever),
	}
	assert.Equal(t, []any{"web", int64(-5), true, "5m", "Never"},
		cells(columns.PriorityClass, p))
}
