package apiserver_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
)

const (
	olderEvents = "/api/v1/namespaces/default/events"
	newerEvents = "/apis/events.k8s.io/v1/namespaces/default/events"
)

const aNewerEvent = `{"metadata":{"name":"e"},"eventTime":"2026-01-02T03:04:05.000000Z",
	"reportingController":"me","reportingInstance":"me-1","action":"Do","reason":"Done",
	"regarding":{"kind":"Pod","namespace":"default","name":"web"},"note":"it is done",
	"type":"Normal"}`

func TestAnEventHasTwoForms(t *testing.T) {
	a := newAPI(t)
	made := into[eventsv1.Event](http.StatusCreated, a.post(newerEvents, aNewerEvent))
	assert.Equal(t, "events.k8s.io/v1", made.APIVersion)
	assert.Equal(t, "it is done", made.Note)
	old := into[corev1.Event](http.StatusOK, a.get(olderEvents+"/e"))
	assert.Equal(t, "v1", old.APIVersion)
	assert.Equal(t, made.UID, old.UID)
	assert.Equal(t, "it is done", old.Message)
	assert.Equal(t, "web", old.InvolvedObject.Name)
	changed := into[eventsv1.Event](http.StatusOK, a.patch(newerEvents+"/e", strategic,
		`{"series":{"count":2,"lastObservedTime":"2026-01-02T03:05:05.000000Z"}}`))
	assert.EqualValues(t, 2, changed.Series.Count)
	old = into[corev1.Event](http.StatusOK, a.patch(olderEvents+"/e", merge,
		`{"message":"it is well done"}`))
	assert.EqualValues(t, 2, old.Series.Count)

	list := into[eventsv1.EventList](http.StatusOK,
		a.get(newerEvents+"?fieldSelector=regarding.name%3Dweb"))
	require.Len(t, list.Items, 1)
	assert.Equal(t, "it is well done", list.Items[0].Note)
	assert.Equal(t, "events.k8s.io/v1", list.APIVersion)
	none := into[eventsv1.EventList](http.StatusOK,
		a.get(newerEvents+"?fieldSelector=regarding.name%3Dother"))
	assert.Empty(t, none.Items)
	assert.Equal(t, http.StatusBadRequest,
		a.get(newerEvents+"?fieldSelector=involvedObject.name%3Dweb").code)

	for _, path := range []string{olderEvents, newerEvents} {
		shown := into[metav1.Table](http.StatusOK, a.as(table, path))
		require.Len(t, shown.Rows, 1, path)
		assert.Equal(t, "pod/web", shown.Rows[0].Cells[3], path)
	}
	tried := a.post(newerEvents+"?dryRun=All", aNewerEvent)
	assert.Equal(t, http.StatusConflict, tried.code)
	gone := into[metav1.Status](http.StatusOK, a.delete(newerEvents+"/e", nil))
	assert.Equal(t, "events.k8s.io", gone.Details.Group)
	assert.Equal(t, http.StatusNotFound, a.get(olderEvents+"/e").code)
}

func TestAWatchOfNewerEventsSeesAll(t *testing.T) {
	bubbled(t, func(t *testing.T, a *api) {
		w := a.watch(newerEvents+streaming, "")
		a.post(olderEvents, `{"metadata":{"name":"o"},"reason":"Old",
			"involvedObject":{"kind":"Pod","namespace":"default","name":"web"}}`)
		frames := w.frames()
		require.Len(t, frames, 2)
		assert.Contains(t, string(frames[0].Object), `"kind":"Event","apiVersion":"events.k8s.io/v1"`)
		assert.Contains(t, string(frames[1].Object), `"regarding":{"kind":"Pod"`)
	})
}

// Controller-runtime records with this one.
func TestTheNewerRecorderWrites(t *testing.T) {
	a := newAPI(t)
	client, err := kubernetes.NewForConfig(a.config())
	require.NoError(t, err)
	broadcaster := events.NewBroadcaster(&events.EventSinkImpl{
		Interface: client.EventsV1()})
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	require.NoError(t, broadcaster.StartRecordingToSinkWithContext(ctx))
	pod := a.post(pods, aPod("web")).pod()
	broadcaster.NewRecorder(scheme.Scheme, "me").Eventf(
		pod, nil, corev1.EventTypeNormal, "Seen", "Look", "seen %d times", 1)
	assert.Eventually(t, func() bool {
		list := into[corev1.EventList](http.StatusOK, a.get(olderEvents))
		return len(list.Items) == 1 && list.Items[0].Message == "seen 1 times"
	}, time.Minute, 10*time.Millisecond)
	broadcaster.Shutdown()
}

func TestOfANewerEventMoreIsAsked(t *testing.T) {
	a := newAPI(t)
	refused := a.post(newerEvents, `{"metadata":{"name":"e"},"regarding":{"namespace":"default"},
		"eventTime":"2026-01-01T00:00:00.000000Z","reportingController":"example.com/c",
		"reportingInstance":"c-0","action":"Look","reason":"Seen","type":"Good"}`).refusal()
	assert.Equal(t, `Event "e" is invalid: type: Invalid value: "": has invalid value: Good`, refused.Message)
}
