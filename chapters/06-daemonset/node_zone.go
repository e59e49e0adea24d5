package daemonset

import (
	"maps"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	topology "k8s.io/component-helpers/node/topology"

	controlloop "reconcile/chapters/01-control-loop"
)

// disruption is how bad it is in a zone.
type disruption int

const (
	normal disruption = iota
	partial
	full
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

// lookFirst is how long the first of a line waits. Of nodes that fall silent at
// the same instant, one is the first that we look at; before it is emptied, the
// others are to be counted. (Kubernetes: NodeEvictionPeriod.)
const lookFirst = 100 * time.Millisecond

// judge says how bad it is in a zone of so many nodes that are ready, and so
// many that are not. Two that fail are a coincidence. (Kubernetes:
// ComputeZoneState in node_lifecycle_controller.go.)
func judge(ready, failed int) disruption {
	switch {
	case failed > 0 && ready == 0:
		return full
	case failed > 2 && float32(failed)/float32(failed+ready) >= unhealthy:
		return partial
	}
	return normal
}

// pace is how long after a node the next in its zone is emptied; 0: it is not.
// Where most of a zone has gone, it is more likely that we are cut off than that
// they have died; where all have, the zone has, and others can take its Pods.
func pace(is disruption, nodes int) time.Duration {
	switch {
	case is == partial && nodes > largeZone:
		return evictEverySlowly
	case is == partial:
		return 0
	}
	return evictEvery
}

// zones count the nodes of each zone, and have them wait in line to be emptied.
// When there is nobody left in any, nobody is emptied: it is us.
type zones struct {
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
	is            disruption
	every         time.Duration // from one to the next; 0: nobody
	next          time.Time     // nobody before
	line          []string      // who waits to be emptied
}

func newZones(wake func(...string), dawn func()) *zones {
	return &zones{
		nodes: map[string]place{}, zones: map[string]*zone{},
		wake: wake, dawn: dawn,
	}
}

// excluded is on nodes that tell nothing about their zone.
const excluded = "node.kubernetes.io/exclude-disruption"

// count has a node counted as it is now.
func (z *zones) count(obj controlloop.Object) {
	node := obj.(*corev1.Node)
	_, not := node.Labels[excluded]
	z.move(node.Name, place{
		zone:    topology.GetZoneKey(node),
		ready:   readiness(node) == corev1.ConditionTrue,
		counted: !not,
	}, true)
}

// gone has a node counted no longer.
func (z *zones) gone(obj controlloop.Object) {
	z.move(obj.GetName(), place{}, false)
}

func (z *zones) move(node string, to place, there bool) {
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

func (z *zones) add(p place, n int) {
	switch at := z.of(p.zone); {
	case p.counted && p.ready:
		at.ready += n
	case p.counted:
		at.failed += n
	}
}

func (z *zones) of(name string) *zone {
	if z.zones[name] == nil {
		z.zones[name] = &zone{every: evictEvery}
	}
	return z.zones[name]
}

// look judges all zones anew, and has those hear of it whom it concerns.
// (Kubernetes: handleDisruption in node_lifecycle_controller.go.)
func (z *zones) look() {
	was := z.dark
	z.dark = z.allDark()
	for _, name := range slices.Sorted(maps.Keys(z.zones)) {
		at := z.zones[name]
		is := judge(at.ready, at.failed)
		if is == at.is && z.dark == was {
			continue
		}
		at.is = is
		every := pace(is, at.ready+at.failed)
		if z.dark {
			every = 0
		}
		at.hurry(every)
		if len(at.line) > 0 {
			z.wake(at.line[0])
		}
	}
	if was && !z.dark {
		z.dawn()
	}
	if was != z.dark {
		z.wake(slices.Sorted(maps.Keys(z.nodes))...)
	}
}

func (z *zones) allDark() bool {
	failed := 0
	for _, at := range z.zones {
		if at.ready > 0 {
			return false
		}
		failed += at.failed
	}
	return failed > 0
}

// hurry changes how fast a zone is emptied. Who had to wait, or was not to be
// emptied at all, waits at the new pace from now on.
func (at *zone) hurry(every time.Duration) {
	if every == at.every {
		return
	}
	if at.every == 0 || time.Now().Before(at.next) {
		at.next = time.Now().Add(every)
	}
	at.every = every
}

// turn has a node wait in its zone's line, and reports whether it is its turn to
// be emptied. If it is not, it comes back after left; at 0, it will be woken.
func (z *zones) turn(node string) (is bool, left time.Duration) {
	z.mu.Lock()
	defer z.mu.Unlock()
	at := z.of(z.nodes[node].zone)
	if soon := time.Now().Add(lookFirst); len(at.line) == 0 &&
		at.next.Before(soon) {
		at.next = soon
	}
	if !slices.Contains(at.line, node) {
		at.line = append(at.line, node)
	}
	switch left := time.Until(at.next); {
	case at.every == 0, at.line[0] != node:
		return false, 0
	case left > 0:
		return false, left
	}
	at.next = time.Now().Add(at.every)
	return true, 0
}

// done has a node wait no longer.
func (z *zones) done(node string) {
	z.mu.Lock()
	defer z.mu.Unlock()
	z.leave(node)
}

func (z *zones) leave(node string) {
	at := z.of(z.nodes[node].zone)
	i := slices.Index(at.line, node)
	if i < 0 {
		return
	}
	at.line = slices.Delete(at.line, i, i+1)
	if i == 0 && len(at.line) > 0 {
		z.wake(at.line[0])
	}
}

// isDark reports whether no node is ready, anywhere.
func (z *zones) isDark() bool {
	z.mu.Lock()
	defer z.mu.Unlock()
	return z.dark
}
