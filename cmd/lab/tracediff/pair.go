package tracediff

import (
	"cmp"
	"slices"

	"reconcile/internal/exercise/workspace"
)

// A pair is one cluster of a test in both runs.
type pair struct {
	mine, book workspace.Recorded // without JSON: the run did not come so far
	differ     *difference        // nil: nowhere
}

// best returns the first pair whose runs differ; one that differs in order alone only if
// no other does more, and one that doesn't only if none does.
func best(mine, book []workspace.Recorded) (best pair, err error) {
	if len(mine) == 0 {
		return pair{book: book[0]}, nil
	}
	for i, cluster := range mine {
		p, err := partner(cluster, book)
		if err != nil {
			return best, err
		}
		if i == 0 || p.weight() > best.weight() {
			best = p
		}
		if best.weight() == most {
			break
		}
	}
	return best, nil
}

// weight is how much the runs differ.
func (p pair) weight() int {
	switch {
	case p.differ == nil:
		return 0
	case p.differ.ordered:
		return 1
	}
	return most
}

const most = 2

// partner pairs a cluster with the one of its number. A test that ranges over a map makes
// its clusters in any order: so another whose run is the same is taken instead or, if the
// test itself does something else to that of the number, the one to which it does the
// same for longest.
func partner(mine workspace.Recorded, book []workspace.Recorded) (pair, error) {
	best := pair{mine: mine, differ: &difference{}}
	entries, err := read(mine.JSON)
	if err != nil {
		return best, err
	}
	others := slices.DeleteFunc(slices.Clone(book), func(r workspace.Recorded) bool { return r.Test != mine.Test })
	slices.SortStableFunc(others, func(a, b workspace.Recorded) int { // that of the number first
		return cmp.Compare(distance(a, mine), distance(b, mine))
	})
	for _, other := range others {
		theirs, err := read(other.JSON)
		if err != nil {
			return best, err
		}
		p := pair{mine, other, differ(entries, theirs)}
		if best.book.JSON == nil || p.weight() < most || best.differ.byTest() && p.differ.atMine > best.differ.atMine {
			best = p
		}
		if best.weight() < most {
			break
		}
	}
	return best, nil
}

func distance(a, b workspace.Recorded) int { return max(a.Cluster-b.Cluster, b.Cluster-a.Cluster) }

// byTest reports whether it is the test itself that does something else.
func (d *difference) byTest() bool {
	const test = "the test"
	return d.mine != nil && d.mine.Lane == test || d.book != nil && d.book.Lane == test
}
