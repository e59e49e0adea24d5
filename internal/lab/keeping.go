package lab

import (
	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	home "reconcile/chapters/04-statefulset/exercises/4.7"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
)

var keepings = choice[func(*controlloop.System) statefulset.Claims]{
	common: "disk",
	of: map[string]func(*controlloop.System) statefulset.Claims{
		"disk": func(s *controlloop.System) statefulset.Claims {
			return storage.NewDisks(s)
		},
		"name": func(*controlloop.System) statefulset.Claims {
			return statefulset.NoClaims{}
		},
		"node": func(s *controlloop.System) statefulset.Claims { // exercise 4.7
			return home.Claims{Client: s.Client, Next: storage.NewDisks(s)}
		},
	},
	refusal: "a Pod can keep no %q; it can keep its %s", between: " or its ",
}

// keep makes the controller of StatefulSets, if it was chosen, keep what has
// this name.
func keep(chosen []controller, name string) {
	for i, c := range chosen {
		if c.name == "statefulset-controller" {
			chosen[i].add = func(s *controlloop.System) *controlloop.Controller {
				return daemonset.NewStatefulSetsWith(s, keepings.named(name)(s))
			}
		}
	}
}
