package columns

import (
	"cmp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Event is what a table shows of Events.
var Event = of(eventCells,
	text("Last Seen", corev1.Event{}.SwaggerDoc()["lastTimestamp"]),
	text("Type", corev1.Event{}.SwaggerDoc()["type"]),
	text("Reason", corev1.Event{}.SwaggerDoc()["reason"]),
	text("Object", corev1.Event{}.SwaggerDoc()["involvedObject"]),
	wide(text("Subobject", corev1.ObjectReference{}.SwaggerDoc()["fieldPath"])),
	wide(text("Source", corev1.Event{}.SwaggerDoc()["source"])),
	text("Message", corev1.Event{}.SwaggerDoc()["message"]),
	wide(text("First Seen", corev1.Event{}.SwaggerDoc()["firstTimestamp"])),
	wide(text("Count", corev1.Event{}.SwaggerDoc()["count"])),
	wide(name),
)

func eventCells(e *corev1.Event, now time.Time) []any {
	first, last, count := seen(e, now)
	about := strings.ToLower(e.InvolvedObject.Kind)
	if e.InvolvedObject.Name != "" {
		about += "/" + e.InvolvedObject.Name
	}
	return []any{
		last,
		e.Type,
		e.Reason,
		about,
		e.InvolvedObject.FieldPath,
		source(e),
		strings.TrimSpace(e.Message),
		first,
		int64(count),
		e.Name,
	}
}

// seen returns when an event was first and last seen, and how often: events of
// the older form count by themselves, those of the newer in a series.
func seen(e *corev1.Event, now time.Time) (first, last string, count int32) {
	first = age(e.FirstTimestamp, now)
	if e.FirstTimestamp.IsZero() {
		first = microAge(e.EventTime, now)
	}
	if e.Series != nil {
		return first, microAge(e.Series.LastObservedTime, now), e.Series.Count
	}
	last = first
	if !e.LastTimestamp.IsZero() {
		last = age(e.LastTimestamp, now)
	}
	return first, last, cmp.Or(e.Count, 1)
}

// source returns the component that tells of the event, and where it is.
func source(e *corev1.Event) string {
	who := cmp.Or(e.Source.Component, e.ReportingController)
	where := cmp.Or(e.Source.Host, e.ReportingInstance)
	if where == "" {
		return who
	}
	return who + ", " + where
}
