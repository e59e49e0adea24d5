package events

import (
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/reference"

	controlloop "reconcile/chapters/01-control-loop"
)

// event returns r's message about an object as an Event that occurred once.
func (r recorder) event(
	about runtime.Object, eventtype, reason, format string, args []any,
) (*corev1.Event, error) {
	ref, err := reference.GetReference(scheme.Scheme, about)
	if err != nil {
		return nil, err
	}
	instant := r.journal.clock.Now()
	seconds := metav1.NewTime(instant).Rfc3339Copy()
	return &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{
			Name:      nameOf(ref.Name, instant),
			Namespace: namespaceOf(ref),
		},
		InvolvedObject:      *ref,
		Type:                eventtype,
		Reason:              reason,
		Message:             fmt.Sprintf(format, args...),
		Source:              r.source,
		ReportingController: r.source.Component,
		ReportingInstance:   r.source.Host,
		FirstTimestamp:      seconds,
		LastTimestamp:       seconds,
		Count:               1,
	}, nil
}

// namespaceOf returns the namespace where an event is kept: that of its
// subject. The events of an object that has none are in default.
func namespaceOf(ref *corev1.ObjectReference) string {
	if ref.Namespace == "" {
		return metav1.NamespaceDefault
	}
	return ref.Namespace
}

// nameOf returns the name of an event about an object: its name, a dot, and the
// nanosecond in 16 hexadecimal digits.
func nameOf(object string, instant time.Time) string {
	const digits = 16
	most := validation.DNS1123SubdomainMaxLength - digits - 1
	if len(object) > most {
		object = strings.TrimRight(object[:most], "-.")
	}
	return fmt.Sprintf("%s.%0*x", object, digits, instant.UnixNano())
}

// asEvent returns the answer of a client that was asked for an Event.
func asEvent(obj controlloop.Object, err error) (*corev1.Event, error) {
	if err != nil {
		return nil, err
	}
	return obj.(*corev1.Event), nil
}
