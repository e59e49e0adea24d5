package controlloop_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// An entry is a change in the log of Pods, as figures/places.svg has it; a place is a
// watcher's, and what it hears next.
type (
	entry struct {
		Version string `json:"version"`
		Type    string `json:"type"`
		Pod     string `json:"pod"`
	}
	place struct {
		After uint64 `json:"after"`
		Next  string `json:"next"` // a version, or the reason of a refusal, or ""
	}
)

// pass reads the next n changes, and returns them.
func pass(t *testing.T, w controlloop.Watch, n int) (all []entry) {
	for range n {
		event, ok, err := w.TryNext()
		require.NoError(t, err)
		require.True(t, ok)
		pod := event.Object.(*corev1.Pod)
		all = append(all, entry{pod.ResourceVersion, string(event.Type), pod.Name})
	}
	return all
}

// Seven changes of Pods among eleven writes, and three watchers that have read one, four,
// and all of them.
func TestRunOfThreeWatchers(t *testing.T) {
	store := newStore()
	watchers := make([]controlloop.Watch, 3)
	for i := range watchers {
		var err error
		watchers[i], err = store.Watch(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
		require.NoError(t, err)
	}
	change := func(name string) {
		pod, err := store.Get(t.Context(), controlloop.PodKind, kubetest.Named(name))
		require.NoError(t, err)
		next := controlloop.Copy(pod)
		next.SetAnnotations(map[string]string{"changed": next.GetResourceVersion()})
		mustUpdate(t, store, next)
	}
	other := func(name string) { mustCreate(t, store, configMap(name, nil)) }
	mustCreate(t, store, kubetest.Pod("web-0"))
	mustCreate(t, store, kubetest.Pod("web-1"))
	other("a")
	change("web-0")
	change("web-1")
	other("b")
	other("c")
	change("web-0")
	other("d")
	require.NoError(t, store.Delete(t.Context(), controlloop.PodKind, kubetest.Named("web-1"), metav1.DeleteOptions{}))
	mustCreate(t, store, kubetest.Pod("web-2"))

	pass(t, watchers[0], 1)
	pass(t, watchers[1], 4)
	log := pass(t, watchers[2], 7)
	require.NoError(t, store.Compact("2"))
	places := make([]place, len(watchers))
	for i, w := range watchers {
		places[i].After = controlloop.PlaceOf(w)
		event, ok, err := w.TryNext()
		switch {
		case err != nil:
			places[i].Next = string(apierrors.ReasonForError(err))
		case ok:
			places[i].Next = event.Object.(controlloop.Object).GetResourceVersion()
		}
	}
	kubetest.RecordedJSON(t, "places.json", map[string]any{"log": log, "watchers": places})
}
