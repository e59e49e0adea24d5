package daemonset

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// survey is how a set stands on its nodes: what there is on each, and the sums.
type survey struct {
	uid      types.UID
	edition  *edition // what all nodes are looked at by
	history  []*appsv1.ControllerRevision
	nodes    map[string]*entry
	sum      tally          // over all nodes
	versions map[string]int // Pods of each revision
	tasks    names          // of nodes on which something is due
	turns    map[turn]*names
	failures map[string]*failures // by node

	tried []string      // nodes for which something was planned
	again time.Duration // until time alone changes something; 0: it does not
	read  int           // how many nodes the look has looked at
}

// entry is what a survey says of one node.
type entry struct {
	spot
	task
	tally
	turn
	versions []string // of its Pods
}

func newSurvey(uid types.UID) *survey {
	return &survey{
		uid: uid, nodes: map[string]*entry{}, versions: map[string]int{},
		turns:    map[turn]*names{broken: {}, sound: {}, leaves: {}},
		failures: map[string]*failures{},
	}
}

// write writes down what there is on a node, and keeps the sums. It returns how
// long it takes until time alone changes what follows from it.
func (s *survey) write(
	name string, p spot, pods []*corev1.Pod,
) (again time.Duration) {
	s.read++
	at := s.nodes[name]
	if at == nil {
		at = &entry{}
		s.nodes[name] = at
	}
	s.count(at, -1)
	at.spot, at.task = p, s.edition.taskOf(p)
	at.turn = s.edition.turnOf(p)
	at.tally = s.edition.count(p, at.turn)
	at.versions = at.versions[:0]
	for _, pod := range pods {
		at.versions = append(at.versions, revisionOf(pod))
	}
	s.count(at, +1)
	again = controlloop.Sooner(s.edition.ripens(p), s.pause(name, at))
	s.tasks.put(name, !at.isEmpty())
	for t, names := range s.turns {
		names.put(name, t == at.turn)
	}
	if p.node == nil && len(pods) == 0 {
		delete(s.nodes, name)
		delete(s.failures, name)
	}
	return again
}

// count adds to the sums what a node counts for, or takes it away.
func (s *survey) count(at *entry, n int) {
	s.sum.add(at.tally, n)
	for _, v := range at.versions {
		if s.versions[v] += n; s.versions[v] == 0 {
			delete(s.versions, v)
		}
	}
}

// names are names of nodes, in order.
type names []string

// put adds a name, or takes it away.
func (n *names) put(name string, on bool) {
	switch at, there := slices.BinarySearch(*n, name); {
	case on && !there:
		*n = slices.Insert(*n, at, name)
	case there && !on:
		*n = slices.Delete(*n, at, at+1)
	}
}

// take takes away the first names, as many as that or all.
func (n *names) take(most int) []string {
	first := slices.Clone((*n)[:max(0, min(most, len(*n)))])
	*n = slices.Delete(*n, 0, len(first))
	return first
}
