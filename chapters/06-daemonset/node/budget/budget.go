// Package budget keeps the status of PodDisruptionBudgets: it counts the Pods
// of each, asks their owners how many they want, and says how many may go. It
// also has the words with which an eviction is refused.
package budget

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/component-helpers/apps/poddisruptionbudget"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
)

// disruptions count what each PodDisruptionBudget can afford to lose.
// (Kubernetes: pkg/controller/disruption/disruption.go.)
type disruptions struct {
	client   controlloop.Client
	recorder controlloop.Recorder
	budgets  *controlloop.Indexer
	pods     *controlloop.Indexer
	scales   scales
}

// New returns the controller that keeps the status of budgets.
func New(s *controlloop.System) *controlloop.Controller {
	budgets := s.Informer(daemonset.BudgetKind, controlloop.ListOptions{})
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	d := &disruptions{
		client: s.Client, budgets: budgets.Cache, pods: pods.Cache,
		recorder: s.RecorderFor("controllermanager", ""),
	}
	c := controlloop.NewController("disruption-controller", d)
	s.Add(c)
	d.scales = newScales(s, c)
	c.Watch(budgets, controlloop.Self)
	c.Watch(pods, d.over)
	return c
}

// over returns the budgets over a Pod. There should not be two.
func (d *disruptions) over(pod controlloop.Object) (keys []controlloop.Key) {
	in := d.budgets.Lookup(controlloop.ByNamespace, pod.GetNamespace())
	for _, obj := range in {
		if Covers(obj.(*policyv1.PodDisruptionBudget), pod) {
			keys = append(keys, controlloop.KeyOf(obj))
		}
	}
	return keys
}

// Covers reports whether a budget is about a Pod of its namespace. A selector
// that is empty is about all, one that is missing about none.
func Covers(
	budget *policyv1.PodDisruptionBudget, pod controlloop.Object,
) bool {
	selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
	return err == nil && selector.Matches(labels.Set(pod.GetLabels()))
}

// Reconcile implements controlloop.Reconciler.
func (d *disruptions) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := d.budgets.Get(key)
	if !ok {
		return controlloop.Result{}, nil
	}
	budget := obj.(*policyv1.PodDisruptionBudget)
	pods := d.covered(budget)
	if len(pods) == 0 {
		d.recorder.Eventf(budget, corev1.EventTypeNormal,
			"NoPods", "No matching pods found")
	}
	expected, desired, err := d.desired(budget, pods)
	if err != nil {
		d.recorder.Eventf(budget, corev1.EventTypeWarning,
			"CalculateExpectedPodCountFailed",
			"Failed to calculate the number of expected pods: %v", err)
		return controlloop.Result{}, d.failSafe(ctx, budget, err)
	}
	promised, after := d.promised(budget, pods)
	next := controlloop.Copy(budget)
	next.Status = policyv1.PodDisruptionBudgetStatus{
		CurrentHealthy: healthy(pods, promised),
		DesiredHealthy: desired, ExpectedPods: expected,
		DisruptedPods: promised, ObservedGeneration: budget.Generation,
		Conditions: next.Status.Conditions,
	}
	next.Status.DisruptionsAllowed = allowed(&next.Status)
	poddisruptionbudget.UpdateDisruptionAllowedCondition(next)
	return controlloop.Result{After: after}, d.store(ctx, next, budget)
}

// store writes a status that is not what it was.
func (d *disruptions) store(
	ctx context.Context, next, was *policyv1.PodDisruptionBudget,
) error {
	if equality.Semantic.DeepEqual(next.Status, was.Status) {
		return nil
	}
	_, err := d.client.UpdateStatus(ctx, next)
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// covered returns the Pods that a budget is about, sorted.
func (d *disruptions) covered(
	budget *policyv1.PodDisruptionBudget,
) (pods []*corev1.Pod) {
	for _, obj := range d.pods.Lookup(
		controlloop.ByNamespace, budget.Namespace) {
		if Covers(budget, obj) {
			pods = append(pods, obj.(*corev1.Pod))
		}
	}
	return pods
}

// allowed returns how many more Pods may go now. If none are expected, none
// may: the first may have come that is not counted yet.
func allowed(status *policyv1.PodDisruptionBudgetStatus) int32 {
	if status.ExpectedPods <= 0 {
		return 0
	}
	return max(0, status.CurrentHealthy-status.DesiredHealthy)
}

// healthy counts the Pods that are ready, and not about to go.
func healthy(pods []*corev1.Pod, promised map[string]metav1.Time) (n int32) {
	for _, pod := range pods {
		_, leaves := promised[pod.Name]
		if pod.DeletionTimestamp == nil && !leaves &&
			controlloop.IsReady(pod) {
			n++
		}
	}
	return n
}

// believe is how long it is believed that a Pod will go which the API server
// has said will. After that it stays, and counts again.
const believe = 2 * time.Minute

// promised returns the Pods that were to be deleted, and are not yet, and when
// the first of them will not be believed any more.
func (d *disruptions) promised(
	budget *policyv1.PodDisruptionBudget, pods []*corev1.Pod,
) (still map[string]metav1.Time, after time.Duration) {
	still = map[string]metav1.Time{}
	for _, pod := range pods {
		since, ok := budget.Status.DisruptedPods[pod.Name]
		if !ok || pod.DeletionTimestamp != nil {
			continue
		}
		left := time.Until(since.Add(believe))
		if left <= 0 {
			d.recorder.Eventf(pod, corev1.EventTypeWarning, "NotDeleted",
				"Pod was expected by PDB %s/%s to be deleted but it wasn't",
				budget.Namespace, budget.Namespace)
			continue
		}
		still[pod.Name], after = since, controlloop.Sooner(after, left)
	}
	return still, after
}

// failSafe allows nothing while it is not known how many Pods there should be.
func (d *disruptions) failSafe(
	ctx context.Context, budget *policyv1.PodDisruptionBudget, why error,
) error {
	next := controlloop.Copy(budget)
	next.Status.DisruptionsAllowed = 0
	meta.SetStatusCondition(&next.Status.Conditions, metav1.Condition{
		Type:   policyv1.DisruptionAllowedCondition,
		Status: metav1.ConditionFalse, Reason: policyv1.SyncFailedReason,
		Message:            why.Error(),
		ObservedGeneration: next.Status.ObservedGeneration,
	})
	return d.store(ctx, next, budget)
}

// desired returns how many Pods there should be, and how many of them healthy.
// A number that has to stay is that number; all else depends on how many their
// owners want.
func (d *disruptions) desired(
	budget *policyv1.PodDisruptionBudget, pods []*corev1.Pod,
) (expected, desired int32, err error) {
	switch most, least := budget.Spec.MaxUnavailable,
		budget.Spec.MinAvailable; {
	case most == nil && least == nil:
		return 0, 0, nil
	case most == nil && least.Type == intstr.Int:
		return int32(len(pods)), least.IntVal, nil
	}
	expected, unmanaged, err := d.scales.sum(pods)
	if err != nil {
		return 0, 0, err
	}
	if unmanaged {
		d.recorder.Eventf(budget, corev1.EventTypeWarning, "UnmanagedPods",
			unmanagedPods, budget.Spec.Selector)
	}
	desired, err = Needs(&budget.Spec, expected)
	return expected, desired, err
}

const unmanagedPods = "Pods selected by this PodDisruptionBudget " +
	"(selector: %v) were found to be unmanaged. As a result, the status of " +
	"the PDB cannot be calculated correctly, which may result in undefined " +
	"behavior. To account for these pods please set \".spec.minAvailable\" " +
	"field of the PDB to an integer value."
