package kubetest

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	controlloop "reconcile/chapters/01-control-loop"
)

// Events returns the events that the controllers have recorded so far, in
// order: type, reason, source, the part of the object that the event is about,
// and the message.
func (c *Cluster) Events() []string {
	c.telling.Lock()
	defer c.telling.Unlock()
	return append([]string{}, c.events...)
}

// recorder is a controlloop.Recorder that keeps its events.
type recorder struct {
	cluster *Cluster
	source  corev1.EventSource
}

func (c *Cluster) recorder(source corev1.EventSource) controlloop.Recorder {
	return recorder{c, source}
}

// Eventf implements controlloop.Recorder.
func (r recorder) Eventf(about runtime.Object, eventtype, reason, format string, args ...any) {
	source := r.source.Component
	if r.source.Host != "" {
		source += " " + r.source.Host
	}
	if ref, ok := about.(*corev1.ObjectReference); ok && ref.FieldPath != "" {
		source += " " + ref.FieldPath
	}
	r.cluster.telling.Lock()
	defer r.cluster.telling.Unlock()
	r.cluster.events = append(r.cluster.events, strings.TrimSpace(fmt.Sprintf(
		"%s %s %s: %s", eventtype, reason, source, fmt.Sprintf(format, args...))))
}
