package kubetest

import (
	"flag"
	"fmt"
	"testing"
	"testing/synctest"
)

var (
	histories uint64 // how many a test lives; 0: as many as are usual
	asked     uint64 // the seed of the one that is lived alone; 0: all
)

func historyFlags() {
	flag.Uint64Var(&histories, "histories", 0,
		"how many random histories are lived; 0: 40, or 6 with -short or without -run")
	flag.Uint64Var(&asked, "seed", 0, "live the history of this seed alone")
}

// Histories lives random histories, each in a bubble of its own, until one of
// them fails, and tells how to live that one again:
//
//	go test -run Histories -histories 2000   // so many
//	go test -run Histories -seed 17          // this one alone
func Histories(t *testing.T, live func(t *testing.T, seed uint64)) {
	t.Helper()
	if asked != 0 {
		inBubble(t, asked, live)
		return
	}
	const parts = 2 // as many as there are processors, at the least
	for part := range uint64(parts) {
		t.Run(fmt.Sprint("part ", part+1), func(t *testing.T) {
			t.Parallel()
			for seed := 1 + part; seed <= count() && !t.Failed(); seed += parts {
				inBubble(t, seed, live)
			}
		})
	}
}

// count returns how many histories a test lives.
func count() uint64 {
	switch {
	case histories > 0:
		return histories
	case thorough():
		return 40
	}
	return 6
}

// HistoryIsAsked reports whether a single history is lived, whose reader wants
// to know everything.
func HistoryIsAsked() bool { return asked != 0 }

// inBubble lives one history. A bubble that fails ends the test that waits for
// it, and one that panics ends everything: so the seed is printed in there.
func inBubble(t *testing.T, seed uint64, live func(t *testing.T, seed uint64)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		t.Cleanup(func() {
			if t.Failed() {
				t.Logf("history %d: go test -run Histories -seed %[1]d -v", seed)
			}
		})
		defer func() {
			if why := recover(); why != nil {
				panic(fmt.Sprintf("history %d: %v", seed, why))
			}
		}()
		live(t, seed)
	})
}
