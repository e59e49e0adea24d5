package lab

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	controlloop "reconcile/chapters/01-control-loop"
	packed "reconcile/chapters/06-daemonset/exercises/6.11"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
)

// DefaultScores are the ones that the book arrives at.
const DefaultScores = "default"

// scores are what --scores chooses from.
var scores = map[string]func() []scheduler.Score{
	DefaultScores: plugins.Scores,
	"packed":      packed.Scores, // exercise 6.11
}

// Scores returns the names of the ways in which a scheduler can compare nodes.
func Scores() []string { return slices.Sorted(maps.Keys(scores)) }

// KnowsScores says what is wrong with the name of some, if something is. No name
// at all is that of the book's.
func KnowsScores(name string) error {
	if name != "" && scores[name] == nil {
		return fmt.Errorf("there are no scores %q; there are %s", name,
			strings.Join(Scores(), " and "))
	}
	return nil
}

// newScheduler makes a scheduler that compares nodes so.
func newScheduler(name string) OfCluster {
	return func(s *controlloop.System) *controlloop.Controller {
		return plugins.NewSchedulerWith(s, scores[name]())
	}
}
