package controlloop

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Recorder notes for people what happened to an object, and why. No decision of
// a controller depends on it: a note that is lost is lost. (Kubernetes:
// client-go's record.EventRecorder.)
type Recorder interface {
	// Eventf notes an event about an object, or about an ObjectReference to a
	// part of one. Its type is Normal or Warning, its reason one word.
	Eventf(about runtime.Object, eventtype, reason, format string, args ...any)
}

// RecorderFor returns the recorder for a controller of this name. The host is
// its node's, if it has one.
func (s *System) RecorderFor(component, host string) Recorder {
	if s.Recorder == nil {
		return unrecorded{}
	}
	return s.Recorder(corev1.EventSource{Component: component, Host: host})
}

// unrecorded is the Recorder of a System that has none.
type unrecorded struct{}

// Eventf implements Recorder.
func (unrecorded) Eventf(runtime.Object, string, string, string, ...any) {}
