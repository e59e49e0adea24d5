package rollingupdate_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
)

// A history is a Deployment's life among users who cannot decide, Pods that do
// what they like, and a cluster that loses events, forgets, and crashes: chosen
// by a seed, a few dozen steps long. Every write is checked while it is made
// (histories_bounds_test.go), and in the end, when all calm down, the last
// wish has to come true (histories_end_test.go).
//
//	go test -run Histories -histories 2000   // so many
//	go test -run Histories -seed 17          // this one, with all it did

var (
	histories = flag.Int("histories", 60, "how many random histories to try")
	onlySeed  = flag.Uint64("seed", 0, "the one history to try")
)

func TestRandomHistoriesKeepTheirBoundsAndEndWell(t *testing.T) {
	if *onlySeed != 0 {
		live(t, *onlySeed)
		return
	}
	for part := range 2 { // as many as there are processors, at the least
		t.Run(fmt.Sprint("part ", part+1), func(t *testing.T) {
			t.Parallel()
			for seed := 1 + part; seed <= *histories && !t.Failed(); seed += 2 {
				live(t, uint64(seed))
			}
		})
	}
}

// The same seed gives the same history, write by write: what -seed shows is
// what failed.
func TestAHistoryCanBeReplayed(t *testing.T) {
	for seed := uint64(1); seed <= 6; seed++ {
		first, again := live(t, seed), live(t, seed)
		assert.Equal(t, first.log, again.log)
		assert.Equal(t, first.writes(), again.writes())
	}
}

// live lives the history of a seed.
func live(t *testing.T, seed uint64) *chronicle {
	t.Helper()
	h := &chronicle{seed: seed, rand: rand.New(rand.NewPCG(seed, 3))}
	synctest.Test(t, func(t *testing.T) {
		defer h.explain(t)
		h.begin(t)
		for range 12 + h.rand.IntN(24) {
			h.step()
			if t.Failed() {
				return
			}
		}
		h.end()
	})
	return h
}

// explain tells all that was done, of the history that was asked for; of one
// that failed, how to ask for it, and the last of it.
func (h *chronicle) explain(t *testing.T) {
	lines := h.log
	if *onlySeed == 0 {
		if !t.Failed() {
			return
		}
		t.Logf("seed %d failed: go test -run Histories -seed %[1]d; its last steps:", h.seed)
		lines = h.log[max(0, len(h.log)-8):]
	}
	for _, line := range lines {
		t.Log(line)
	}
}

// sayf notes a step.
func (h *chronicle) sayf(format string, args ...any) {
	h.log = append(h.log, fmt.Sprintf("%s: ", h.c.Elapsed())+fmt.Sprintf(format, args...))
}

// writes are all writes to the store, a line each.
func (h *chronicle) writes() (lines []string) {
	for _, w := range h.c.Writes() {
		lines = append(lines, fmt.Sprintf("%s at %s", w, w.At))
	}
	return lines
}
