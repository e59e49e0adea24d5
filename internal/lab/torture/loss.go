package torture

import (
	"math/rand/v2"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// loss is what happens to a master and around it.
type loss struct {
	slow   []string // slaves that have stopped to execute before it
	behind []string // … and to read
	midst  bool     // the shop goes on meanwhile; if not, a slave has read all that it was told
	rack   bool     // all machines lose their current, and all others get it back at once
	blows  []blow   // to the operator
}

// newLoss chooses. A simulated server is never slow: it has no relay log, and what it reads
// while it executes nothing is gone.
func newLoss(random *rand.Rand, slaves []*corev1.Pod, simulated bool) (l loss) {
	for _, pod := range slaves {
		switch random.IntN(4) {
		case 0:
			if !simulated {
				l.slow = append(l.slow, pod.Name)
			}
		case 1:
			l.behind = append(l.behind, pod.Name)
		}
	}
	l.midst, l.rack = random.IntN(2) == 0, random.IntN(5) == 0
	for range random.IntN(3) {
		l.blows = append(l.blows, blow{random.IntN(7), random.IntN(2) == 0})
	}
	return l
}

func (l loss) String() string {
	var all []string
	add := func(is bool, what string) {
		if is {
			all = append(all, what)
		}
	}
	add(len(l.slow) > 0, strings.Join(l.slow, ", ")+" slow")
	add(len(l.behind) > 0, strings.Join(l.behind, ", ")+" behind")
	add(l.midst, "amid orders")
	add(l.rack, "the whole rack")
	return strings.Join(all, "; ")
}
