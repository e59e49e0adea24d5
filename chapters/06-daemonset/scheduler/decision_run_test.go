package scheduler_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/internal/kubetest"
)

// verdict is what was said of one node, as figures/decision.svg has it: which
// filter refuses it, and why; or else its points.
type verdict struct {
	Name   string           `json:"name"`
	Filter string           `json:"filter,omitempty"`
	Why    string           `json:"why,omitempty"`
	Points map[string]int64 `json:"points,omitempty"` // by the names of scores
	Sum    int64            `json:"sum,omitempty"`
}

// One Pod, five nodes: two of them refuse it, and the other three are compared.
func TestRunOfADecision(t *testing.T) {
	store := controlloop.NewStore(schedulerKinds)
	for _, node := range nodes(
		server("node-1", withTaint("gpu", noSchedule)), server("node-2", having("cpu=1 memory=8Gi pods=10")),
		server("node-3", withLabel("disk", "ssd")), server("node-4"), server("node-5", withTaint("old", rather)),
	) {
		stored(t, store, node)
	}
	for _, pod := range []*corev1.Pod{
		guest("shop-1", app("shop"), placedOn("node-3"), requesting("cpu=2 memory=1Gi")),
		guest("batch", app("batch"), placedOn("node-4"), requesting("cpu=1 memory=4Gi")),
		guest("shop-2", app("shop"), wishful, requesting("cpu=1500m memory=2Gi")),
	} {
		stored(t, store, pod)
	}
	var told scheduler.Decision
	system := &controlloop.System{Client: store}
	deciding(func(d scheduler.Decision) { told = d })(system)
	_, err := system.Step(t.Context(), controlloop.InOrder)
	require.NoError(t, err)
	require.NotNil(t, told.Pod, "the scheduler has decided nothing")
	var filters []string
	for _, f := range plugins.Filters() {
		filters = append(filters, f.Name)
	}
	weights := map[string]int64{}
	for _, s := range plugins.Scores() {
		weights[s.Name] = s.Weight
	}
	kubetest.RecordedJSON(t, "../../testdata/decision.json", map[string]any{
		"pod": told.Pod.Name, "filters": filters, "weights": weights, "nodes": verdicts(told), "chosen": told.Node,
	})
}

// verdicts are those of a decision, by the nodes' names.
func verdicts(d scheduler.Decision) (all []verdict) {
	for _, said := range d.Said {
		v := verdict{Name: said.Node, Points: map[string]int64{}, Sum: said.Sum}
		if said.Refusal != nil {
			v.Filter, v.Why = said.Refusal.Filter, strings.Join(said.Refusal.Reasons, ", ")
		}
		for _, p := range said.Points {
			v.Points[p.Score] = p.Points
		}
		all = append(all, v)
	}
	slices.SortFunc(all, func(a, b verdict) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// wishful would rather be on a fast disk, and rather not where another Pod of its
// app is.
func wishful(p *corev1.Pod) {
	p.Spec.Affinity = &corev1.Affinity{
		NodeAffinity: &corev1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
				Weight: 1, Preference: nodeTerm{MatchExpressions: []requirement{rule("disk", in, "ssd")}},
			}},
		},
		PodAntiAffinity: &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
				Weight: 100, PodAffinityTerm: podTerm(corev1.LabelHostname, p.Labels),
			}},
		},
	}
}

// deciding is a scheduler that tells of its decisions.
func deciding(told func(scheduler.Decision)) kubetest.Controller {
	return func(s *controlloop.System) *controlloop.Controller {
		c := plugins.NewScheduler(s)
		c.Reconciler.(*scheduler.Scheduler).OnDecision = told
		return c
	}
}
