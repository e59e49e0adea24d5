package up_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/lab/up"
)

// told returns the lines that are printed of events written before,
// and while, a teller runs.
func told(t *testing.T, before, then []*corev1.Event, options ...controlloop.Option) string {
	t.Helper()
	out := &output{}
	synctest.Test(t, func(t *testing.T) {
		store := controlloop.NewStore(kinds.Store(kinds.All()), options...)
		create := func(events []*corev1.Event) {
			for _, event := range events {
				_, err := store.Create(t.Context(), event)
				require.NoError(t, err)
			}
		}
		run, err := up.TellEvents(store, out)
		require.NoError(t, err)
		create(before)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			run(ctx)
		}()
		synctest.Wait()
		create(then)
		synctest.Wait()
		cancel()
		<-done
	})
	return out.String()
}

// event returns an event about the Pod web at noon.
func event(name string, change func(*corev1.Event)) *corev1.Event {
	e := &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: "default", Name: name},
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "default", Name: "web"},
		Type:           "Normal", Reason: "Seen", Message: name,
		LastTimestamp: metav1.Date(2000, 1, 1, 12, 0, 0, 0, time.Local),
	}
	if change != nil {
		change(e)
	}
	return e
}

func TestAnEventIsALine(t *testing.T) {
	const start = "12:00:00  Normal   Seen              pod/web                   "
	for name, c := range map[string]struct {
		change func(*corev1.Event)
		line   string
	}{
		"as it is": {nil, start + "it"},
		"for the third time": {
			func(e *corev1.Event) { e.Count = 3 }, start + "it (x3)"},
		"in another namespace": {
			func(e *corev1.Event) {
				e.Namespace, e.InvolvedObject.Namespace = "shop", "shop"
			}, "12:00:00  Normal   Seen              pod/web -n shop           it"},
		"about a node": {
			func(e *corev1.Event) {
				e.InvolvedObject = corev1.ObjectReference{Kind: "Node", Name: "node-1"}
			}, "12:00:00  Normal   Seen              node/node-1               it"},
		"that would clear the screen": {
			func(e *corev1.Event) { e.Message = "it\n\x1b[2Jgone" }, start + "it  [2Jgone"},
		"with the other time": {
			func(e *corev1.Event) {
				e.EventTime = metav1.NewMicroTime(e.LastTimestamp.Time)
				e.LastTimestamp = metav1.Time{}
				e.ReportingController, e.ReportingInstance, e.Action = "a", "b", "Look"
			}, start + "it"},
	} {
		assert.Equal(t, c.line+"\n", told(t, nil, []*corev1.Event{event("it", c.change)}), name)
	}
}

func TestWhatHappensBeforeAnybodyPrintsIsPrinted(t *testing.T) {
	out := told(t, []*corev1.Event{event("early", nil)}, []*corev1.Event{event("late", nil)})
	assert.Contains(t, out, "early\n")
	assert.Contains(t, out, "late\n")
}

func TestMoreEventsThanCanBePrintedAreToldOnce(t *testing.T) {
	var early []*corev1.Event
	for name := range strings.SplitSeq("a b c d e f g h i j", " ") {
		early = append(early, event(name, nil))
	}
	out := told(t, early, []*corev1.Event{event("late", nil)}, controlloop.WithHistory(2))
	assert.True(t, strings.HasPrefix(out, "(more events than could be printed)\n"), out)
	assert.True(t, strings.HasSuffix(out, "late\n"), out)
	assert.Equal(t, 2, strings.Count(out, "\n"))
}
