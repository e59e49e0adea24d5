package rollingupdate_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/kubetest"
)

// A history is a Deployment's life among users who cannot decide, Pods that do
// what they like, and a cluster that loses events, forgets, and crashes: chosen
// by a seed, a few dozen steps long. Every write is checked while it is made
// (histories_bounds_test.go), and in the end, when all calm down, the last
// wish has to come true (histories_end_test.go).
func TestRandomHistoriesKeepTheirBoundsAndEndWell(t *testing.T) {
	kubetest.Histories(t, func(t *testing.T, seed uint64) { live(t, seed) })
}

// The same seed gives the same history, write by write: -seed shows the run
// that failed.
func TestAHistoryCanBeReplayed(t *testing.T) {
	for seed := uint64(1); seed <= 6; seed++ {
		var told [2]*chronicle
		for i := range told {
			synctest.Test(t, func(t *testing.T) { told[i] = live(t, seed) })
		}
		assert.Equal(t, told[0].log, told[1].log)
		assert.Equal(t, told[0].writes(), told[1].writes())
	}
}

// live lives the history of a seed, in a bubble.
func live(t *testing.T, seed uint64) *chronicle {
	t.Helper()
	h := &chronicle{seed: seed, rand: rand.New(rand.NewPCG(seed, 3))}
	defer h.explain(t)
	h.begin(t)
	for range 12 + h.rand.IntN(24) {
		h.step()
		if t.Failed() {
			return h
		}
	}
	h.end()
	return h
}

// explain prints all steps of the history that was asked for; of one that
// failed, the last of them.
func (h *chronicle) explain(t *testing.T) {
	lines := h.log
	if !kubetest.HistoryIsAsked() {
		if !t.Failed() {
			return
		}
		t.Log("its last steps:")
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

// writes returns all writes to the store, a line each.
func (h *chronicle) writes() (lines []string) {
	for _, w := range h.c.Writes() {
		lines = append(lines, fmt.Sprintf("%s at %s", w, w.At))
	}
	return lines
}
