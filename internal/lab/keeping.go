package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	home "reconcile/chapters/04-statefulset/exercises/4.10"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
)

// DefaultKeeping is what the Pods of a StatefulSet keep in the book.
const DefaultKeeping = "disk"

// keepings are what --keep chooses from.
var keepings = map[string]func(*controlloop.System) statefulset.Claims{
	DefaultKeeping: func(s *controlloop.System) statefulset.Claims {
		return storage.NewDisks(s)
	},
	"name": func(*controlloop.System) statefulset.Claims {
		return statefulset.NoClaims{}
	},
	"node": func(s *controlloop.System) statefulset.Claims { // exercise 4.10
		return home.Claims{Client: s.Client, Next: storage.NewDisks(s)}
	},
}

// Keepings returns the names of what the Pods of a StatefulSet can keep.
func Keepings() []string { return slices.Sorted(maps.Keys(keepings)) }

// KnowsKeeping says what is wrong with the name of one, if something is. No name
// at all is that of the book's.
func KnowsKeeping(name string) error {
	if name != "" && keepings[name] == nil {
		return fmt.Errorf("a Pod can keep no %q; it can keep its %s", name,
			strings.Join(Keepings(), " or its "))
	}
	return nil
}

// keep has the controller of StatefulSets, if it was chosen, keep that.
func keep(chosen []controller, name string) error {
	if err := KnowsKeeping(name); err != nil || name == "" {
		return err
	}
	for i, c := range chosen {
		if c.name == "statefulset-controller" {
			chosen[i].add = func(s *controlloop.System) *controlloop.Controller {
				return daemonset.NewStatefulSetsWith(s, keepings[name](s))
			}
		}
	}
	return nil
}
