package plugins

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// NewScheduler returns a scheduler that asks and compares as Kubernetes' does.
func NewScheduler(s *controlloop.System) *controlloop.Controller {
	return NewSchedulerWith(s, Scores())
}

// NewSchedulerWith returns a scheduler that compares nodes by these scores.
func NewSchedulerWith(
	s *controlloop.System, scores []scheduler.Score,
) *controlloop.Controller {
	return scheduler.New(s, scheduler.Profile{
		Filters: Filters(), Scores: scores, Kinds: []schema.GroupVersionKind{
			cache.NamespaceKind, rollingupdate.ServiceKind, controlloop.RCKind,
			deployment.ReplicaSetKind, statefulset.StatefulSetKind,
		},
	})
}

// Filters returns all filters, in the order in which a node is asked.
func Filters() []scheduler.Filter {
	own := scheduler.Filters()
	resources := len(own) - 1 // the last, and the dearest of them
	return slices.Concat(own[:resources], []scheduler.Filter{
		{Name: "NodePorts", Refuse: nodePorts,
			PreFilter: hasPorts, Hint: freesPort},
		own[resources],
		{Name: "VolumeBinding", Refuse: nodeVolumes,
			PreFilter: obstacle, Hint: movesVolumes},
		{Name: topologySpread, Refuse: nodeSpread,
			PreFilter: countDomains, Recount: recountDomains, Hint: shiftsSpread},
		{Name: podAffinity, Refuse: nodePods,
			PreFilter: countTerms, Recount: recountTerms, Hint: movesPods},
	})
}

// Scores returns all scores, with Kubernetes' weights.
func Scores() []scheduler.Score {
	own := scheduler.Scores()
	balance := len(own) - 1
	return slices.Concat(own[:balance], []scheduler.Score{
		{Name: topologySpread, Weight: 2, Rate: rateSpread},
		{Name: podAffinity, Weight: 2, Rate: rateTerms},
		own[balance],
		{Name: "ImageLocality", Weight: 1, Rate: rateImages},
	})
}

// NewCycle begins the scheduling cycle of a Pod that all filters are asked about.
func NewCycle(all *cache.Nodes, pod *corev1.Pod) *scheduler.Cycle {
	return scheduler.NewCycle(all, cache.NewPodInfo(pod), Filters())
}
