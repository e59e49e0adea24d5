package columns_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/internal/apiserver/columns"
)

func micro(d time.Duration) metav1.MicroTime { return metav1.NewMicroTime(now.Add(-d)) }

func event() *corev1.Event {
	return &corev1.Event{
		ObjectMeta: web,
		Type:       corev1.EventTypeWarning,
		Reason:     "BackOff",
		Message:    " Back-off restarting failed container\n",
		InvolvedObject: corev1.ObjectReference{
			Kind: "Pod", Name: "web", FieldPath: "spec.containers{a}",
		},
		Source:         corev1.EventSource{Component: "kubelet", Host: "node-1"},
		FirstTimestamp: ago(time.Minute),
		LastTimestamp:  ago(6 * time.Second),
		Count:          3,
	}
}

func TestAnEventSaysWhatHappenedToWhom(t *testing.T) {
	assert.Equal(t, []any{
		"6s", "Warning", "BackOff", "pod/web", "spec.containers{a}", "kubelet, node-1",
		"Back-off restarting failed container", "60s", int64(3), "web",
	}, cells(columns.Event, event()))
}

func TestAnEventOfTheNewerFormReadsAsTheOlderDoes(t *testing.T) {
	e := event()
	e.Source = corev1.EventSource{}
	e.ReportingController, e.ReportingInstance = "scheduler", "scheduler-1"
	e.FirstTimestamp, e.LastTimestamp, e.Count = metav1.Time{}, metav1.Time{}, 0
	e.EventTime = micro(2 * time.Minute)
	row := cells(columns.Event, e)
	assert.Equal(t, []any{"2m", "scheduler, scheduler-1", "2m", int64(1)},
		[]any{row[0], row[5], row[7], row[8]})

	e.Series = &corev1.EventSeries{Count: 5, LastObservedTime: micro(7 * time.Second)}
	row = cells(columns.Event, e)
	assert.Equal(t, []any{"7s", "2m", int64(5)}, []any{row[0], row[7], row[8]})
}

func TestAnEventThatKnowsLittle(t *testing.T) {
	e := &corev1.Event{InvolvedObject: corev1.ObjectReference{Kind: "Node"}}
	assert.Equal(t, []any{"<unknown>", "", "", "node", "", "", "", "<unknown>",
		int64(1), ""}, cells(columns.Event, e))
}
