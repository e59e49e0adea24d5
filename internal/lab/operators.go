package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
	promote "reconcile/chapters/07-mysql-cluster/exercises/7.12"
)

// DefaultOperator is none: nobody knows what runs in the Pods.
const DefaultOperator = "none"

// operators are what --operator chooses from.
var operators = map[string]func(*Lab) OfCluster{
	DefaultOperator: nil,
	"promote":       promoter, // exercise 7.12
}

// Operators returns the names of the operators that a lab can have.
func Operators() []string { return slices.Sorted(maps.Keys(operators)) }

// KnowsOperator says what is wrong with the name of one, if something is. No
// name at all is none.
func KnowsOperator(name string) error {
	if _, ok := operators[name]; name != "" && !ok {
		return fmt.Errorf("there is no operator %q; there are %s", name,
			strings.Join(Operators(), " and "))
	}
	return nil
}

// patience is how long a master may be missing: longer than it takes to end and
// come back, which is up to half a minute, and what a start takes.
const patience = time.Minute

func promoter(l *Lab) OfCluster {
	return func(s *controlloop.System) *controlloop.Controller {
		return promote.New(s, l.hardware.Dial, patience)
	}
}
