package controlloop

import (
	"time"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Step is one thing that happened to an object on its way through the loop.
type Step struct {
	At      time.Time
	Lane    string // where: store, reflector, fifo, indexer, queue, a controller
	Action  string // what: added, delta, enqueued, reconciled …
	Kind    schema.GroupVersionKind
	Key     Key
	Version string

	Controller *Controller // whose queue, or whose worker, it is; nil: nobody's
	There      bool        // of a key that is added: it waits already
}

// Tracer gets every step; nil gets none. It may be called from many goroutines,
// and from inside locks: it records, and does no more.
type Tracer func(Step)

func (t Tracer) record(lane, action string, obj Object) {
	if t == nil {
		return
	}
	t(Step{
		At: time.Now(), Lane: lane, Action: action, Key: KeyOf(obj),
		Kind:    obj.GetObjectKind().GroupVersionKind(),
		Version: obj.GetResourceVersion(),
	})
}

// recordTaken records that a worker takes a key.
func (t Tracer) recordTaken(c *Controller, key Key) {
	if t != nil {
		t(Step{At: time.Now(), Lane: c.Name, Action: "reconcile", Key: key, Controller: c})
	}
}

// recordQueued records that a key is about to be put into a controller's queue. The
// version is that of the event which is delivered: of the object as it is, also where
// the key is that of the object as it was.
func (t Tracer) recordQueued(c *Controller, key Key, event Object) {
	if t != nil {
		t(Step{
			At: time.Now(), Lane: c.Name + " queue", Action: "added", Key: key,
			Version: event.GetResourceVersion(), Controller: c, There: c.Queue.Has(key),
		})
	}
}
