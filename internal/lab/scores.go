package lab

import (
	controlloop "reconcile/chapters/01-control-loop"
	packed "reconcile/chapters/06-daemonset/exercises/6.13"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
)

var scores = choice[func() []scheduler.Score]{
	common: "default",
	of: map[string]func() []scheduler.Score{
		"default": plugins.Scores,
		"packed":  packed.Scores, // exercise 6.13
	},
	refusal: "there are no scores %q; there are %s", between: " and ",
}

// newScheduler returns the constructor of a scheduler that compares nodes by these
// scores.
func newScheduler(name string) OfCluster {
	return func(s *controlloop.System) *controlloop.Controller {
		return plugins.NewSchedulerWith(s, scores.named(name)())
	}
}
