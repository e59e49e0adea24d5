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

// walk reads every node at each survey.
type walk struct {
	*DaemonSets
	mu      sync.Mutex
	surveys map[controlloop.Key]*survey // the last of each set
}

// survey implements surveyor: it reads the Pods of every node, and of every name
// of a node that a Pod can only be scheduled to. (Kubernetes:
// getNodesToDaemonPods.)
func (w *walk) survey(
	ctx context.Context, ds *appsv1.DaemonSet,
) (*survey, error) {
	cur, history, err := w.revisions(ctx, ds)
	if cur == nil || err != nil {
		return nil, err
	}
	s := w.begin(ds, newRollout(ds, hashOf(cur)), history)
	pods, err := deployment.Claim(ctx, w.claims(s.rollout),
		deployment.OfType[*corev1.Pod](slices.Concat(
			w.Pods.Lookup(controlloop.ByOwner, string(ds.UID)),
			w.Pods.Lookup(deployment.Orphans, ds.Namespace))))
	if err != nil {
		return nil, err
	}
	nodeToPods := map[string][]*corev1.Pod{}
	for _, node := range w.Nodes.List() {
		nodeToPods[node.GetName()] = nil
	}
	for _, pod := range pods {
		name := targetNode(pod)
		nodeToPods[name] = append(nodeToPods[name], pod)
	}
	delete(nodeToPods, "") // Pods for no particular node
	for _, name := range slices.Sorted(maps.Keys(nodeToPods)) {
		n := s.rollout.podsOn(w.node(name), nodeToPods[name])
		after := s.update(name, n, nodeToPods[name])
		s.requeueAfter = controlloop.Sooner(s.requeueAfter, after)
	}
	return s, nil
}

// begin returns an empty survey, which keeps only the backoffs of the last one.
func (w *walk) begin(
	ds *appsv1.DaemonSet, r *rollout, history []*appsv1.ControllerRevision,
) *survey {
	key := controlloop.KeyOf(ds)
	w.mu.Lock()
	defer w.mu.Unlock()
	s := newSurvey(ds.UID)
	if last := w.surveys[key]; last != nil && last.uid == ds.UID {
		s.backoffs = last.backoffs
	}
	s.rollout, s.history = r, history
	w.surveys[key] = s
	return s
}

// requeueAfter implements surveyor. It is a millisecond more than it takes: what
// happens at that very instant is seen as well.
func (w *walk) requeueAfter(s *survey) time.Duration {
	if s.requeueAfter == 0 {
		return 0
	}
	return s.requeueAfter + time.Millisecond
}

// forget implements surveyor.
func (w *walk) forget(key controlloop.Key) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if s := w.surveys[key]; s != nil {
		w.Creations.Forget(s.uid)
		w.Deletions.Forget(s.uid)
		delete(w.surveys, key)
	}
}
