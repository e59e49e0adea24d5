package upstream

import (
	"flag"
	"testing"
)

var cases = flag.Int("cases", 2_000, "how many worlds of each topic a scheduler is put before")

var firstSeed = flag.Uint64("seed", 1, "of the first of these worlds")

// What a scheduler says of each node, how it compares those that take a Pod, whom
// it sends away, and what it tells people: the same as Kubernetes', in worlds
// that nobody would think of.
func TestSchedulersAgree(t *testing.T) {
	for name, topic := range topics {
		t.Run(name, func(t *testing.T) {
			theirs := newKubeScheduler(t)
			differ := func(w *world) string {
				a, b := byTheBook(w), theirs.place(t, w)
				return a.differs(&b)
			}
			left := 3 // differences, then it is enough
			for i := 0; i < *cases && left > 0; i++ {
				seed := *firstSeed + uint64(i)
				w := newWorld(seed, topic)
				if differ(w) != "" {
					w = w.shrunk(differ)
					t.Errorf("seed %d: %s\n%s", seed, differ(w), w)
					left--
				}
			}
		})
	}
}
