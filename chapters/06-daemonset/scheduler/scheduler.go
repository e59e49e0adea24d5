package scheduler

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/scheduler/cache"
)

// Scheduler gives Pods to nodes, one Pod at a time. Its controller's queue
// holds one key only, which says that it is to go on: which Pod is next,
// its own queue knows. (Kubernetes: pkg/scheduler.)
type Scheduler struct {
	// OnDecision, if set, is told of every decision; that costs time.
	OnDecision func(Decision)

	client   controlloop.Client
	recorder controlloop.Recorder
	filters  []Filter
	scores   []Score
	volumes  *storage.Consumers
	budgets  *controlloop.Indexer
	goOn     func()

	mu    sync.Mutex // guards what follows, which the handlers of events change
	nodes *cache.Nodes
	queue *queue
	start int // of the list of nodes, where the next search begins
}

// goOn is the only key of a scheduler's controller.
var goOn = controlloop.Key{Name: "next"}

// Profile is what a scheduler asks of nodes, and how it compares them.
type Profile struct {
	Filters []Filter
	Scores  []Score
	Kinds   []schema.GroupVersionKind // of what they look up in Nodes.Caches
}

// New returns the scheduler of a system, which takes the place of chapter 1's
// first come, first served.
func New(s *controlloop.System, p Profile) *controlloop.Controller {
	sched := &Scheduler{
		client:   s.Client,
		recorder: s.RecorderFor(corev1.DefaultSchedulerName, ""),
		filters:  p.Filters, scores: p.Scores,
		volumes: storage.NewConsumers(s),
		budgets: s.Informer(daemonset.BudgetKind, controlloop.ListOptions{}).Cache,
		nodes:   cache.NewNodes(nil, nil), queue: newQueue(),
	}
	sched.nodes.Volumes = sched.volumes
	c := controlloop.NewController("scheduler", sched)
	sched.goOn = func() { c.Queue.Add(goOn) }
	s.Add(c)
	sched.listen(s, c, p.Kinds)
	return c
}

// Reconcile implements controlloop.Reconciler: it runs the scheduling cycle of one Pod.
func (s *Scheduler) Reconcile(
	ctx context.Context, _ controlloop.Key,
) (controlloop.Result, error) {
	s.mu.Lock()
	w := s.queue.next()
	s.mu.Unlock()
	var err error
	if w != nil {
		err = s.try(ctx, w)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.queue.isReady() {
		s.goOn()
	}
	return controlloop.Result{After: s.queue.until()}, err
}

// try looks for a node for a Pod, and does what is to be done then.
func (s *Scheduler) try(ctx context.Context, w *waiting) error {
	d := s.decide(w)
	err := s.carryOut(ctx, w, d)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.forget(w.UID)
		s.queue.fail(w)
	}
	return err
}

// decision is what is to be done with a Pod.
type decision struct {
	pod  *corev1.Pod
	node *corev1.Node // nil: none takes it

	message   string
	refusedBy []string
	makeRoom  *sacrifice // nil: there is nothing to be done
	nominate  *string    // the node that it waits for; nil: as before
}

// decide chooses a node for a Pod and counts the Pod on it; or it says why
// there is none, and which Pods are to make room.
func (s *Scheduler) decide(w *waiting) decision {
	s.mu.Lock()
	defer s.mu.Unlock()
	had := s.nodes.Drop(w.UID) // a place, until its claims are bound
	if had == nil {
		return s.choose(w)
	}
	left := *had
	d := s.choose(w)
	if d.node == nil || d.node.Name != left.On() {
		s.happened(&cache.Event{Left: &left})
	}
	return d
}

// choose chooses a node for a Pod, with s.mu held, and counts the Pod there; or it
// says why no node takes it.
func (s *Scheduler) choose(w *waiting) decision {
	if len(s.nodes.List()) == 0 {
		return decision{pod: w.Pod, nominate: new(""),
			message: "no nodes available to schedule pods"}
	}
	c := NewCycle(s.nodes, w.PodInfo, s.filters)
	found := c.find(s.start)
	s.advance(c, found)
	if len(found.fit) == 0 {
		return s.explain(c, found)
	}
	record := s.record(c, found)
	n := c.best(found.fit, s.scores, record)
	s.tell(record, n.Name, "")
	s.nodes.Nominate(w.PodInfo, "")
	s.nodes.Assume(w.PodInfo, n.Name)
	return decision{pod: w.Pod, node: n.Node}
}

// advance has the next search begin where this one ended.
func (s *Scheduler) advance(c *Cycle, found search) {
	s.start += len(found.fit) + len(found.refused)
	s.start %= len(c.List())
}

// explain says why no node takes a Pod, and what can be done about it.
func (s *Scheduler) explain(c *Cycle, found search) decision {
	d := decision{pod: c.Pod.Pod, refusedBy: c.refusedBy(found)}
	says := s.preempt(c, found, &d)
	d.message = c.explain(found) + " preemption: " + says
	s.tell(s.record(c, found), "", d.message)
	if d.nominate != nil {
		s.nodes.Nominate(c.Pod, *d.nominate)
	}
	return d
}

// forget gives back the place of a Pod that did not get it: unless it did, and
// only the answer was lost.
func (s *Scheduler) forget(uid types.UID) {
	if d := s.nodes.Pod(uid); d != nil && d.IsAssumed() {
		s.nodes.Drop(uid)
		s.happened(&cache.Event{Left: d})
	}
}
