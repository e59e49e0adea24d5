package events

import (
	"context"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/record"

	controlloop "reconcile/chapters/01-control-loop"
)

// Kind is the kind of the objects that are written.
var Kind = corev1.SchemeGroupVersion.WithKind("Event")

// Journal writes the events of any number of sources, one after the other.
type Journal struct {
	client controlloop.Client
	clock  *clock

	mu         sync.Mutex // an event is written before the next is looked at
	aggregator *record.EventAggregator
	repeats    repeats
	filter     *record.EventSourceObjectSpamFilter
}

// NewJournal returns a journal that has seen nothing yet.
func NewJournal(client controlloop.Client) *Journal {
	clock := &clock{}
	return &Journal{
		client: client,
		clock:  clock,
		aggregator: record.NewEventAggregator(maxCorrelate, newSimilar().keys,
			record.EventAggregatorByReasonMessageFunc,
			maxSimilar, int(similarFor/time.Second), clock),
		repeats: newRepeats(),
		filter: record.NewEventSourceObjectSpamFilter(
			maxCorrelate, burst, perSecond, clock, talk),
	}
}

// Recorder returns the recorder of one source. An event that cannot be written
// is lost: its controller never learns of it.
func (j *Journal) Recorder(source corev1.EventSource) controlloop.Recorder {
	return recorder{j, source}
}

type recorder struct {
	journal *Journal
	source  corev1.EventSource
}

// Eventf implements controlloop.Recorder.
func (r recorder) Eventf(
	about runtime.Object, eventtype, reason, format string, args ...any,
) {
	r.journal.mu.Lock()
	defer r.journal.mu.Unlock()
	event, err := r.event(about, eventtype, reason, format, args)
	if err != nil {
		return // it cannot be named
	}
	r.journal.recordEvent(context.Background(), event)
}

// recordEvent writes an event, or counts up the one that it repeats. j.mu is held.
// (Kubernetes: EventCorrelate in k8s.io/client-go/tools/record/events_cache.go.)
func (j *Journal) recordEvent(ctx context.Context, event *corev1.Event) {
	event, key := j.aggregator.EventAggregate(event)
	j.repeats.count(event, key)
	if j.filter.Filter(event) {
		return
	}
	stored, err := j.write(ctx, event)
	if err != nil {
		return // lost, as Recorder says
	}
	j.repeats.written(stored, key)
}

func (j *Journal) write(
	ctx context.Context, event *corev1.Event,
) (*corev1.Event, error) {
	if event.Count > 1 {
		stored, err := j.countUp(ctx, event)
		if !apierrors.IsNotFound(err) {
			return stored, err
		}
	}
	return j.create(ctx, event)
}

// countUp brings the stored event up to date with its newest occurrence.
func (j *Journal) countUp(
	ctx context.Context, event *corev1.Event,
) (*corev1.Event, error) {
	obj, err := j.client.Get(ctx, Kind, controlloop.KeyOf(event))
	if err != nil {
		return nil, err
	}
	stored := obj.(*corev1.Event)
	if !sameSubject(stored, event) {
		return nil, apierrors.NewNotFound(corev1.Resource("events"), event.Name)
	}
	next := controlloop.Copy(stored)
	next.Count = event.Count
	next.LastTimestamp = event.LastTimestamp
	next.Message = event.Message
	return asEvent(j.client.Update(ctx, next))
}

// sameSubject reports whether two events can be one. Their names do not prove
// it: another process may have written an event in the same instant.
func sameSubject(a, b *corev1.Event) bool {
	return a.InvolvedObject.UID == b.InvolvedObject.UID &&
		a.Source == b.Source && a.Type == b.Type && a.Reason == b.Reason
}

// otherInstants is how many names are tried when others wrote in the same
// instant.
const otherInstants = 16

// create stores a new event, under another name if its own is taken.
func (j *Journal) create(
	ctx context.Context, event *corev1.Event,
) (*corev1.Event, error) {
	event.ResourceVersion = ""
	for range otherInstants {
		stored, err := asEvent(j.client.Create(ctx, event))
		if !apierrors.IsAlreadyExists(err) {
			return stored, err
		}
		event.Name = nameOf(event.InvolvedObject.Name, j.clock.Now())
	}
	return nil, apierrors.NewAlreadyExists(corev1.Resource("events"), event.Name)
}
