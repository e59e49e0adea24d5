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

func (t Tracer) recordKey(lane, action string, key Key) {
	if t != nil {
		t(Step{At: time.Now(), Lane: lane, Action: action, Key: key})
	}
}

// recordQueued records that a key is about to be put into a controller's queue, for
// what happened to obj: the version is that of obj.
func (t Tracer) recordQueued(controller string, key Key, obj Object) {
	if t != nil {
		t(Step{
			At: time.Now(), Lane: controller + " queue", Action: "added", Key: key,
			Version: obj.GetResourceVersion(),
		})
	}
}
