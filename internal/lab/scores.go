package lab

import (
	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	packed "reconcile/chapters/06-daemonset/exercises/6.11"
)

var scores = choice[func() []daemonset.Score]{
	common: "default",
	of: map[string]func() []daemonset.Score{
		"default": daemonset.DefaultScores,
		"packed":  packed.Scores, // exercise 6.11
	},
	refusal: "there are no scores %q; there are %s", between: " and ",
}

// scheduler makes a scheduler that compares nodes so.
func scheduler(name string) OfCluster {
	return func(s *controlloop.System) *controlloop.Controller {
		return daemonset.NewSchedulerWith(s, scores.named(name)())
	}
}
