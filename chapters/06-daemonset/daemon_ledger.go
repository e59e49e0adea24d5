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
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// ledger is what a controller knows of one set: a page for each node, and the
// sums over all pages. An event marks a page, and only marked pages are read
// again: a look costs what has changed, and not what there is. Nothing in it is
// known from elsewhere than the caches; who loses it reads all pages anew.
// (Kubernetes has none: it walks all nodes at each look.)
type ledger struct {
	uid     types.UID
	marks   *controlloop.DelayQueue[string] // pages to be read, now or later
	doubted atomic.Bool                     // all pages are to be read

	mu   sync.Mutex
	seen map[string]*corev1.Node // what each page has been read of

	// What follows is only for who reconciles the set.
	edition  *edition // what all pages are read by; nil: none was read
	history  []*appsv1.ControllerRevision
	pages    map[string]*page
	sum      tally          // over all pages
	versions map[string]int // Pods of each revision
	tasks    *shelf         // pages on which something is due
	turns    map[turn]*shelf
}

// page is what a ledger says of one node.
type page struct {
	spot
	task
	tally
	turn
	versions []string // of its Pods
	failures
}

// open returns the ledger of a set; one of another set that had its name is
// closed.
func (d *DaemonSets) open(key controlloop.Key, ds *appsv1.DaemonSet) *ledger {
	if l := d.ledger(key); l != nil {
		if l.uid == ds.UID {
			return l
		}
		d.forget(key)
	}
	l := &ledger{
		uid: ds.UID, marks: controlloop.NewDelayQueue[string](),
		seen: map[string]*corev1.Node{}, pages: map[string]*page{},
		versions: map[string]int{}, tasks: newShelf(),
		turns: map[turn]*shelf{
			broken: newShelf(), sound: newShelf(), leaves: newShelf(),
		},
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ledgers[key] = l
	return l
}

// ledger returns the ledger of a set; nil if it has none yet.
func (d *DaemonSets) ledger(key controlloop.Key) *ledger {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ledgers[key]
}

// forget closes the ledger of a set that is gone.
func (d *DaemonSets) forget(key controlloop.Key) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if l := d.ledgers[key]; l != nil {
		l.marks.ShutDown()
		d.Coming.Forget(l.uid)
		d.Going.Forget(l.uid)
		delete(d.ledgers, key)
	}
}

// knows reports whether a page has been read of a node that says the same.
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

// see returns the node of a page, and remembers it. Nobody asks meanwhile what
// is known: what is heard of the node is either seen here or marked there.
func (d *DaemonSets) see(l *ledger, name string) *corev1.Node {
	l.mu.Lock()
	defer l.mu.Unlock()
	node := d.node(name)
	if node == nil {
		delete(l.seen, name)
	} else {
		l.seen[name] = node
	}
	return node
}

// markAll marks the pages of all nodes, and of all that Pods are meant for.
func (d *DaemonSets) markAll(l *ledger, ds *appsv1.DaemonSet) {
	for _, node := range d.Nodes.List() {
		l.marks.Add(node.GetName())
	}
	for _, name := range slices.Sorted(maps.Keys(l.pages)) {
		l.marks.Add(name)
	}
	for _, pod := range d.Pods.Lookup(controlloop.ByOwner, string(ds.UID)) {
		l.marks.Add(target(pod.(*corev1.Pod)))
	}
	for _, pod := range d.Pods.Lookup(deployment.Orphans, ds.Namespace) {
		if l.edition.selector.Matches(labels.Set(pod.GetLabels())) {
			l.marks.Add(target(pod.(*corev1.Pod)))
		}
	}
}

// read reads the marked pages.
func (d *DaemonSets) read(ctx context.Context, l *ledger) error {
	claims := &deployment.Claims{
		Client: d.Client, Kind: DaemonSetKind, Owner: l.edition.set,
		Selector: l.edition.selector,
	}
	for {
		name, ok := l.marks.TryGet(0)
		if !ok {
			return nil
		}
		err := d.readPage(ctx, l, claims, name)
		l.marks.Done(name)
		if err != nil {
			l.marks.Add(name)
			return err
		}
	}
}

// readPage reads one page: which Pods of the set are on a node, after it has
// adopted and released what it has to, and what follows from that.
func (d *DaemonSets) readPage(
	ctx context.Context, l *ledger, claims *deployment.Claims, name string,
) error {
	owned := d.Pods.Lookup(byPage, string(l.uid)+"@"+name)
	free := d.Pods.Lookup(byPage, claims.Owner.GetNamespace()+"@"+name)
	pods, err := deployment.Claim(ctx, claims,
		deployment.OfType[*corev1.Pod](slices.Concat(owned, free)))
	if err == nil && name != "" { // who has no node has no page
		l.write(name, l.edition.spotOf(d.see(l, name), pods), pods)
	}
	return err
}

// write writes a page, and keeps the sums and the shelves.
func (l *ledger) write(name string, p spot, pods []*corev1.Pod) {
	at := l.pages[name]
	if at == nil {
		at = &page{}
		l.pages[name] = at
	}
	l.count(at, -1)
	at.spot, at.task = p, l.edition.taskOf(p)
	at.turn = l.edition.turnOf(p)
	at.tally = l.edition.count(p, at.turn)
	at.versions = at.versions[:0]
	for _, pod := range pods {
		at.versions = append(at.versions, revisionOf(pod))
	}
	l.count(at, +1)
	l.readAgain(name, l.edition.ripens(p))
	l.readAgain(name, at.spare(l.edition.set.Generation))
	l.tasks.put(name, !at.isEmpty())
	for t, shelf := range l.turns {
		shelf.put(name, t == at.turn)
	}
	if p.node == nil && len(pods) == 0 {
		delete(l.pages, name)
	}
}

// count adds to the sums what a page counts for, or takes it away.
func (l *ledger) count(at *page, n int) {
	l.sum.add(at.tally, n)
	for _, v := range at.versions {
		if l.versions[v] += n; l.versions[v] == 0 {
			delete(l.versions, v)
		}
	}
}

// readAgain marks a page for when time alone will have changed it; 0: it won't.
func (l *ledger) readAgain(name string, after time.Duration) {
	if after > 0 {
		l.marks.AddAfter(name, after)
	}
}

// nextDue returns how long it takes until a page is to be read because time has
// passed; 0: none is. It is a moment more than that, or who comes in time might
// come before the mark.
func (l *ledger) nextDue() time.Duration {
	due, ok := l.marks.NextDue()
	if !ok {
		return 0
	}
	return max(0, time.Until(due)) + time.Millisecond
}
