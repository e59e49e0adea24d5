package kubetest

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// Lanes is what a figure of kind lanes is drawn from: every Pod's life during an
// update, and how many Pods there were.
type Lanes struct {
	Title    string        `json:"title"`
	Replicas int           `json:"replicas"`
	Most     int           `json:"most"`  // Pods allowed
	Least    int           `json:"least"` // Pods that must be available
	Until    time.Duration `json:"until"` // the same for all, to compare them
	Pods     []Life        `json:"pods"`
	Counts   []Tally       `json:"counts"`
}

// Life is that of one Pod, in order.
type Life struct {
	Version string  `json:"version"`
	Phases  []Phase `json:"phases"`

	born int // to order them
}

// Phase says in which state a Pod is from an instant on.
type Phase struct {
	At time.Duration `json:"at"`
	Is string        `json:"is"` // created, running, ready, ending, gone
}

// Tally counts the Pods from an instant on. Those that were told to end do not
// count.
type Tally struct {
	At        time.Duration `json:"at"`
	There     int           `json:"there"`
	Available int           `json:"available"`
}

// phaseOf returns the phase of a Pod after a write.
func phaseOf(w Write) string {
	pod := w.Object.(*corev1.Pod)
	switch {
	case w.Type == watch.Deleted:
		return "gone"
	case pod.DeletionTimestamp != nil:
		return "ending"
	case Ready(pod):
		return "ready"
	case pod.Status.Phase == corev1.PodRunning:
		return "running"
	}
	return "created"
}

// Add adds the writes from an index on. Time begins two seconds before the first. It
// returns an error where a bound is broken. (Too few Pods available breaks it at any
// write, too many only at the end of an instant: one ReplicaSet was told to shrink and
// another to grow, each has a worker of its own, and the one that creates may be faster
// than the one that deletes.)
func (l *Lanes) Add(writes []Write, from int) error {
	began := writes[from].At - 2*time.Second
	is := map[types.UID]string{}
	lives := map[types.UID]*Life{}
	var order []types.UID
	for i, w := range writes {
		pod, ok := w.Object.(*corev1.Pod)
		if !ok {
			continue
		}
		now := phaseOf(w)
		if is[pod.UID] == now {
			continue
		}
		is[pod.UID] = now
		if lives[pod.UID] == nil {
			_, version, _ := strings.Cut(pod.Spec.Containers[0].Image, ":")
			lives[pod.UID] = &Life{Version: version, born: i}
			order = append(order, pod.UID)
		}
		life := lives[pod.UID]
		if i < from { // its state when time began is all there is to say
			life.Phases = []Phase{{0, now}}
			continue
		}
		life.add(Phase{w.At - began, now})
		count := Tally{At: w.At - began}
		for _, phase := range is {
			if phase == "ready" {
				count.Available++
			}
			if phase != "ending" && phase != "gone" {
				count.There++
			}
		}
		if count.Available < l.Least {
			return fmt.Errorf("%d available after write %s: there are to be %d", count.Available, w, l.Least)
		}
		l.count(count)
	}
	for _, count := range l.Counts {
		if count.There > l.Most {
			return fmt.Errorf("%d Pods at %s: there may be %d", count.There, count.At, l.Most)
		}
	}
	slices.SortStableFunc(order, func(a, b types.UID) int {
		return cmp.Or(cmp.Compare(lives[a].Version, lives[b].Version),
			cmp.Compare(lives[a].end(), lives[b].end()), cmp.Compare(lives[a].born, lives[b].born))
	})
	for _, uid := range order {
		l.Pods = append(l.Pods, *lives[uid])
	}
	return nil
}

// end returns when the last thing happened to a Pod: those that go first stand
// first.
func (l *Life) end() time.Duration { return l.Phases[len(l.Phases)-1].At }

// add adds a phase. Phases that lasted no time are left out.
func (l *Life) add(next Phase) {
	if n := len(l.Phases); n > 0 && l.Phases[n-1].At == next.At && next.Is != "gone" {
		l.Phases = l.Phases[:n-1]
	}
	l.Phases = append(l.Phases, next)
}

// count notes the number of Pods; of an instant, the last number counts.
func (l *Lanes) count(c Tally) {
	if n := len(l.Counts); n > 0 && l.Counts[n-1].At == c.At {
		l.Counts = l.Counts[:n-1]
	}
	if n := len(l.Counts); n > 0 &&
		l.Counts[n-1].There == c.There && l.Counts[n-1].Available == c.Available {
		return
	}
	l.Counts = append(l.Counts, c)
}
