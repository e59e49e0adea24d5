package controlloop_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// An object may enter and leave a selection while it lives.
//
//book:exercise 1e
func TestAnObjectEntersAndLeavesASelection(t *testing.T) {
	s, _ := written()
	w := map[string]controlloop.Watch{}
	for name, opts := range map[string]controlloop.ListOptions{
		"x": {Labels: labelled("app", "x")}, "unbound": {Fields: onNode("")},
		"node-1": {Fields: onNode("node-1")}, "elsewhere": {Namespace: "other"},
	} {
		var err error
		w[name], err = s.Watch(t.Context(), controlloop.PodKind, opts)
		require.NoError(t, err)
	}
	pod := mustCreate(t, s, kubetest.Pod("web"))
	label := func(app string) {
		pod = mustUpdate(t, s, edited(pod, func(p *corev1.Pod) { p.Labels["app"] = app }))
	}
	label("x")
	pod = mustBind(t, s, pod, "node-1")
	label("y")
	label("x")
	require.NoError(t, s.Delete(t.Context(), controlloop.PodKind,
		kubetest.Named("web"), kubetest.Grace(0)))
	for _, of := range []struct{ name, want string }{
		{"x", "ADDED 2, MODIFIED 3, DELETED 4, ADDED 5, DELETED 6"},
		{"unbound", "ADDED 1, MODIFIED 2, DELETED 3"},
		{"node-1", "ADDED 3, MODIFIED 4, MODIFIED 5, DELETED 6"},
		{"elsewhere", ""},
	} {
		assert.Equal(t, of.want, strings.Join(eventsOf(t, w[of.name]), ", "), of.name)
	}
}

// An object that leaves a selection is shown to the watchers of that selection
// as it was when it last belonged to them, at the version at which it left; no
// other watcher sees a difference.
//
//book:exercise 1e
func TestWhoLeavesASelectionIsShownAsItLastWasInIt(t *testing.T) {
	s, writes := written()
	selecting, err := s.Watch(t.Context(), controlloop.PodKind,
		controlloop.ListOptions{Labels: labelled("app", "x")})
	require.NoError(t, err)
	pod := kubetest.Pod("web")
	pod.Labels["app"] = "x"
	pod = mustCreate(t, s, pod)
	mustUpdate(t, s, edited(pod, func(p *corev1.Pod) {
		p.Labels["app"] = "y"
		p.Annotations = map[string]string{"moved": "to y"}
	}))
	added, _, err := selecting.TryNext()
	require.NoError(t, err)
	require.Equal(t, watch.Added, added.Type)
	left, _, err := selecting.TryNext()
	require.NoError(t, err)
	require.Equal(t, watch.Deleted, left.Type)
	assert.Equal(t, "x", left.Object.(*corev1.Pod).Labels["app"],
		"as it was when it was last one of them")
	assert.Empty(t, left.Object.(*corev1.Pod).Annotations, "and nothing that has changed since")
	assert.Equal(t, "2", left.Object.(*corev1.Pod).ResourceVersion,
		"and since when it no longer is")
	assert.Equal(t, "1", (*writes)[0].Object.GetResourceVersion(),
		"what was stored is everybody's, and stays as it was")
}

// The write that takes the last finalizer away may change more. A deleted
// object is shown as it ended.
//
//book:exercise 1e
func TestWhatIsDeletedIsShownAsItEnded(t *testing.T) {
	s, _ := written()
	w, err := s.Watch(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
	require.NoError(t, err)
	pod := kubetest.Pod("web")
	pod.Finalizers = []string{"example.com/hold"}
	mustCreate(t, s, pod)
	require.NoError(t, s.Delete(t.Context(), controlloop.PodKind,
		kubetest.Named("web"), kubetest.Grace(0)))
	stored, err := s.Get(t.Context(), controlloop.PodKind, kubetest.Named("web"))
	require.NoError(t, err)
	mustUpdate(t, s, edited(stored.(*corev1.Pod), func(p *corev1.Pod) {
		p.Finalizers = nil
		p.Annotations = map[string]string{"last": "words"}
	}))
	var last watch.Event
	for {
		event, ok, err := w.TryNext()
		require.NoError(t, err)
		if !ok {
			break
		}
		last = event
	}
	require.Equal(t, watch.Deleted, last.Type)
	assert.Equal(t, "words", last.Object.(*corev1.Pod).Annotations["last"])
}

// A watcher that never saw an object is not told of its end.
//
//book:exercise 1e
func TestTheEndOfAStrangerIsNoEvent(t *testing.T) {
	s, _ := written()
	w, err := s.Watch(t.Context(), controlloop.PodKind,
		controlloop.ListOptions{Labels: labelled("app", "x")})
	require.NoError(t, err)
	mustCreate(t, s, kubetest.Pod("stranger"))
	require.NoError(t, s.Delete(t.Context(), controlloop.PodKind,
		kubetest.Named("stranger"), kubetest.Grace(0)))
	pod := kubetest.Pod("web")
	pod.Labels["app"] = "x"
	mustCreate(t, s, pod)
	assert.Equal(t, []string{"ADDED 3"}, eventsOf(t, w))
}

// eventsOf reads all events: "ADDED 2".
func eventsOf(t *testing.T, w controlloop.Watch) (events []string) {
	t.Helper()
	for {
		event, ok, err := w.TryNext()
		require.NoError(t, err)
		if !ok {
			return events
		}
		events = append(events, fmt.Sprint(event.Type, " ",
			event.Object.(controlloop.Object).GetResourceVersion()))
	}
}

func TestAWatchFromBeforeTheHistoryIsExpired(t *testing.T) {
	s, _ := written(controlloop.WithHistory(10))
	mustCreate(t, s, settings("settings"))
	running, err := s.Watch(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
	require.NoError(t, err)
	for range 30 {
		mustCreate(t, s, kubetest.Pod("web"))
		require.NoError(t, s.Delete(t.Context(), controlloop.PodKind,
			kubetest.Named("web"), metav1.DeleteOptions{}))
	}
	_, err = s.Watch(t.Context(), controlloop.PodKind, controlloop.ListOptions{ResourceVersion: "1"})
	assert.True(t, apierrors.IsResourceExpired(err), "%v", err)
	_, _, err = running.TryNext()
	assert.True(t, apierrors.IsResourceExpired(err), "it was overtaken: %v", err)
	_, err = running.Next(t.Context())
	assert.True(t, apierrors.IsResourceExpired(err), "%v", err)
	assert.EqualValues(t, 410, err.(apierrors.APIStatus).Status().Code)

	_, err = s.Watch(t.Context(), configMapKind, controlloop.ListOptions{})
	assert.NoError(t, err)
	for back := range 11 {
		_, err = s.Watch(t.Context(), controlloop.PodKind,
			controlloop.ListOptions{ResourceVersion: fmt.Sprint(61 - back)})
		assert.NoError(t, err, "%d events back", back)
	}
}

// Versions that a kind has forgotten its topics have forgotten too, and a watch
// that had seen them goes on.
func TestAWatchFromBeforeACompactionIsExpired(t *testing.T) {
	s, _ := written()
	ofNode := controlloop.ListOptions{
		Fields: fields.OneTermEqualSelector("spec.nodeName", "")}
	late, err := s.Watch(t.Context(), controlloop.PodKind, ofNode)
	require.NoError(t, err)
	onTime, err := s.Watch(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
	require.NoError(t, err)
	for i := range 5 {
		mustCreate(t, s, kubetest.Pod(fmt.Sprintf("p%d", i)))
	}
	assert.Len(t, eventsOf(t, onTime), 5)
	require.NoError(t, s.Compact("3"))
	require.NoError(t, s.Compact("2"), "that is so already")
	assert.True(t, apierrors.IsBadRequest(s.Compact("x")))

	_, _, err = late.TryNext()
	assert.True(t, apierrors.IsResourceExpired(err), "%v", err)
	from := func(version string) error {
		_, err := s.Watch(t.Context(), controlloop.PodKind,
			controlloop.ListOptions{ResourceVersion: version})
		return err
	}
	assert.True(t, apierrors.IsResourceExpired(from("2")))
	assert.NoError(t, from("3"))
	mustCreate(t, s, kubetest.Pod("more"))
	assert.Equal(t, []string{"ADDED 6"}, eventsOf(t, onTime))
}

func TestWritesOfOneKindDoNotAgeTheWatchesOfAnother(t *testing.T) {
	s, _ := written(controlloop.WithHistory(3))
	pods, err := s.Watch(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
	require.NoError(t, err)
	for i := range 20 {
		mustCreate(t, s, settings(fmt.Sprintf("c%d", i)))
	}
	mustCreate(t, s, kubetest.Pod("web"))
	assert.Equal(t, []string{"ADDED 21"}, eventsOf(t, pods))
}

func TestABookmarkSaysHowFarAWatchIsThatHasSeenNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, _ := written()
		w, err := s.Watch(t.Context(), controlloop.PodKind,
			controlloop.ListOptions{Namespace: "other", Bookmarks: true})
		require.NoError(t, err)
		silent, err := s.Watch(t.Context(), controlloop.PodKind,
			controlloop.ListOptions{Namespace: "other"})
		require.NoError(t, err)
		mustCreate(t, s, kubetest.Pod("web"))
		mustCreate(t, s, settings("settings"))
		assert.Empty(t, eventsOf(t, w), "not yet")
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"BOOKMARK 2"}, eventsOf(t, w))
		time.Sleep(time.Minute)
		assert.Equal(t, []string{"BOOKMARK 2"}, eventsOf(t, w), "no news are a sign of life")
		assert.Empty(t, eventsOf(t, w), "once a minute")
		assert.Empty(t, eventsOf(t, silent), "nobody asked")

		start := time.Now()
		event, err := w.Next(t.Context())
		require.NoError(t, err)
		assert.Equal(t, watch.Bookmark, event.Type)
		assert.Equal(t, time.Minute, time.Since(start))
	})
}

func TestAWatcherThatNobodyReadsHoldsUpNobodyAndKeepsNothingAlive(t *testing.T) {
	t.Parallel()
	s := controlloop.NewStore(controlloop.CoreKinds(), controlloop.WithHistory(20))
	w, err := s.Watch(t.Context(), configMapKind, controlloop.ListOptions{})
	require.NoError(t, err)
	first := weak.Make(mustCreate(t, s, settings("web")))
	for n := range 10_000 {
		m := settings("web")
		m.Data = map[string]string{"n": fmt.Sprint(n)}
		mustUpdate(t, s, m)
	}
	runtime.GC()
	assert.Nil(t, first.Value(), "an old state is held for a watcher that is late")
	_, _, err = w.TryNext()
	assert.True(t, apierrors.IsResourceExpired(err), "%v", err)
}

func TestAWatchWithoutAVersionBeginsNow(t *testing.T) {
	store := newStore()
	mustCreate(t, store, configMap("before", nil))
	w, err := store.Watch(t.Context(), configMapKind, controlloop.ListOptions{})
	require.NoError(t, err)
	defer w.Stop()
	mustCreate(t, store, configMap("after", nil))
	event, ok, err := w.TryNext()
	require.NoError(t, err)
	require.True(t, ok)
	assert.Equal(t, "after", event.Object.(controlloop.Object).GetName())
}
