package step_test

import (
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"

	step "reconcile/chapters/01-control-loop/exercises/1a"
	"reconcile/internal/openexercises"
)

func TestMain(m *testing.M) { os.Exit(openexercises.Run(m)) }

// loop makes a step each second, and returns how many Pods there are after each.
func loop(want, have, seconds int) (counts []int) {
	for range seconds {
		have += step.Step(want, have)
		counts = append(counts, have)
	}
	return counts
}

//book:exercise 1a
func TestTheLoopGetsThereAndRests(t *testing.T) {
	for _, at := range []struct {
		name       string
		want, have int
		counts     []int
	}{
		{"three wanted and none there", 3, 0, []int{1, 2, 3, 3, 3}},
		{"one was deleted", 3, 2, []int{3, 3, 3, 3, 3}},
		{"three too many", 2, 5, []int{4, 3, 2, 2, 2}},
		{"none wanted", 0, 2, []int{1, 0, 0, 0, 0}},
	} {
		t.Run(at.name, func(t *testing.T) {
			assert.Equal(t, at.counts, loop(at.want, at.have, len(at.counts)),
				"Pods after each second (replicas: %d, at first: %d)", at.want, at.have)
		})
	}
}

//book:exercise 1a
func TestTwoLoopsTakeTurns(t *testing.T) {
	have := 0
	for second := range 6 {
		have += step.Step(3, have)
		have += step.Step(3, have)
		assert.LessOrEqual(t, have, 3, fmt.Sprintf("Pods in second %d (replicas: 3, two loops)", second+1))
	}
	assert.Equal(t, 3, have, "Pods in the end (replicas: 3, two loops)")
}
