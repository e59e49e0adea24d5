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

// ledger is a survey that is kept: an event marks the entry of a node, and a
// look reads only marked entries again. It costs what has changed, and not what
// there is. Nothing in it is known from elsewhere than the caches; if it is
// lost, all entries are read anew. (Kubernetes has none: it walks all nodes at
// each look.)
type ledger struct {
	*survey
	marks   *controlloop.DelayQueue[string] // entries to be read, now or later
	doubted atomic.Bool                     // all entries are to be read

	mu   sync.Mutex
	seen map[string]*corev1.Node // what each entry has been read of
}

// ledgers looks only at nodes to which something has happened.
type ledgers struct {
	*DaemonSets
	mu sync.Mutex
	of map[controlloop.Key]*ledger
}

// NewDaemonSetsWithLedger returns a controller that does what that of
// NewDaemonSets does, and keeps what it has found out at earlier looks.
func NewDaemonSetsWithLedger(s *controlloop.System) *controlloop.Controller {
	d := newDaemonSets(s)
	all := &ledgers{DaemonSets: d, of: map[controlloop.Key]*ledger{}}
	d.surveyor = all
	d.Pods.AddIndex(byNode, ofNode)
	all.listen(s)
	return d.watch(s, all.mark, all.setsOn)
}

// look implements surveyor: it reads the marked entries.
func (all *ledgers) look(
	ctx context.Context, ds *appsv1.DaemonSet,
) (*survey, error) {
	l := all.open(ds)
	for _, name := range l.tried {
		l.marks.Add(name)
	}
	l.tried, l.read = nil, 0
	if known, err := all.revise(ctx, l, ds); !known {
		return nil, err
	}
	claims := all.claims(l.edition)
	for {
		name, ok := l.marks.TryGet(0)
		if !ok {
			return l.survey, nil
		}
		err := all.read(ctx, l, claims, name)
		l.marks.Done(name)
		if err != nil {
			l.marks.Add(name)
			return nil, err
		}
	}
}

// read reads one entry: which Pods of the set are on a node, after it has
// adopted and released what it has to, and what follows from that.
func (all *ledgers) read(
	ctx context.Context, l *ledger, claims *deployment.Claims, name string,
) error {
	owned := all.Pods.Lookup(byNode, string(l.uid)+"@"+name)
	free := all.Pods.Lookup(byNode, claims.Owner.GetNamespace()+"@"+name)
	pods, err := deployment.Claim(ctx, claims,
		deployment.OfType[*corev1.Pod](slices.Concat(owned, free)))
	if err != nil || name == "" { // what has no node has no entry
		return err
	}
	spot := l.edition.spotOf(all.see(l, name), pods)
	if again := l.write(name, spot, pods); again > 0 {
		l.marks.AddAfter(name, again)
	}
	return nil
}

// revise finds or makes the revision of a set's template, if the set is another
// than its entries were read by, or there is doubt. All entries are read again
// then. It reports whether the revision is known.
func (all *ledgers) revise(
	ctx context.Context, l *ledger, ds *appsv1.DaemonSet,
) (known bool, _ error) {
	same := l.edition != nil && l.edition.set.Generation == ds.Generation
	if !l.doubted.Swap(false) && same {
		return true, nil
	}
	now, history, err := all.revisions(ctx, ds)
	if err != nil || now == nil {
		l.doubted.Store(true)
		return false, err
	}
	l.history, l.edition = history, newEdition(ds, hashOf(now))
	all.markAll(l, ds)
	return true, nil
}

// markAll marks the entries of all nodes, and of all that Pods are meant for.
func (all *ledgers) markAll(l *ledger, ds *appsv1.DaemonSet) {
	for _, node := range all.Nodes.List() {
		l.marks.Add(node.GetName())
	}
	for _, name := range slices.Sorted(maps.Keys(l.nodes)) {
		l.marks.Add(name)
	}
	for _, pod := range all.Pods.Lookup(controlloop.ByOwner, string(ds.UID)) {
		l.marks.Add(target(pod.(*corev1.Pod)))
	}
	for _, pod := range all.Pods.Lookup(deployment.Orphans, ds.Namespace) {
		if l.edition.selector.Matches(labels.Set(pod.GetLabels())) {
			l.marks.Add(target(pod.(*corev1.Pod)))
		}
	}
}

// due implements surveyor. It is a moment more than it takes until an entry is
// to be read because time has passed: a look that comes in time might come
// before the mark.
func (all *ledgers) due(s *survey) time.Duration {
	l := all.ledger(controlloop.KeyOf(s.edition.set))
	due, ok := l.marks.NextDue()
	if !ok {
		return 0
	}
	return max(0, time.Until(due)) + time.Millisecond
}

// open returns the ledger of a set; one of another set that had its name is
// closed.
func (all *ledgers) open(ds *appsv1.DaemonSet) *ledger {
	key := controlloop.KeyOf(ds)
	if l := all.ledger(key); l != nil {
		if l.uid == ds.UID {
			return l
		}
		all.forget(key)
	}
	l := &ledger{
		survey: newSurvey(ds.UID), marks: controlloop.NewDelayQueue[string](),
		seen: map[string]*corev1.Node{},
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	all.of[key] = l
	return l
}

// ledger returns the ledger of a set; nil if it has none yet.
func (all *ledgers) ledger(key controlloop.Key) *ledger {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.of[key]
}

// forget implements surveyor: it closes the ledger of a set that is gone.
func (all *ledgers) forget(key controlloop.Key) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if l := all.of[key]; l != nil {
		l.marks.ShutDown()
		all.Coming.Forget(l.uid)
		all.Going.Forget(l.uid)
		delete(all.of, key)
	}
}

// knows reports whether an entry has been read of a node that says the same.
func (l *ledger) knows(name string, now *corev1.Node) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	was := l.seen[name]
	if was == nil || now == nil {
		return was == now
	}
	return maps.Equal(was.Labels, now.Labels) &&
		equality.Semantic.DeepEqual(was.Spec.Taints, now.Spec.Taints)
}

// see returns the node of an entry, and remembers it. Nothing asks what is
// known meanwhile: what is heard of the node is either seen here or marked
// there.
func (all *ledgers) see(l *ledger, name string) *corev1.Node {
	l.mu.Lock()
	defer l.mu.Unlock()
	node := all.node(name)
	if node == nil {
		delete(l.seen, name)
	} else {
		l.seen[name] = node
	}
	return node
}
