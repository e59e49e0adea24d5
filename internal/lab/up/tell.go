package up

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/english"
	"reconcile/internal/events"
)

// teller prints events as they happen.
type teller struct {
	store *controlloop.Store
	out   io.Writer
	watch controlloop.Watch
}

// newTeller returns a teller of all that happens from now on, before it runs
// too: a lab that starts has a lot to tell.
func newTeller(store *controlloop.Store, out io.Writer) (*teller, error) {
	t := &teller{store: store, out: out}
	return t, t.follow()
}

func (t *teller) follow() (err error) {
	t.watch, err = t.store.Watch(
		context.Background(), events.Kind, controlloop.ListOptions{})
	return err
}

// run prints until ctx ends.
func (t *teller) run(ctx context.Context) {
	for {
		err := t.printEvents(ctx)
		t.watch.Stop()
		if !apierrors.IsResourceExpired(err) {
			return
		}
		fmt.Fprintln(t.out, "(more events than could be printed)")
		if t.follow() != nil {
			return // from now on: nothing could be too old
		}
	}
}

func (t *teller) printEvents(ctx context.Context) error {
	for {
		change, err := t.watch.Next(ctx)
		if err != nil {
			return err
		}
		if change.Type == watch.Added || change.Type == watch.Modified {
			fmt.Fprintln(t.out, eventLine(change.Object.(*corev1.Event)))
		}
	}
}

// eventLine names the object so that it can be pasted behind kubectl describe.
func eventLine(e *corev1.Event) string {
	object := strings.ToLower(e.InvolvedObject.Kind) + "/" + e.InvolvedObject.Name
	switch e.InvolvedObject.Namespace {
	case "", metav1.NamespaceDefault:
	default:
		object += " -n " + e.InvolvedObject.Namespace
	}
	times := ""
	if e.Count > 1 {
		times = fmt.Sprintf(" (x%d)", e.Count)
	}
	return english.Printable(fmt.Sprintf("%s  %-7s  %-16s  %-24s  %s%s",
		seenAt(e).Local().Format(time.TimeOnly), e.Type, e.Reason, object,
		strings.TrimSpace(e.Message), times))
}

func seenAt(e *corev1.Event) time.Time {
	for _, t := range []time.Time{e.LastTimestamp.Time, e.EventTime.Time} {
		if !t.IsZero() {
			return t
		}
	}
	return e.CreationTimestamp.Time
}
