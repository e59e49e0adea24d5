package controlloop

import (
	"context"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Handler learns what happened to the objects of a kind. Each function may be
// nil. They are called one at a time: they note what is to be done, and return.
type Handler struct {
	OnAdd    func(obj Object)
	OnUpdate func(old, obj Object)
	OnDelete func(obj Object)
}

// Informer keeps a cache of one kind up to date and tells many handlers what
// changed in it. All controllers that are interested in a kind share one: one
// list, one watch, one copy of each object.
type Informer struct {
	Cache *Indexer

	reflector *Reflector
	fifo      *DeltaFIFO
	resync    time.Duration // 0: never
	trace     Tracer

	mu       sync.Mutex // one delta at a time, and no new handler meanwhile
	handlers []Handler
}

// NewInformer returns an informer for what opts select of a kind. Every resync
// it reminds its handlers of all objects, unless resync is 0.
func NewInformer(
	client Client, kind schema.GroupVersionKind, opts ListOptions,
	resync time.Duration, trace Tracer,
) *Informer {
	cache := NewIndexer()
	fifo := NewDeltaFIFO(cache)
	return &Informer{
		Cache: cache,
		reflector: &Reflector{
			client: client, kind: kind, opts: opts, fifo: fifo, trace: trace,
		},
		fifo:   fifo,
		resync: resync,
		trace:  trace,
	}
}

// Handle adds a handler. It hears of every object: those in the cache are added
// for it, here and now.
func (i *Informer) Handle(h Handler) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, obj := range i.Cache.List() {
		h.added(obj)
	}
	i.handlers = append(i.handlers, h)
}

// Synced returns a channel that is closed when the cache holds all
// that the first list held. To act before that is to take "not heard
// of yet" for "not there".
func (i *Informer) Synced() <-chan struct{} { return i.fifo.synced }

// Run keeps the cache up to date until ctx ends.
func (i *Informer) Run(ctx context.Context) {
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { i.reflector.Run(ctx) })
	if i.resync > 0 {
		running.Go(func() { i.remind(ctx) })
	}
	for i.fifo.Pop(ctx, i.process) {
	}
}

func (i *Informer) remind(ctx context.Context) {
	for Sleep(ctx, i.resync); ctx.Err() == nil; Sleep(ctx, i.resync) {
		i.Resync()
	}
}

// Resync reminds all handlers of all objects, as if each had been updated.
func (i *Informer) Resync() { i.fifo.Resync() }

// Step brings the cache up to date without waiting, and reports whether
// anything was new.
func (i *Informer) Step(ctx context.Context) (bool, error) {
	news := false
	for {
		more, err := i.reflector.Step(ctx)
		for i.fifo.TryPop(i.process) {
			more = true
		}
		if !more || err != nil {
			return news, err
		}
		news = true
	}
}

// process brings the cache up to date with what happened to one object, and
// tells the handlers, one delta after the other.
func (i *Informer) process(deltas []Delta) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, d := range deltas {
		i.trace.record("fifo", string(d.Type), d.Object)
		if d.Type == Deleted {
			i.remove(d)
		} else {
			i.put(d)
		}
	}
}

func (i *Informer) remove(d Delta) {
	if _, had := i.Cache.Remove(KeyOf(d.Object)); !had {
		return
	}
	i.trace.record("cache", "removed", d.Object)
	for _, h := range i.handlers {
		h.deleted(d.Object)
	}
}

func (i *Informer) put(d Delta) {
	old, had := i.Cache.Put(d.Object)
	if had && d.Type == Replaced && oneWrite(old, d.Object) {
		return // listed again, and nothing new
	}
	i.trace.record("cache", "stored", d.Object)
	for _, h := range i.handlers {
		if had {
			h.updated(old, d.Object)
		} else {
			h.added(d.Object)
		}
	}
}

func (h Handler) added(obj Object) {
	if h.OnAdd != nil {
		h.OnAdd(obj)
	}
}

func (h Handler) updated(old, obj Object) {
	if h.OnUpdate != nil {
		h.OnUpdate(old, obj)
	}
}

func (h Handler) deleted(obj Object) {
	if h.OnDelete != nil {
		h.OnDelete(obj)
	}
}

// oneWrite reports whether two copies of an object are of one write. Versions alone
// don't tell: in a store that was restored they are given again.
func oneWrite(a, b Object) bool {
	return a == b || a.GetResourceVersion() == b.GetResourceVersion() &&
		equality.Semantic.DeepEqual(a, b)
}
