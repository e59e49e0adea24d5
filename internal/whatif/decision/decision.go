// Package decision asks chapter 6's scheduler where a Pod goes, of five nodes:
// the chapter's page shows one such decision, and a reader can ask for others.
package decision

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
)

// Asked is what the answer hangs on.
type Asked struct {
	CPU     string // what the Pod requests
	Tainted string // the node that has the taint gpu; "": none
	Weight  int64  // of the score NodeAffinity: how much the fast disk counts
}

// Recorded is what is asked in the run that the chapter's page shows.
var Recorded = Asked{CPU: "1500m", Tainted: "node-1", Weight: 2}

// Decision is what became of each node, and which was chosen.
type Decision struct {
	Pod     string    `json:"pod"`
	Filters []string  `json:"filters"`
	Scores  []Score   `json:"scores"`
	Nodes   []Verdict `json:"nodes"`
	Chosen  string    `json:"chosen"`
	Message string    `json:"-"` // where none is chosen: why
}

// Score is one of the scheduler's, and how much it counts.
type Score struct {
	Name   string `json:"name"`
	Weight int64  `json:"weight"`
}

// Verdict is what was said of one node: a refusal, or else its points.
type Verdict struct {
	Name    string   `json:"name"`
	Refused *Refusal `json:"refused,omitempty"`
	Scores  []int64  `json:"scores,omitempty"`
	Sum     int64    `json:"sum,omitempty"`
}

// Refusal is which filter refuses a node, in Kubernetes' words.
type Refusal struct {
	Filter string `json:"filter"`
	Why    string `json:"why"`
}

// Ask has two Pods placed already, and the third decided upon.
func Ask(a Asked) (*Decision, error) {
	cpu, err := resource.ParseQuantity(a.CPU)
	if err != nil {
		return nil, err
	}
	ctx, store := context.Background(), controlloop.NewStore(kinds)
	for _, obj := range cluster(a.Tainted) {
		if _, err := store.Create(ctx, obj); err != nil {
			return nil, err
		}
	}
	if _, err := store.Create(ctx, wishful(cpu)); err != nil {
		return nil, err
	}
	system := &controlloop.System{Client: store}
	var last *Decision
	c := plugins.NewSchedulerWith(system, scores(a.Weight))
	c.Reconciler.(*scheduler.Scheduler).OnDecision = func(d scheduler.Decision) {
		last = told(&d)
	}
	if _, err := system.Step(ctx, controlloop.InOrder); err != nil {
		return nil, err
	}
	if last == nil {
		return nil, errors.New("the scheduler has decided nothing")
	}
	return last, nil
}

// kinds are those of which a scheduler hears.
var kinds = controlloop.CoreKinds().
	With(deployment.Kinds()...).With(rollingupdate.Kinds()...).
	With(statefulset.Kinds()...).With(storage.Kinds()...).
	With(daemonset.Kinds()...).With(controlloop.Kind{
	GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Namespace"),
	Resource:         "namespaces",
	New:              func() controlloop.Object { return &corev1.Namespace{} },
})

// scores are Kubernetes', with another weight for NodeAffinity.
func scores(weight int64) []scheduler.Score {
	all := plugins.Scores()
	for i := range all {
		if all[i].Name == "NodeAffinity" {
			all[i].Weight = weight
		}
	}
	return all
}

// cluster is five nodes, and two Pods that have theirs.
func cluster(tainted string) (all []controlloop.Object) {
	for i := range 5 {
		n := &corev1.Node{}
		n.Name = fmt.Sprintf("node-%d", i+1)
		n.Labels = map[string]string{corev1.LabelHostname: n.Name}
		n.Status.Allocatable = list("cpu", "4", "memory", "8Gi", "pods", "10")
		switch n.Name {
		case "node-2":
			n.Status.Allocatable = list("cpu", "1", "memory", "8Gi", "pods", "10")
		case "node-3":
			n.Labels["disk"] = "ssd"
		case "node-5":
			n.Spec.Taints = []corev1.Taint{
				{Key: "old", Effect: corev1.TaintEffectPreferNoSchedule}}
		}
		if n.Name == tainted {
			n.Spec.Taints = append(n.Spec.Taints,
				corev1.Taint{Key: "gpu", Effect: corev1.TaintEffectNoSchedule})
		}
		all = append(all, n)
	}
	return append(all,
		pod("shop-1", "shop", "node-3", list("cpu", "2", "memory", "1Gi")),
		pod("batch", "batch", "node-4", list("cpu", "1", "memory", "4Gi")))
}

// list is a list of resources, from names with their amounts behind them.
func list(words ...string) corev1.ResourceList {
	all := corev1.ResourceList{}
	for pair := range slices.Chunk(words, 2) {
		all[corev1.ResourceName(pair[0])] = resource.MustParse(pair[1])
	}
	return all
}

// pod is one of an app, of one container, on a node or on none yet.
func pod(name, app, node string, requests corev1.ResourceList) *corev1.Pod {
	p := &corev1.Pod{}
	p.Namespace, p.Name = metav1.NamespaceDefault, name
	p.Labels = map[string]string{"app": app}
	p.Spec.NodeName = node
	p.Spec.Containers = []corev1.Container{{
		Name: "nginx", Image: "nginx:1.27",
		Resources: corev1.ResourceRequirements{Requests: requests},
	}}
	return p
}

// wishful is a Pod of the shop that would rather be on a fast disk, and rather
// not where another Pod of the shop is.
func wishful(cpu resource.Quantity) *corev1.Pod {
	p := pod("shop-2", "shop", "", corev1.ResourceList{
		corev1.ResourceCPU: cpu, corev1.ResourceMemory: resource.MustParse("2Gi"),
	})
	p.Spec.Affinity = &corev1.Affinity{
		NodeAffinity: &corev1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
				Weight: 1, Preference: corev1.NodeSelectorTerm{
					MatchExpressions: []corev1.NodeSelectorRequirement{{
						Key: "disk", Operator: corev1.NodeSelectorOpIn, Values: []string{"ssd"},
					}},
				},
			}},
		},
		PodAntiAffinity: &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
				Weight: 100, PodAffinityTerm: corev1.PodAffinityTerm{
					TopologyKey:   corev1.LabelHostname,
					LabelSelector: &metav1.LabelSelector{MatchLabels: p.Labels},
				},
			}},
		},
	}
	return p
}

// told is what a scheduler told of its decision, node by node.
func told(d *scheduler.Decision) *Decision {
	out := &Decision{Pod: d.Pod.Name, Chosen: d.Node, Message: d.Message}
	for _, f := range plugins.Filters() {
		out.Filters = append(out.Filters, f.Name)
	}
	for _, s := range d.Said {
		v := Verdict{Name: s.Node, Sum: s.Sum}
		if s.Refusal != nil {
			v.Refused = &Refusal{s.Refusal.Filter, strings.Join(s.Refusal.Reasons, ", ")}
		}
		for _, p := range s.Points {
			v.Scores = append(v.Scores, p.Points)
		}
		if len(out.Scores) == 0 {
			for _, p := range s.Points {
				out.Scores = append(out.Scores, Score{p.Score, p.Weight})
			}
		}
		out.Nodes = append(out.Nodes, v)
	}
	slices.SortFunc(out.Nodes, func(a, b Verdict) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
