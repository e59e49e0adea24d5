package daemonset

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/labels"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// cachedSurvey is a survey that is kept: an event marks a node dirty, and the next
// reconcile reads only dirty nodes again. Its cost follows what has changed, and
// not the number of nodes. All of it comes from the informers' caches; if it is
// lost, every node is read anew. (Kubernetes has none: it walks over all nodes each
// time that it syncs a set.)
type cachedSurvey struct {
	*survey
	dirty *controlloop.DelayQueue[string] // nodes to be read, now or later
	stale atomic.Bool                     // every node is to be read

	mu   sync.Mutex
	seen map[string]*corev1.Node // each node as it was read last
}

// incremental reads only dirty nodes.
type incremental struct {
	*DaemonSets
	mu      sync.Mutex
	surveys map[controlloop.Key]*cachedSurvey
}

// NewIncrementalDaemonSets returns a controller that does what that of
// NewDaemonSets does, and keeps its surveys.
func NewIncrementalDaemonSets(s *controlloop.System) *controlloop.Controller {
	d := newDaemonSets(s)
	inc := &incremental{
		DaemonSets: d, surveys: map[controlloop.Key]*cachedSurvey{},
	}
	d.surveyor = inc
	d.Pods.AddIndex(byNode, ofNode)
	inc.listen(s)
	return d.watch(s, inc.markDirty, inc.setsOn)
}

// survey implements surveyor: it reads the dirty nodes.
func (inc *incremental) survey(
	ctx context.Context, ds *appsv1.DaemonSet,
) (*survey, error) {
	s := inc.surveyOf(ds)
	for _, name := range s.tried {
		s.dirty.Add(name)
	}
	s.tried, s.nodesRead = nil, 0
	if known, err := inc.refresh(ctx, s, ds); !known {
		return nil, err
	}
	claims := inc.claims(s.rollout)
	for {
		name, ok := s.dirty.TryGet(0)
		if !ok {
			return s.survey, nil
		}
		err := inc.readNode(ctx, s, claims, name)
		s.dirty.Done(name)
		if err != nil {
			s.dirty.Add(name)
			return nil, err
		}
	}
}

// readNode reads one node again: it claims the set's Pods on the node, and updates
// the node's status.
func (inc *incremental) readNode(
	ctx context.Context, s *cachedSurvey, claims *deployment.Claims, name string,
) error {
	owned := inc.Pods.Lookup(byNode, string(s.uid)+"@"+name)
	free := inc.Pods.Lookup(byNode, claims.Owner.GetNamespace()+"@"+name)
	pods, err := deployment.Claim(ctx, claims,
		deployment.OfType[*corev1.Pod](slices.Concat(owned, free)))
	if err != nil || name == "" { // Pods for no particular node
		return err
	}
	n := s.rollout.podsOn(inc.observeNode(s, name), pods)
	if after := s.update(name, n, pods); after > 0 {
		s.dirty.AddAfter(name, after)
	}
	return nil
}

// refresh finds or makes the current revision of a set, and marks every node dirty,
// if the set's generation has changed or its survey is stale. It reports whether
// the revision is known.
func (inc *incremental) refresh(
	ctx context.Context, s *cachedSurvey, ds *appsv1.DaemonSet,
) (known bool, _ error) {
	same := s.rollout != nil && s.rollout.set.Generation == ds.Generation
	if !s.stale.Swap(false) && same {
		return true, nil
	}
	cur, history, err := inc.revisions(ctx, ds)
	if err != nil || cur == nil {
		s.stale.Store(true)
		return false, err
	}
	s.history, s.rollout = history, newRollout(ds, hashOf(cur))
	inc.markAllDirty(s, ds)
	return true, nil
}

// markAllDirty marks all nodes dirty, and all names of nodes that Pods can only be
// scheduled to.
func (inc *incremental) markAllDirty(s *cachedSurvey, ds *appsv1.DaemonSet) {
	for _, node := range inc.Nodes.List() {
		s.dirty.Add(node.GetName())
	}
	for _, name := range slices.Sorted(maps.Keys(s.nodes)) {
		s.dirty.Add(name)
	}
	for _, pod := range inc.Pods.Lookup(controlloop.ByOwner, string(ds.UID)) {
		s.dirty.Add(targetNode(pod.(*corev1.Pod)))
	}
	for _, pod := range inc.Pods.Lookup(deployment.Orphans, ds.Namespace) {
		if s.rollout.selector.Matches(labels.Set(pod.GetLabels())) {
			s.dirty.Add(targetNode(pod.(*corev1.Pod)))
		}
	}
}

// requeueAfter implements surveyor. It is a millisecond more than it takes until a
// node becomes dirty because time has passed: a reconcile at that very instant
// might be too early.
func (inc *incremental) requeueAfter(of *survey) time.Duration {
	s := inc.cached(controlloop.KeyOf(of.rollout.set))
	due, ok := s.dirty.NextDue()
	if !ok {
		return 0
	}
	return max(0, time.Until(due)) + time.Millisecond
}

// surveyOf returns the survey of a set; that of another set that had its name is
// dropped.
func (inc *incremental) surveyOf(ds *appsv1.DaemonSet) *cachedSurvey {
	key := controlloop.KeyOf(ds)
	if s := inc.cached(key); s != nil {
		if s.uid == ds.UID {
			return s
		}
		inc.forget(key)
	}
	s := &cachedSurvey{
		survey: newSurvey(ds.UID), dirty: controlloop.NewDelayQueue[string](),
		seen: map[string]*corev1.Node{},
	}
	inc.mu.Lock()
	defer inc.mu.Unlock()
	inc.surveys[key] = s
	return s
}

// cached returns the survey of a set; nil if there is none yet.
func (inc *incremental) cached(key controlloop.Key) *cachedSurvey {
	inc.mu.Lock()
	defer inc.mu.Unlock()
	return inc.surveys[key]
}

// forget implements surveyor: it drops the survey of a set that was deleted.
func (inc *incremental) forget(key controlloop.Key) {
	inc.mu.Lock()
	defer inc.mu.Unlock()
	if s := inc.surveys[key]; s != nil {
		s.dirty.ShutDown()
		inc.Creations.Forget(s.uid)
		inc.Deletions.Forget(s.uid)
		delete(inc.surveys, key)
	}
}

// isCurrent reports whether a node has the labels and taints with which it was read
// last. (Kubernetes: shouldIgnoreNodeUpdate.)
func (s *cachedSurvey) isCurrent(name string, now *corev1.Node) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	last := s.seen[name]
	if last == nil || now == nil {
		return last == now
	}
	return maps.Equal(last.Labels, now.Labels) &&
		equality.Semantic.DeepEqual(last.Spec.Taints, now.Spec.Taints)
}

// observeNode returns a node, and remembers it. It holds the lock of isCurrent: an
// event of the node is either read here or marks the node dirty there.
func (inc *incremental) observeNode(s *cachedSurvey, name string) *corev1.Node {
	s.mu.Lock()
	defer s.mu.Unlock()
	node := inc.node(name)
	if node == nil {
		delete(s.seen, name)
	} else {
		s.seen[name] = node
	}
	return node
}
