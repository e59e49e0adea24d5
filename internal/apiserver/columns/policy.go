package columns

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

// PodDisruptionBudget is what a table shows of PodDisruptionBudgets.
var PodDisruptionBudget = of(budgetCells,
	name,
	text("Min Available", "The minimum number of pods that must be available."),
	text("Max Unavailable", "The maximum number of pods that may be unavailable."),
	integer("Allowed Disruptions",
		"Calculated number of pods that may be disrupted at this time."),
	created,
)

func budgetCells(b *policyv1.PodDisruptionBudget, now time.Time) []any {
	part := func(value *intstr.IntOrString) string {
		if value == nil {
			return "N/A"
		}
		return value.String()
	}
	return []any{
		b.Name,
		part(b.Spec.MinAvailable),
		part(b.Spec.MaxUnavailable),
		int64(b.Status.DisruptionsAllowed),
		age(b.CreationTimestamp, now),
	}
}

// ResourceQuota is what a table shows of ResourceQuotas.
var ResourceQuota = of(quotaCells,
	name,
	text("Request", "Request represents a minimum amount of cpu/memory that a "+
		"container may consume."),
	text("Limit", "Limits control the maximum amount of cpu/memory that a container "+
		"may use independent of contention on the node."),
	created,
)

func quotaCells(q *corev1.ResourceQuota, now time.Time) []any {
	var requests, limits []string
	for _, resource := range slices.Sorted(maps.Keys(q.Status.Hard)) {
		used, hard := q.Status.Used[resource], q.Status.Hard[resource]
		text := fmt.Sprintf("%s: %s/%s", resource, used.String(), hard.String())
		if strings.HasPrefix(string(resource), "limits.") {
			limits = append(limits, text)
		} else {
			requests = append(requests, text)
		}
	}
	return []any{
		q.Name,
		strings.Join(requests, ", "),
		strings.Join(limits, ", "),
		age(q.CreationTimestamp, now),
	}
}

// LimitRange is what a table shows of LimitRanges.
var LimitRange = of(
	func(l *corev1.LimitRange, _ time.Time) []any {
		return []any{l.Name, l.CreationTimestamp.UTC().Format(time.RFC3339)}
	},
	name,
	metav1.TableColumnDefinition{
		Name: "Created At", Type: "date", Description: created.Description,
	},
)

// PriorityClass is what a table shows of PriorityClasses.
var PriorityClass = of(
	func(p *schedulingv1.PriorityClass, now time.Time) []any {
		return []any{
			p.Name, int64(p.Value), p.GlobalDefault, age(p.CreationTimestamp, now),
			string(ptr.Deref(p.PreemptionPolicy, "")),
		}
	},
	name,
	integer("Value", schedulingv1.PriorityClass{}.SwaggerDoc()["value"]),
	boolean("Global-Default", schedulingv1.PriorityClass{}.SwaggerDoc()["globalDefault"]),
	created,
	text("PreemptionPolicy",
		schedulingv1.PriorityClass{}.SwaggerDoc()["preemptionPolicy"]),
)
