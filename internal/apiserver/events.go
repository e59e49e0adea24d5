package apiserver

import (
	"time"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/fields"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/columns"
	"reconcile/internal/apiserver/kinds"
)

// Events have two forms: that of core/v1, in which they are kept, and that of
// events.k8s.io/v1, in which newer recorders write them. A client that asks for
// either gets all of them (Kubernetes: pkg/apis/events/v1).

var eventKind = corev1.SchemeGroupVersion.WithKind("Event")

// newerEvents returns the kind events.k8s.io/v1 Event, which no store keeps.
func newerEvents() kinds.Kind {
	kind := kinds.Kind{
		Kind: controlloop.Kind{
			GroupVersionKind: eventsv1.SchemeGroupVersion.WithKind("Event"),
			Resource:         "events",
			Namespaced:       true,
			New:              func() controlloop.Object { return &eventsv1.Event{} },
		},
		ShortNames:     []string{"ev"},
		CreateOnUpdate: true,
		Set:            columns.Event,
	}
	kind.Fields = func(controlloop.Object) fields.Set {
		names := fields.Set{}
		for name := range eventFields {
			names[name] = ""
		}
		return names
	}
	kind.Cells = func(obj controlloop.Object, now time.Time) []any {
		return columns.Event.Cells(olderEvent(obj), now)
	}
	return kind
}

// eventFields are the fields by which newer events are selected, as the older
// have them.
var eventFields = map[string]string{
	"reason":                    "reason",
	"regarding.kind":            "involvedObject.kind",
	"regarding.namespace":       "involvedObject.namespace",
	"regarding.name":            "involvedObject.name",
	"regarding.uid":             "involvedObject.uid",
	"regarding.apiVersion":      "involvedObject.apiVersion",
	"regarding.resourceVersion": "involvedObject.resourceVersion",
	"regarding.fieldPath":       "involvedObject.fieldPath",
	"reportingController":       "reportingComponent",
	"type":                      "type",
}

// asNewerEvents makes a resource of newer events read and write the older.
func asNewerEvents(r *resource, older kinds.Kind) {
	r.inStore = older.Kind
	r.fieldNames = eventFields
	v := r.views[""]
	v.show = newerEvent
	v.open = func(live controlloop.Object) (controlloop.Object, error) {
		return newerEvent(live), nil
	}
	v.merge = func(shown, _ controlloop.Object) (controlloop.Object, error) {
		return olderEvent(shown), nil
	}
}

// newerEvent returns an event in its newer form, which it may have already.
func newerEvent(obj controlloop.Object) controlloop.Object {
	old, ok := obj.(*corev1.Event)
	if !ok {
		return obj
	}
	event := &eventsv1.Event{
		ObjectMeta:               old.ObjectMeta,
		EventTime:                old.EventTime,
		Series:                   (*eventsv1.EventSeries)(old.Series),
		ReportingController:      old.ReportingController,
		ReportingInstance:        old.ReportingInstance,
		Action:                   old.Action,
		Reason:                   old.Reason,
		Regarding:                old.InvolvedObject,
		Related:                  old.Related,
		Note:                     old.Message,
		Type:                     old.Type,
		DeprecatedSource:         old.Source,
		DeprecatedFirstTimestamp: old.FirstTimestamp,
		DeprecatedLastTimestamp:  old.LastTimestamp,
		DeprecatedCount:          old.Count,
	}
	event.SetGroupVersionKind(eventsv1.SchemeGroupVersion.WithKind("Event"))
	return event
}

// olderEvent returns an event in its older form, which it may have already.
func olderEvent(obj controlloop.Object) *corev1.Event {
	event, ok := obj.(*eventsv1.Event)
	if !ok {
		return obj.(*corev1.Event)
	}
	old := &corev1.Event{
		ObjectMeta:          event.ObjectMeta,
		EventTime:           event.EventTime,
		Series:              (*corev1.EventSeries)(event.Series),
		ReportingController: event.ReportingController,
		ReportingInstance:   event.ReportingInstance,
		Action:              event.Action,
		Reason:              event.Reason,
		InvolvedObject:      event.Regarding,
		Related:             event.Related,
		Message:             event.Note,
		Type:                event.Type,
		Source:              event.DeprecatedSource,
		FirstTimestamp:      event.DeprecatedFirstTimestamp,
		LastTimestamp:       event.DeprecatedLastTimestamp,
		Count:               event.DeprecatedCount,
	}
	old.SetGroupVersionKind(eventKind)
	return old
}
