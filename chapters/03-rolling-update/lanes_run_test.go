package rollingupdate_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// The chapter's figures of kind lanes are drawn from these recordings: every
// Pod's life during an update, and how many Pods there were.

// lanes is such a recording.
type lanes struct {
	Title    string        `json:"title"`
	Replicas int           `json:"replicas"`
	Most     int           `json:"most"`  // Pods allowed
	Least    int           `json:"least"` // Pods that must be available
	Until    time.Duration `json:"until"` // the same for all, to compare them
	Pods     []life        `json:"pods"`
	Counts   []tally       `json:"counts"`
}

// life is that of one Pod, in order.
type life struct {
	Version string  `json:"version"`
	Phases  []phase `json:"phases"`

	born string // to order them
}

type phase struct {
	At time.Duration `json:"at"`
	Is string        `json:"is"` // created, running, ready, ending, gone
}

// tally counts the Pods from an instant on. Those that were told to end do not
// count.
type tally struct {
	At        time.Duration `json:"at"`
	There     int           `json:"there"`
	Available int           `json:"available"`
}

// phaseOf returns the phase of a Pod after a write.
func phaseOf(w kubetest.Write) string {
	pod := w.Object.(*corev1.Pod)
	switch {
	case w.Type == watch.Deleted:
		return "gone"
	case pod.DeletionTimestamp != nil:
		return "ending"
	case kubetest.Ready(pod):
		return "ready"
	case pod.Status.Phase == corev1.PodRunning:
		return "running"
	}
	return "created"
}

// lanesOf makes a recording of the writes from the one at an index on. Time begins two
// seconds before it. It fails where a bound is broken. (Too few are available at no
// write. Too many are there at no instant, but for some writes they are: one ReplicaSet
// was told to shrink and another to grow, each has a worker of its own, and the one that
// creates may be faster than the one that deletes.)
func lanesOf(t *testing.T, writes []kubetest.Write, from int, rec *lanes) {
	t.Helper()
	began := writes[from].At - 2*time.Second
	is := map[types.UID]string{}
	lives := map[types.UID]*life{}
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
			lives[pod.UID] = &life{Version: version, born: fmt.Sprintf("%09d", i)}
			order = append(order, pod.UID)
		}
		l := lives[pod.UID]
		if i < from { // its state when time began is all there is to say
			l.Phases = []phase{{0, now}}
			continue
		}
		l.Phases = addPhase(l.Phases, phase{w.At - began, now})
		count := tally{At: w.At - began}
		for _, phase := range is {
			if phase == "ready" {
				count.Available++
			}
			if phase != "ending" && phase != "gone" {
				count.There++
			}
		}
		assert.GreaterOrEqual(t, count.Available, rec.Least, "after write %s", w)
		rec.count(count)
	}
	for _, count := range rec.Counts {
		assert.LessOrEqual(t, count.There, rec.Most, "at %s", count.At)
	}
	slices.SortStableFunc(order, func(a, b types.UID) int {
		return cmp.Or(cmp.Compare(lives[a].Version, lives[b].Version),
			cmp.Compare(endOf(lives[a]), endOf(lives[b])), cmp.Compare(lives[a].born, lives[b].born))
	})
	for _, uid := range order {
		rec.Pods = append(rec.Pods, *lives[uid])
	}
}

// endOf returns when the last thing happened to a Pod: those that go first stand
// first.
func endOf(l *life) time.Duration { return l.Phases[len(l.Phases)-1].At }

// addPhase appends a phase. Phases that lasted no time are left out.
func addPhase(phases []phase, next phase) []phase {
	if n := len(phases); n > 0 && phases[n-1].At == next.At && next.Is != "gone" {
		phases = phases[:n-1]
	}
	return append(phases, next)
}

// count notes the number of Pods; of an instant, the last number counts.
func (l *lanes) count(c tally) {
	if n := len(l.Counts); n > 0 && l.Counts[n-1].At == c.At {
		l.Counts = l.Counts[:n-1]
	}
	if n := len(l.Counts); n > 0 &&
		l.Counts[n-1].There == c.There && l.Counts[n-1].Available == c.Available {
		return
	}
	l.Counts = append(l.Counts, c)
}

// Four Pods of one version give way to four of another, which need five seconds
// until they are ready. Those that are told to end take two.
func TestRunOfUpdatesWithinTheirBounds(t *testing.T) {
	for name, b := range map[string]struct {
		surge, unavailable string
		most, least        int
	}{
		"lanes-1-0":   {"1", "0", 5, 4},
		"lanes-0-1":   {"0", "1", 4, 3},
		"lanes-25-25": {"25%", "25%", 5, 3},
		"lanes-100-0": {"100%", "0", 8, 4},
	} {
		t.Run(name, func(t *testing.T) {
			setup := rolled()
			server := rollingupdate.Web{
				WarmUp: 4500 * time.Millisecond, Linger: 2 * time.Second,
			}
			setup.Images = controlloop.Images{"web:v1": server.Serve, "web:v2": server.Serve}
			in(t, setup, func(c *kubetest.Cluster) {
				kubetest.Create(c, web("web", 4, bounds(b.surge, b.unavailable)))
				c.Advance(time.Minute)
				before := len(c.Writes())
				edit(c, "web", image("web:v2"))
				c.Advance(5 * time.Minute)
				rec := &lanes{
					Title:    fmt.Sprintf("maxSurge %s, maxUnavailable %s", b.surge, b.unavailable),
					Replicas: 4, Most: b.most, Least: b.least,
					Until:  25 * time.Second,
					Counts: []tally{{There: 4, Available: 4}},
				}
				lanesOf(t, c.Writes(), before, rec)
				last := rec.Counts[len(rec.Counts)-1]
				require.Equal(t, tally{last.At, 4, 4}, last)
				kubetest.RecordedJSON(t, name+".json", rec)
			})
		})
	}
}
