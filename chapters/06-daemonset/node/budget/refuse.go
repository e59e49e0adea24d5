package budget

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
)

// Of returns the one budget that is about a Pod, or nil. Fails with 500 where
// there are two.
func Of(
	ctx context.Context, client controlloop.Client, pod *corev1.Pod,
) (found *policyv1.PodDisruptionBudget, _ error) {
	all, err := client.List(ctx, daemonset.BudgetKind,
		controlloop.ListOptions{Namespace: pod.Namespace})
	if err != nil {
		return nil, err
	}
	for _, obj := range all.Items {
		pdb := obj.(*policyv1.PodDisruptionBudget)
		if !Covers(pdb, pod) {
			continue
		}
		if found != nil {
			return nil, &apierrors.StatusError{ErrStatus: metav1.Status{
				Status: metav1.StatusFailure,
				Code:   http.StatusInternalServerError,
				Message: "This pod has more than one PodDisruptionBudget, " +
					"which the eviction subresource does not support.",
			}}
		}
		found = pdb
	}
	return found, nil
}

// tooManyPromised is how many deletions may wait for the budget's controller.
const tooManyPromised = 2000

// Refuses returns why a budget lets no Pod go, as Kubernetes says it, or nil.
func Refuses(budget *policyv1.PodDisruptionBudget) error {
	switch now := &budget.Status; {
	case now.ObservedGeneration < budget.Generation:
		return NotYet(budget)
	case now.DisruptionsAllowed < 0:
		return forbids(budget, "pdb disruptions allowed is negative",
			"pdb disruptions allowed is negative")
	case len(now.DisruptedPods) > tooManyPromised:
		return forbids(budget, "DisruptedPods map too big - too many "+
			"evictions not confirmed by PDB controller",
			"too many pending evictions not confirmed by PDB controller")
	case now.DisruptionsAllowed == 0:
		return violates(0, reasonOf(budget))
	}
	return nil
}

// violates returns the answer that kubectl drain waits at.
func violates(seconds int, cause string) error {
	err := apierrors.NewTooManyRequests("Cannot evict pod as it would "+
		"violate the pod's disruption budget.", seconds)
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes,
		metav1.StatusCause{
			Type: policyv1.DisruptionBudgetCause, Message: cause,
		})
	return err
}

// NotYet returns the answer while a budget has not been counted since it was
// edited.
func NotYet(budget *policyv1.PodDisruptionBudget) error {
	return violates(10, fmt.Sprintf("The disruption budget %s is still "+
		"being processed by the server.", budget.Name))
}

func forbids(budget *policyv1.PodDisruptionBudget, why, cause string) error {
	err := apierrors.NewForbidden(schema.GroupResource{
		Group: policyv1.GroupName, Resource: "poddisruptionbudget",
	}, budget.Name, errors.New(why))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes,
		metav1.StatusCause{
			Type: policyv1.DisruptionBudgetCause,
			Message: fmt.Sprintf("The disruption budget %s does not allow "+
				"evicting pods currently: %s", budget.Name, cause),
		})
	return err
}

// reasonOf says why a budget allows nothing. Its count is not worth
// telling where it could not count.
func reasonOf(budget *policyv1.PodDisruptionBudget) string {
	const no = "The disruption budget %s does not allow evicting pods currently"
	now := &budget.Status
	c := meta.FindStatusCondition(
		now.Conditions, policyv1.DisruptionAllowedCondition)
	says := c != nil && c.Status == metav1.ConditionFalse && c.Message != ""
	switch {
	case says && c.Reason == policyv1.SyncFailedReason:
		return fmt.Sprintf(no+" because it failed sync: %s",
			budget.Name, c.Message)
	case now.CurrentHealthy <= now.DesiredHealthy:
		return fmt.Sprintf("The disruption budget %s needs %d healthy pods "+
			"and has %d currently",
			budget.Name, now.DesiredHealthy, now.CurrentHealthy)
	case says:
		return fmt.Sprintf(no+" (%s): %s", budget.Name, c.Reason, c.Message)
	}
	return fmt.Sprintf(no, budget.Name)
}
