package daemonset

import (
	corev1 "k8s.io/api/core/v1"
)

// turn says what an update makes of a node.
type turn int

const (
	rests  turn = iota // nothing
	busy               // it is at work there: nothing more
	broken             // the old Pod does not work: there is nothing to lose
	sound              // the old Pod works: it waits until there is room
	leaves             // the same, and none is to come: it stays while needed
)

// plan is what is to be done at one look.
type plan struct {
	create []string // for these nodes
	remove []*corev1.Pod
}

func (p plan) isEmpty() bool { return len(p.create)+len(p.remove) == 0 }

// turnOf says what an update makes of a node. A node on which there are more
// Pods than can be told apart is put in order first, and counts as busy until
// then. (Kubernetes: rollingUpdate in pkg/controller/daemon/update.go.)
func (e *edition) turnOf(p spot) turn {
	fresh, old, crowded := e.tellApart(p.pods)
	switch {
	case !p.meant && len(p.pods) == 0:
		return rests
	case crowded:
		return busy
	case e.surges && old == nil, old == nil && e.isThere(fresh):
		return rests
	case old == nil, fresh != nil:
		return busy
	case !e.isAvailable(old):
		return broken
	case e.surges && !p.meant:
		return leaves
	}
	return sound
}

// isThere reports whether there is a Pod, and it works.
func (e *edition) isThere(pod *corev1.Pod) bool {
	return pod != nil && e.isAvailable(pod)
}

// tellApart returns the new Pod and the old one of a node, nil where there is
// none. It is crowded if there are two of a sort. Those that were told to go do
// not count.
func (e *edition) tellApart(
	pods []*corev1.Pod,
) (fresh, old *corev1.Pod, crowded bool) {
	for _, pod := range staying(pods) {
		this := &old
		if e.isUpdated(pod) {
			this = &fresh
		}
		if *this != nil {
			return nil, nil, true
		}
		*this = pod
	}
	return fresh, old, false
}

// inUpdate says what a node counts for in an update: whether it takes up room,
// and whether a Pod there works. Without surge a Pod that does not work takes
// up room, whatever its version; with surge a new one does that has come before
// the old one has gone.
func (e *edition) inUpdate(p spot, t turn) (isBusy, isWorking int) {
	isBusy = one(t == busy || t == broken && !e.surges)
	fresh, old, _ := e.tellApart(p.pods)
	if old == nil {
		old = fresh
	}
	return isBusy, one(e.isThere(old))
}

// roll plans the next step of an update. If nothing works there is nothing to
// lose; then come those that work, in the order of their nodes' names, as far
// as there is room. With surge a new Pod comes, and onNode sees to it that the
// old one goes; without, the old one goes, and onNode sees to a new one.
//
//	10 nodes, maxUnavailable 3, 2 new Pods not ready yet, 1 old Pod broken:
//	3 are busy, the broken one among them. It goes, and 3-3 = 0 besides.
func (s *survey) roll() (p plan) {
	e := s.edition
	room := e.maxSurge(s.sum.desired)
	if !e.surges {
		room = e.maxUnavailable(s.sum.desired)
	}
	names, spare := s.turns[broken].take(burst), s.sum.working-s.sum.desired
	if room == 0 {
		spare = 0 // a surge of a percentage of no nodes is none
	}
	for _, more := range []struct {
		of   turn
		room int
	}{
		{sound, room - s.sum.busy},
		{leaves, spare},
	} {
		room := min(more.room, burst-len(names))
		names = append(names, s.turns[more.of].take(room)...)
	}
	for _, name := range names {
		s.tried = append(s.tried, name)
		at := s.nodes[name]
		if _, old, _ := e.tellApart(at.pods); e.surges && at.meant {
			p.create = append(p.create, name)
		} else {
			p.remove = append(p.remove, old)
		}
	}
	return p
}
