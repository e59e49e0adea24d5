package daemonset

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// walk looks at every node at each look.
type walk struct {
	*DaemonSets
	mu      sync.Mutex
	surveys map[controlloop.Key]*survey // of the last look
}

// look implements surveyor: it asks of each node, and of each that a Pod is
// meant for, what is there and what should be.
func (w *walk) look(
	ctx context.Context, ds *appsv1.DaemonSet,
) (*survey, error) {
	now, history, err := w.revisions(ctx, ds)
	if now == nil || err != nil {
		return nil, err
	}
	s := w.begin(ds, newEdition(ds, hashOf(now)), history)
	pods, err := deployment.Claim(ctx, w.claims(s.edition),
		deployment.OfType[*corev1.Pod](slices.Concat(
			w.Pods.Lookup(controlloop.ByOwner, string(ds.UID)),
			w.Pods.Lookup(deployment.Orphans, ds.Namespace))))
	if err != nil {
		return nil, err
	}
	on := map[string][]*corev1.Pod{}
	for _, node := range w.Nodes.List() {
		on[node.GetName()] = nil
	}
	for _, pod := range pods {
		on[target(pod)] = append(on[target(pod)], pod)
	}
	delete(on, "") // what has no node is nowhere
	for _, name := range slices.Sorted(maps.Keys(on)) {
		again := s.write(name, s.edition.spotOf(w.node(name), on[name]), on[name])
		s.again = controlloop.Sooner(s.again, again)
	}
	return s, nil
}

// begin returns an empty survey. Which Pods have failed lately is all that is
// left of the last one.
func (w *walk) begin(
	ds *appsv1.DaemonSet, e *edition, history []*appsv1.ControllerRevision,
) *survey {
	key := controlloop.KeyOf(ds)
	w.mu.Lock()
	defer w.mu.Unlock()
	s := newSurvey(ds.UID)
	if last := w.surveys[key]; last != nil && last.uid == ds.UID {
		s.failures = last.failures
	}
	s.edition, s.history = e, history
	w.surveys[key] = s
	return s
}

// due implements surveyor. It is a moment more than it takes: whatever happens at
// that very instant is seen as well.
func (w *walk) due(s *survey) time.Duration {
	if s.again == 0 {
		return 0
	}
	return s.again + time.Millisecond
}

// forget implements surveyor.
func (w *walk) forget(key controlloop.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.surveys[key]; s != nil {
		w.Coming.Forget(s.uid)
		w.Going.Forget(s.uid)
		delete(w.surveys, key)
	}
}
