package apiserver

import (
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/apiserver/rules"
	"reconcile/internal/apiserver/versions"
)

// Events have two forms: that of core/v1, in which they are kept, and that of
// events.k8s.io/v1, in which newer recorders write them. A client that asks for
// either gets all of them (Kubernetes: pkg/apis/events/v1).

var eventKind = corev1.SchemeGroupVersion.WithKind("Event")

// newerEvents returns the kind events.k8s.io/v1 Event, which no store keeps.
func newerEvents() kinds.Kind {
	return kinds.Kind{
		Kind: controlloop.Kind{
			GroupVersionKind: eventsv1.SchemeGroupVersion.WithKind("Event"),
			Resource:         "events",
			Namespaced:       true,
			New:              func() controlloop.Object { return &eventsv1.Event{} },
		},
		ShortNames:     []string{"ev"},
		CreateOnUpdate: true,
	}
}

// asNewerEvents makes a resource of newer events read and write the older.
func asNewerEvents(r *resource, older kinds.Kind) {
	r.inStore = older.Kind
	v := r.views[""]
	v.show = newerEvent
	v.open = func(live controlloop.Object) (controlloop.Object, error) {
		return newerEvent(live), nil
	}
	v.merge = func(shown, live controlloop.Object) (controlloop.Object, error) {
		if live == nil {
			if errs := rules.CheckNewerEvent(shown); len(errs) > 0 {
				return nil, apierrors.NewInvalid(eventKind.GroupKind(), shown.GetName(), errs)
			}
		}
		return olderEvent(shown), nil
	}
}

// newerEvent returns an event in its newer form, which it may have already.
func newerEvent(obj controlloop.Object) controlloop.Object {
	if newer, ok := obj.(*eventsv1.Event); ok {
		return newer
	}
	newer := &eventsv1.Event{}
	newer.SetGroupVersionKind(eventsv1.SchemeGroupVersion.WithKind("Event"))
	convert(obj, newer)
	return newer
}

// olderEvent returns an event in its older form, which it may have already.
func olderEvent(obj controlloop.Object) *corev1.Event {
	if older, ok := obj.(*corev1.Event); ok {
		return older
	}
	older := &corev1.Event{}
	older.SetGroupVersionKind(eventKind)
	convert(obj, older)
	return older
}

func convert(event, into controlloop.Object) {
	internal, err := versions.Internal(event)
	if err == nil {
		err = versions.Restore(into, internal)
	}
	if err != nil {
		panic(err) // both forms have the same fields
	}
}
