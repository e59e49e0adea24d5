// Package packed is Scores of one's own in chapter 6's seam: a Pod goes to the
// fullest node that takes it, so that others stay empty.
package packed

import (
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/cache"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
)

// Scores returns Kubernetes', but for the two that fill the emptiest node
// first: room counts the other way round, and no Pod is spread that has not
// asked for it.
//
//book:exercise 6m
func Scores() []scheduler.Score {
	scores := plugins.Scores()
	for i := range scores {
		switch s := &scores[i]; s.Name {
		case "NodeResourcesFit":
			s.Rate = rateFull
		case "PodTopologySpread":
			s.Rate = ifAsked(s.Rate)
		}
	}
	return scores
}

// rate is a Score's.
type rate = func(c *scheduler.Cycle, nodes []*cache.Node, points []int64)

// ifAsked returns a rate of those Pods only that say themselves how they are to
// be spread. (Kubernetes: defaultingType List, without any defaultConstraints,
// pkg/scheduler/apis/config/types_pluginargs.go.)
func ifAsked(rate rate) rate {
	return func(
		c *scheduler.Cycle, nodes []*cache.Node, points []int64,
	) {
		if len(c.Pod.Spec.TopologySpreadConstraints) > 0 {
			rate(c, nodes, points)
		}
	}
}

// rateFull prefers nodes of which least is left: the share that is taken once
// the Pod is there, in hundredths, on average over CPU and memory. (Kubernetes:
// plugins/noderesources/most_allocated.go.)
//
//book:exercise 6m
func rateFull(c *scheduler.Cycle, nodes []*cache.Node, points []int64) {
	for i, n := range nodes {
		cpu, memory := c.Taken(n)
		var sum, count int64
		if all := n.Status.Allocatable.Cpu().MilliValue(); all > 0 {
			sum, count = sum+taken(cpu, all), count+1
		}
		if all := n.Status.Allocatable.Memory().Value(); all > 0 {
			sum, count = sum+taken(memory, all), count+1
		}
		if count > 0 {
			points[i] = sum / count
		}
	}
}

// taken returns the share of all that is used, in hundredths: of what is
// overdrawn, all.
//
//book:exercise 6m
func taken(used, all int64) int64 { return min(used, all) * 100 / all }
