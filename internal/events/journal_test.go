package events_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/events"
)

// kubelet is the source of most events here.
var kubelet = corev1.EventSource{Component: "kubelet", Host: "node-1"}

func newStore() *controlloop.Store {
	return controlloop.NewStore(controlloop.CoreKinds().With(controlloop.Kind{
		GroupVersionKind: events.Kind,
		Resource:         "events",
		Namespaced:       true,
		New:              func() controlloop.Object { return &corev1.Event{} },
	}))
}

// written returns the events in the store, by name and so by age.
func written(t *testing.T, store *controlloop.Store) []*corev1.Event {
	t.Helper()
	list, err := store.List(t.Context(), events.Kind, controlloop.ListOptions{})
	require.NoError(t, err)
	var all []*corev1.Event
	for _, item := range list.Items {
		all = append(all, item.(*corev1.Event))
	}
	return all
}

func web() *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "shop", Name: "web", UID: "uid-1", ResourceVersion: "7",
	}}
}

// inBubble runs f at midnight, 1 January 2000.
func inBubble(t *testing.T, f func(t *testing.T, store *controlloop.Store)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, newStore()) })
}

func TestAnEventSaysWhoDidWhatToWhat(t *testing.T) {
	inBubble(t, func(t *testing.T, store *controlloop.Store) {
		events.NewJournal(store).Recorder(kubelet).Eventf(web(), "Normal", "Killing",
			"Stopping container %s", "nginx")

		all := written(t, store)
		require.Len(t, all, 1)
		event := all[0]
		assert.Equal(t, "shop", event.Namespace)
		assert.Equal(t, "web.0d234ccf52430000", event.Name,
			"the time in nanoseconds, in hexadecimal")
		assert.Equal(t, corev1.ObjectReference{
			Kind: "Pod", APIVersion: "v1", Namespace: "shop", Name: "web",
			UID: "uid-1", ResourceVersion: "7",
		}, event.InvolvedObject)
		assert.Equal(t, "Normal", event.Type)
		assert.Equal(t, "Killing", event.Reason)
		assert.Equal(t, "Stopping container nginx", event.Message)
		assert.Equal(t, kubelet, event.Source)
		assert.Equal(t, "kubelet", event.ReportingController)
		assert.Equal(t, "node-1", event.ReportingInstance)
		assert.EqualValues(t, 1, event.Count)
		assert.Equal(t, "2000-01-01T00:00:00Z",
			event.FirstTimestamp.UTC().Format(time.RFC3339Nano))
		assert.Equal(t, event.FirstTimestamp, event.LastTimestamp)
	})
}

func TestAnEventCanBeAboutAPartOfAnObject(t *testing.T) {
	inBubble(t, func(t *testing.T, store *controlloop.Store) {
		part := &corev1.ObjectReference{
			Kind: "Pod", APIVersion: "v1", Namespace: "shop", Name: "web",
			UID: "uid-1", FieldPath: "spec.containers{nginx}",
		}
		events.NewJournal(store).Recorder(kubelet).Eventf(part, "Normal", "Started", "Container started")
		assert.Equal(t, *part, written(t, store)[0].InvolvedObject)
	})
}

func TestEventsAboutWhatHasNoNamespaceAreInDefault(t *testing.T) {
	inBubble(t, func(t *testing.T, store *controlloop.Store) {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node-1", UID: "uid-2"}}
		recorder := events.NewJournal(store).Recorder(kubelet)
		recorder.Eventf(node, "Normal", "Starting", "Starting kubelet.")
		recorder.Eventf(node, "Normal", "Starting", "Starting kubelet.")
		all := written(t, store)
		require.Len(t, all, 1, "and are found there again")
		assert.Equal(t, "default", all[0].Namespace)
		assert.Empty(t, all[0].InvolvedObject.Namespace)
	})
}

func TestEventsOfOneInstantHaveNamesOfTheirOwn(t *testing.T) {
	inBubble(t, func(t *testing.T, store *controlloop.Store) {
		for _, component := range []string{"default-scheduler", "kubelet"} {
			source := corev1.EventSource{Component: component}
			// Two journals, so two clocks: as two processes would.
			events.NewJournal(store).Recorder(source).Eventf(web(), "Normal", "Seen", "by %s", component)
		}
		all := written(t, store)
		require.Len(t, all, 2, "the second had to take another name")
		assert.NotEqual(t, all[0].Name, all[1].Name)
	})
}

func TestTheSameRunGivesTheSameNames(t *testing.T) {
	run := func() (names []string) {
		inBubble(t, func(t *testing.T, store *controlloop.Store) {
			journal := events.NewJournal(store)
			for i := range 12 {
				journal.Recorder(kubelet).Eventf(web(), "Normal", "Pulled", "image %d", i)
			}
			for _, event := range written(t, store) {
				names = append(names, event.Name+" "+event.Message)
			}
		})
		return names
	}
	assert.Equal(t, run(), run())
}

func TestALongNameStillGivesAnEvent(t *testing.T) {
	inBubble(t, func(t *testing.T, store *controlloop.Store) {
		pod := web()
		pod.Name = strings.Repeat("a", 235) + "." + strings.Repeat("b", 17)
		events.NewJournal(store).Recorder(kubelet).Eventf(pod, "Normal", "Started", "Container started")
		all := written(t, store)
		require.Len(t, all, 1, "the event's name must not be too long to be stored")
		assert.Equal(t, pod.Name, all[0].InvolvedObject.Name)
	})
}

// refusing is a client to which nothing can be written.
type refusing struct{ controlloop.Client }

func (refusing) Create(
	context.Context, controlloop.Object,
) (controlloop.Object, error) {
	return nil, errors.New("no space left")
}

func TestAnEventThatCannotBeWrittenIsLost(t *testing.T) {
	inBubble(t, func(t *testing.T, store *controlloop.Store) {
		recorder := events.NewJournal(refusing{store}).Recorder(kubelet)
		assert.NotPanics(t, func() {
			for i := range 30 {
				recorder.Eventf(web(), "Normal", "Pulled", "image %d", i)
			}
		})
		assert.Empty(t, written(t, store))
	})
}

func TestAnotherEventOfTheSameNameIsNotCountedUp(t *testing.T) {
	inBubble(t, func(t *testing.T, store *controlloop.Store) {
		recorder := events.NewJournal(store).Recorder(kubelet)
		recorder.Eventf(web(), "Warning", "BackOff", "Back-off restarting")
		ours := written(t, store)[0]
		other := controlloop.Copy(ours)
		other.InvolvedObject.UID = "uid-of-another"
		_, err := store.Update(t.Context(), other)
		require.NoError(t, err)

		recorder.Eventf(web(), "Warning", "BackOff", "Back-off restarting")
		all := written(t, store)
		require.Len(t, all, 2)
		for _, event := range all {
			if event.InvolvedObject.UID == "uid-of-another" {
				assert.EqualValues(t, 1, event.Count, "nobody has seen this one again")
			}
		}
	})
}

func TestConcurrentSourcesLoseNoCount(t *testing.T) {
	store := newStore()
	journal := events.NewJournal(store)
	done := make(chan struct{})
	for n := range 8 {
		go func() {
			defer func() { done <- struct{}{} }()
			source := corev1.EventSource{Component: fmt.Sprint("source-", n%2)}
			for range 5 {
				journal.Recorder(source).Eventf(web(), "Normal", "Seen", "again")
			}
		}()
	}
	for range 8 {
		<-done
	}
	all := written(t, store)
	require.Len(t, all, 2)
	assert.EqualValues(t, 20, all[0].Count)
	assert.EqualValues(t, 20, all[1].Count)
}
