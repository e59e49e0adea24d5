package lab

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// remains counts what a namespace on its way out still holds.
type remains struct {
	resources  map[string]int // "pods." or "deployments.apps": how many
	finalizers map[string]int // which hold how many of them
	podsLeft   int
}

func (r *remains) add(kind controlloop.Kind, obj controlloop.Object) {
	if r.resources == nil {
		r.resources, r.finalizers = map[string]int{}, map[string]int{}
	}
	r.resources[kind.Resource+"."+kind.Group]++
	for _, finalizer := range obj.GetFinalizers() {
		r.finalizers[finalizer]++
	}
	if kind.GroupVersionKind == controlloop.PodKind {
		r.podsLeft++
	}
}

func (r *remains) any() bool  { return len(r.resources) > 0 }
func (r *remains) pods() bool { return r.podsLeft > 0 }

// report writes into the namespace's conditions what it waits for, in
// Kubernetes' words.
func (n *namespaces) report(
	ctx context.Context, namespace *corev1.Namespace, left remains,
) error {
	left.updateConditions(&namespace.Status)
	_, err := n.client.UpdateStatus(ctx, namespace)
	return err
}

// updateConditions brings the conditions up to date.
func (r *remains) updateConditions(status *corev1.NamespaceStatus) {
	for _, c := range r.conditions() {
		at := slices.IndexFunc(status.Conditions,
			func(old corev1.NamespaceCondition) bool { return old.Type == c.Type })
		switch {
		case at < 0:
			c.LastTransitionTime = controlloop.Now()
			status.Conditions = append(status.Conditions, c)
			continue
		case status.Conditions[at].Status == c.Status:
			c.LastTransitionTime = status.Conditions[at].LastTransitionTime
		default:
			c.LastTransitionTime = controlloop.Now()
		}
		status.Conditions[at] = c
	}
}

func (r *remains) conditions() []corev1.NamespaceCondition {
	return []corev1.NamespaceCondition{
		{
			Type: corev1.NamespaceDeletionDiscoveryFailure, Status: corev1.ConditionFalse,
			Reason: "ResourcesDiscovered", Message: "All resources successfully discovered",
		},
		{
			Type: corev1.NamespaceDeletionGVParsingFailure, Status: corev1.ConditionFalse,
			Reason: "ParsedGroupVersions", Message: "All legacy kube types successfully parsed",
		},
		{
			Type: corev1.NamespaceDeletionContentFailure, Status: corev1.ConditionFalse,
			Reason:  "ContentDeleted",
			Message: "All content successfully deleted, may be waiting on finalization",
		},
		condition(corev1.NamespaceContentRemaining, r.resources,
			"SomeResourcesRemain", "Some resources are remaining: ",
			"%s has %d resource instances",
			"ContentRemoved", "All content successfully removed"),
		condition(corev1.NamespaceFinalizersRemaining, r.finalizers,
			"SomeFinalizersRemain",
			"Some content in the namespace has finalizers remaining: ",
			"%s in %d resource instances",
			"ContentHasNoFinalizers", "All content-preserving finalizers finished"),
	}
}

// condition returns a condition that is True with a list of what remains, or
// False if nothing does.
func condition(
	t corev1.NamespaceConditionType, left map[string]int,
	reason, message, item, doneReason, doneMessage string,
) corev1.NamespaceCondition {
	if len(left) == 0 {
		return corev1.NamespaceCondition{
			Type: t, Status: corev1.ConditionFalse,
			Reason: doneReason, Message: doneMessage,
		}
	}
	var items []string
	for _, name := range slices.Sorted(maps.Keys(left)) {
		items = append(items, fmt.Sprintf(item, name, left[name]))
	}
	return corev1.NamespaceCondition{
		Type: t, Status: corev1.ConditionTrue,
		Reason: reason, Message: message + strings.Join(items, ", "),
	}
}
