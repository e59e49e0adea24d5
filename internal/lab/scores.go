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

// scheduler returns the constructor of a scheduler that compares nodes by these
// scores.
func scheduler(name string) OfCluster {
	return func(s *controlloop.System) *controlloop.Controller {
		return daemonset.NewSchedulerWith(s, scores.named(name)())
	}
}
