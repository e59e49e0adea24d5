package events

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/lru"
)

// repeats remembers how often an event has occurred, and by which name it was
// written. So does EventCorrelator, but it also makes a patch for each event:
// of the ten thousand that a ReplicaSet records for its Pods in a minute,
// twenty-five are written, and the other patches are made in vain.
type repeats struct{ last *lru.Cache }

func newRepeats() repeats { return repeats{lru.New(maxCorrelate)} }

// count makes event a repetition of the one that had this key before.
func (r repeats) count(event *corev1.Event, key string) {
	if before, ok := r.last.Get(key); ok {
		last := before.(*corev1.Event)
		event.Name, event.FirstTimestamp = last.Name, last.FirstTimestamp
		event.Count = last.Count + 1
	}
	r.last.Add(key, event)
}

// written notes that event was written, perhaps by another name.
func (r repeats) written(event *corev1.Event, key string) {
	r.last.Add(key, event)
}

// Kubernetes lets a source say so much of one object: a burst, and then one
// event in five minutes (defaultSpamBurst and defaultSpamQPS in
// k8s.io/client-go/tools/record/events_cache.go).
const (
	burst     = 25
	perSecond = 1. / 300
)

// talk returns a key for all that one source says of one object (getSpamKey,
// there).
func talk(event *corev1.Event) string {
	about := event.InvolvedObject
	return strings.Join([]string{
		event.Source.Component, event.Source.Host, about.Kind, about.Namespace,
		about.Name, string(about.UID), about.APIVersion, event.Type,
	}, "")
}
