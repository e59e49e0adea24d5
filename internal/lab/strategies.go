package lab

import (
	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	swap "reconcile/chapters/02-deployment/exercises/2.8"
	rollingupdate "reconcile/chapters/03-rolling-update"
	canary "reconcile/chapters/03-rolling-update/exercises/3.11"
)

var strategies = choice[deployment.Strategy]{
	common: "rolling",
	of: map[string]deployment.Strategy{
		"rolling": rollingupdate.RollingUpdate{},
		"swap":    swap.Strategy{},                                      // exercise 2.8
		"canary":  canary.Strategy{Next: rollingupdate.RollingUpdate{}}, // exercise 3.11
	},
	refusal: "there is no strategy %q; there are %s", between: ", ",
}

// roll makes the controller of Deployments, if it was chosen, roll them by this
// strategy.
func roll(chosen []controller, name string) {
	for i, c := range chosen {
		if c.name == "deployment-controller" {
			chosen[i].add = func(s *controlloop.System) *controlloop.Controller {
				return rollingupdate.NewDeploymentsBy(s, strategies.named(name))
			}
		}
	}
}
