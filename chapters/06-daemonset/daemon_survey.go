package daemonset

import (
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// survey is the state of a set on all nodes: that of each, and the totals.
// (Kubernetes has nodeToDaemonPods, and counts anew.)
type survey struct {
	uid        types.UID
	rollout    *rollout
	history    []*appsv1.ControllerRevision
	nodes      map[string]*nodeStatus
	total      counts         // over all nodes
	podsByHash map[string]int // Pods of each revision
	tasks      names          // of nodes with a task
	byState    map[updateState]*names
	backoffs   map[string]*podBackoff // by node

	tried        []string      // nodes for which something was planned
	requeueAfter time.Duration // until time alone changes something; 0: it does not
	nodesRead    int           // how many nodes this survey has read
}

// nodeStatus is what a survey says of one node.
type nodeStatus struct {
	nodePods
	task
	counts
	updateState
	hashes []string // of its Pods
}

func newSurvey(uid types.UID) *survey {
	return &survey{
		uid: uid, nodes: map[string]*nodeStatus{}, podsByHash: map[string]int{},
		byState: map[updateState]*names{
			unavailable: {}, available: {}, surplus: {},
		},
		backoffs: map[string]*podBackoff{},
	}
}

// update replaces the status of a node, and keeps the totals. It returns how long
// it takes until time alone changes that status; 0: it does not.
func (s *survey) update(
	name string, n nodePods, pods []*corev1.Pod,
) (requeueAfter time.Duration) {
	s.nodesRead++
	status := s.nodes[name]
	if status == nil {
		status = &nodeStatus{}
		s.nodes[name] = status
	}
	s.addCounts(status, -1)
	status.nodePods, status.task = n, s.rollout.taskOf(n)
	status.updateState = s.rollout.updateStateOf(n)
	status.counts = s.rollout.count(n, status.updateState)
	status.hashes = status.hashes[:0]
	for _, pod := range pods {
		status.hashes = append(status.hashes, revisionOf(pod))
	}
	s.addCounts(status, +1)
	requeueAfter = controlloop.Sooner(
		s.rollout.nextAvailable(n), s.keepBackedOff(name, status))
	s.tasks.put(name, !status.isEmpty())
	for state, names := range s.byState {
		names.put(name, state == status.updateState)
	}
	if n.node == nil && len(pods) == 0 {
		delete(s.nodes, name)
		delete(s.backoffs, name)
	}
	return requeueAfter
}

// addCounts adds to the totals what a node counts for, or subtracts it.
func (s *survey) addCounts(status *nodeStatus, times int) {
	s.total.add(status.counts, times)
	for _, hash := range status.hashes {
		if s.podsByHash[hash] += times; s.podsByHash[hash] == 0 {
			delete(s.podsByHash, hash)
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
