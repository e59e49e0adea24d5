package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	canary "reconcile/chapters/03-rolling-update/exercises/3.11"
)

// DefaultStrategy is the one that the book arrives at.
const DefaultStrategy = "rolling"

// strategies are what --strategy chooses from.
var strategies = map[string]deployment.Strategy{
	DefaultStrategy: rollingupdate.RollingUpdate{},
	"canary":        canary.Strategy{Next: rollingupdate.RollingUpdate{}}, // exercise 3.11
}

// Strategies returns the names of the ways in which Deployments can roll.
func Strategies() []string { return slices.Sorted(maps.Keys(strategies)) }

// KnowsStrategy says what is wrong with the name of one, if something is. No name
// at all is that of the book's.
func KnowsStrategy(name string) error {
	if name != "" && strategies[name] == nil {
		return fmt.Errorf("there is no strategy %q; there are %s", name, strings.Join(Strategies(), " and "))
	}
	return nil
}

// roll has the controller of Deployments, if it was chosen, roll them so.
func roll(chosen []controller, name string) error {
	if err := KnowsStrategy(name); err != nil || name == "" {
		return err
	}
	for i, c := range chosen {
		if c.name == "deployment-controller" {
			chosen[i].add = func(s *controlloop.System) *controlloop.Controller {
				return rollingupdate.NewDeploymentsBy(s, strategies[name])
			}
		}
	}
	return nil
}
