// Package zone counts how many nodes of each zone are silent, and decides how
// fast they are emptied. When all zones are silent it is we who are cut off,
// and no node is emptied at all.
package zone

import (
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	topology "k8s.io/component-helpers/node/topology"
)

// Disruption is how bad it is in a zone.
type Disruption int

const (
	Normal Disruption = iota
	Partial
	Full
)

// How fast nodes are emptied, and what is too many at once. (Kubernetes:
// --node-eviction-rate 0.1, --secondary-node-eviction-rate 0.01,
// --large-cluster-size-threshold, --unhealthy-zone-threshold.)
const (
	evictEvery       = 10 * time.Second
	evictEverySlowly = 100 * time.Second
	largeZone        = 50
	unhealthy        = 0.55
)

// lookFirst is how long the first of a queue waits. Of nodes that fall silent
// at the same instant, one is the first that we look at; before it is emptied,
// the others are to be counted. (Kubernetes: NodeEvictionPeriod.)
const lookFirst = 100 * time.Millisecond

// Judge says how bad it is in a zone of so many nodes that are ready, and so
// many that are not. Two that fail are a coincidence. (Kubernetes:
// ComputeZoneState in node_lifecycle_controller.go.)
func Judge(ready, failed int) Disruption {
	switch {
	case failed > 0 && ready == 0:
		return Full
	case failed > 2 && float32(failed)/float32(failed+ready) >= unhealthy:
		return Partial
	}
	return Normal
}

// Pace returns how long after a node the next in its zone is emptied; 0: it is
// not. If most of a zone has gone, it is more likely that we are cut off
// than that they have died; where all have, the zone has, and others can take
// its Pods.
func Pace(is Disruption, nodes int) time.Duration {
	switch {
	case is == Partial && nodes > largeZone:
		return evictEverySlowly
	case is == Partial:
		return 0
	}
	return evictEvery
}

// Zones count the nodes of each zone, and have them queue to be emptied. When
// no node is ready in any, none is emptied: it is us.
type Zones struct {
	mu    sync.Mutex
	nodes map[string]place // by name
	zones map[string]*zone
	dark  bool // none is ready, anywhere
	wake  func(nodes ...string)
	dawn  func() // the first is ready again
}

// place is how a node is counted.
type place struct {
	zone           string
	ready, counted bool
}

// zone is what fails together.
type zone struct {
	ready, failed int
	is            Disruption
	every         time.Duration // from one to the next; 0: none
	next          time.Time     // none before
	queue         []string      // of nodes that wait to be emptied
}

// New returns zones without nodes. wake has nodes come for their turn again,
// and dawn is called when the first node is ready after none was.
func New(wake func(...string), dawn func()) *Zones {
	return &Zones{
		nodes: map[string]place{}, zones: map[string]*zone{},
		wake: wake, dawn: dawn,
	}
}

// excluded is on nodes that tell nothing about their zone.
const excluded = "node.kubernetes.io/exclude-disruption"

// Count has a node counted as it is now.
func (z *Zones) Count(node *corev1.Node, ready bool) {
	_, not := node.Labels[excluded]
	z.move(node.Name, place{
		zone:    topology.GetZoneKey(node),
		ready:   ready,
		counted: !not,
	}, true)
}

// Gone has a node counted no longer.
func (z *Zones) Gone(node string) { z.move(node, place{}, false) }

func (z *Zones) move(node string, to place, there bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	from, was := z.nodes[node]
	if from == to && was == there {
		return
	}
	if was {
		z.add(from, -1)
	}
	if was && (from.zone != to.zone || !there) {
		z.leave(node)
	}
	delete(z.nodes, node)
	if there {
		z.nodes[node] = to
		z.add(to, 1)
	}
	z.look()
}

func (z *Zones) add(p place, n int) {
	switch at := z.of(p.zone); {
	case p.counted && p.ready:
		at.ready += n
	case p.counted:
		at.failed += n
	}
}

func (z *Zones) of(name string) *zone {
	if z.zones[name] == nil {
		z.zones[name] = &zone{every: evictEvery}
	}
	return z.zones[name]
}

// look judges all zones anew, and wakes the nodes that it concerns.
// (Kubernetes: handleDisruption in node_lifecycle_controller.go.)
func (z *Zones) look() {
	was := z.dark
	z.dark = z.allDark()
	for _, name := range slices.Sorted(maps.Keys(z.zones)) {
		at := z.zones[name]
		is := Judge(at.ready, at.failed)
		if is == at.is && z.dark == was {
			continue
		}
		at.is = is
		every := Pace(is, at.ready+at.failed)
		if z.dark {
			every = 0
		}
		at.hurry(every)
		if len(at.queue) > 0 {
			z.wake(at.queue[0])
		}
	}
	if was && !z.dark {
		z.dawn()
	}
	if was != z.dark {
		z.wake(slices.Sorted(maps.Keys(z.nodes))...)
	}
}

func (z *Zones) allDark() bool {
	failed := 0
	for _, at := range z.zones {
		if at.ready > 0 {
			return false
		}
		failed += at.failed
	}
	return failed > 0
}

// hurry changes how fast a zone is emptied. A node that had to wait, or was not
// to be emptied at all, waits at the new pace from now on.
func (at *zone) hurry(every time.Duration) {
	if every == at.every {
		return
	}
	if at.every == 0 || time.Now().Before(at.next) {
		at.next = time.Now().Add(every)
	}
	at.every = every
}

// Turn has a node wait in its zone's queue, and reports whether it is its turn
// to be emptied. If it is not, it is to come back after left; at 0, it will be
// woken.
func (z *Zones) Turn(node string) (is bool, left time.Duration) {
	z.mu.Lock()
	defer z.mu.Unlock()
	at := z.of(z.nodes[node].zone)
	if soon := time.Now().Add(lookFirst); len(at.queue) == 0 &&
		at.next.Before(soon) {
		at.next = soon
	}
	if !slices.Contains(at.queue, node) {
		at.queue = append(at.queue, node)
	}
	switch left := time.Until(at.next); {
	case at.every == 0, at.queue[0] != node:
		return false, 0
	case left > 0:
		return false, left
	}
	at.next = time.Now().Add(at.every)
	return true, 0
}

// Done has a node wait no longer.
func (z *Zones) Done(node string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.leave(node)
}

func (z *Zones) leave(node string) {
	at := z.of(z.nodes[node].zone)
	i := slices.Index(at.queue, node)
	if i < 0 {
		return
	}
	at.queue = slices.Delete(at.queue, i, i+1)
	if i == 0 && len(at.queue) > 0 {
		z.wake(at.queue[0])
	}
}

// IsDark reports whether no node is ready, anywhere.
func (z *Zones) IsDark() bool {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.dark
}
