package manager

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/events"
)

// teller writes events behind the controllers' backs: none waits for a server to
// take one. (Kubernetes: client-go's record.EventBroadcaster.)
type teller struct {
	journal *events.Journal
	told    chan func()
}

// backlog is how many events may wait; what comes then is lost.
const backlog = 1000

// tellBy returns a teller that writes until ctx ends.
func tellBy(ctx context.Context, client controlloop.Client) *teller {
	t := &teller{events.NewJournal(client), make(chan func(), backlog)}
	go func() {
		for {
			select {
			case write := <-t.told:
				write()
			case <-ctx.Done():
				return
			}
		}
	}()
	return t
}

func (t *teller) recorder(source corev1.EventSource) controlloop.Recorder {
	return recorder{t, t.journal.Recorder(source)}
}

type recorder struct {
	teller *teller
	next   controlloop.Recorder
}

// Eventf implements controlloop.Recorder.
func (r recorder) Eventf(
	about runtime.Object, eventtype, reason, format string, args ...any,
) {
	about, message := about.DeepCopyObject(), fmt.Sprintf(format, args...)
	select {
	case r.teller.told <- func() { r.next.Eventf(about, eventtype, reason, "%s", message) }:
	default:
	}
}
