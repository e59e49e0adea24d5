package scheduler_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
	"reconcile/internal/kubetest"
)

// drawnDecision is a decision as figures/decision.svg has it.
type drawnDecision struct {
	Pod     string         `json:"pod"`
	Filters []string       `json:"filters"`
	Scores  []drawnScore   `json:"scores"`
	Nodes   []drawnVerdict `json:"nodes"`
	Chosen  string         `json:"chosen"`
}

type drawnScore struct {
	Name   string `json:"name"`
	Weight int64  `json:"weight"`
}

type drawnVerdict struct {
	Name    string        `json:"name"`
	Refused *drawnRefusal `json:"refused,omitempty"`
	Scores  []int64       `json:"scores,omitempty"`
	Sum     int64         `json:"sum,omitempty"`
}

type drawnRefusal struct {
	Filter string `json:"filter"`
	Why    string `json:"why"`
}

func drawDecision(d scheduler.Decision) drawnDecision {
	out := drawnDecision{Pod: d.Pod.Name, Chosen: d.Node}
	for _, f := range plugins.Filters() {
		out.Filters = append(out.Filters, f.Name)
	}
	for _, s := range d.Said {
		n := drawnVerdict{Name: s.Node, Sum: s.Sum}
		if s.Refusal != nil {
			n.Refused = &drawnRefusal{s.Refusal.Filter, strings.Join(s.Refusal.Reasons, ", ")}
		}
		for _, p := range s.Points {
			n.Scores = append(n.Scores, p.Points)
		}
		if len(out.Scores) == 0 {
			for _, p := range s.Points {
				out.Scores = append(out.Scores, drawnScore{p.Score, p.Weight})
			}
		}
		out.Nodes = append(out.Nodes, n)
	}
	slices.SortFunc(out.Nodes, func(a, b drawnVerdict) int { return cmp.Compare(a.Name, b.Name) })
	return out
}

// One Pod, five nodes: two of them refuse it, and the other three are compared.
func TestRunOfADecision(t *testing.T) {
	var last scheduler.Decision
	setup := scheduling()
	setup.Controllers = []kubetest.Controller{deciding(
		func(d scheduler.Decision) { last = d })}
	synctest.Test(t, func(t *testing.T) {
		c := kubetest.New(t, setup)
		for _, node := range []*corev1.Node{
			server("node-1", withTaint("gpu", corev1.TaintEffectNoSchedule)),
			server("node-2", having("cpu=1 memory=8Gi pods=10")),
			server("node-3", withLabel("disk", "ssd")),
			server("node-4"),
			server("node-5", withTaint("old", corev1.TaintEffectPreferNoSchedule)),
		} {
			kubetest.Create(c, node)
		}
		kubetest.Create(c, guest("shop-1", placedOn("node-3"), app("shop"),
			requesting("cpu=2 memory=1Gi")))
		kubetest.Create(c, guest("batch", placedOn("node-4"),
			requesting("cpu=1 memory=4Gi")))
		c.Settle()
		kubetest.Create(c, guest("shop-2", app("shop"),
			requesting("cpu=1500m memory=2Gi"), preferring("disk", "ssd"), ratherApart))
		c.Settle()
		kubetest.RecordedJSON(t, "../../testdata/decision.json", drawDecision(last))
	})
}

// deciding is a scheduler that tells of its decisions.
func deciding(told func(scheduler.Decision)) kubetest.Controller {
	return func(s *controlloop.System) *controlloop.Controller {
		c := plugins.NewScheduler(s)
		c.Reconciler.(*scheduler.Scheduler).OnDecision = told
		return c
	}
}

// preferring has a Pod rather be where a label says so.
func preferring(key, value string) podChange {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
				Weight: 1, Preference: corev1.NodeSelectorTerm{
					MatchExpressions: []corev1.NodeSelectorRequirement{{
						Key: key, Operator: corev1.NodeSelectorOpIn,
						Values: []string{value},
					}},
				},
			}},
		}}
	}
}

// ratherApart has a Pod rather not be where another of its app is.
func ratherApart(p *corev1.Pod) {
	p.Spec.Affinity.PodAntiAffinity = &corev1.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
			Weight: 100, PodAffinityTerm: corev1.PodAffinityTerm{
				TopologyKey:   corev1.LabelHostname,
				LabelSelector: &metav1.LabelSelector{MatchLabels: p.Labels},
			},
		}},
	}
}
