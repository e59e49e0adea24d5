package lab

import (
	"time"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/07-mysql-cluster/promote"
)

var operators = choice[func(*Lab) OfCluster]{
	common: "none",
	of: map[string]func(*Lab) OfCluster{
		"none":    nil,
		"promote": promoter, // exercise 7.11
	},
	refusal: "there is no operator %q; there are %s", between: " and ",
}

// patience is how long a master may be missing: longer than it takes to end and
// come back, which is up to half a minute, and the time of a start.
const patience = time.Minute

func promoter(l *Lab) OfCluster {
	return func(s *controlloop.System) *controlloop.Controller {
		return promote.New(s, l.hardware.Dial, patience)
	}
}
