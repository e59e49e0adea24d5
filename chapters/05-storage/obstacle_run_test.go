package storage_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// Three schedulers are asked about one Pod after each write to its claim and to
// its class: one that is up to date, one whose cache of claims is an event late,
// and one whose cache of classes is. Exercise 5l asks what they say.
func TestRunOfTwoLateCaches(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, store := t.Context(), controlloop.NewStore(allKinds)
		var systems []*controlloop.System
		var asked []*storage.Consumers
		for _, late := range []schema.GroupVersionKind{{}, claimKind, storage.ClassKind} {
			s := &controlloop.System{Client: eventLate{store, late}}
			systems, asked = append(systems, s), append(asked, storage.NewConsumers(s))
		}
		var log bytes.Buffer
		moment := 0
		happens := func(_ any, err error) {
			require.NoError(t, err)
			for _, s := range systems {
				for more := true; more; {
					more, err = s.Step(ctx, controlloop.InOrder)
					require.NoError(t, err)
				}
			}
			if moment > 0 {
				line := fmt.Sprint(moment)
				for _, c := range asked {
					line += fmt.Sprintf("  %-7s", inAWord(t, c.Obstacle(unplaced("data"))))
				}
				fmt.Fprintln(&log, strings.TrimRight(line, " "))
			}
			moment++
		}
		edit := func(change func(c *corev1.PersistentVolumeClaim)) *corev1.PersistentVolumeClaim {
			obj, err := store.Get(ctx, claimKind, controlloop.Key{Namespace: metav1.NamespaceDefault, Name: "data"})
			require.NoError(t, err)
			next := controlloop.Copy(obj.(*corev1.PersistentVolumeClaim))
			change(next)
			return next
		}
		data := func() *corev1.PersistentVolumeClaim {
			return claim("data", "1Gi", of("later"), func(c *corev1.PersistentVolumeClaim) {
				c.Finalizers = []string{"test/kept"}
			})
		}
		happens(nil, nil) // the caches are filled: nothing is there
		happens(store.Create(ctx, class("later", delayed)))
		happens(store.Create(ctx, data()))
		happens(store.Update(ctx, edit(func(c *corev1.PersistentVolumeClaim) {
			c.Spec.VolumeName = "a"
			c.Annotations = map[string]string{completed: "yes"}
		})))
		happens(store.UpdateStatus(ctx, edit(func(c *corev1.PersistentVolumeClaim) {
			c.Status.Phase = corev1.ClaimLost
		})))
		happens(nil, store.Delete(ctx, claimKind, controlloop.KeyOf(data()), metav1.DeleteOptions{}))
		happens(store.Update(ctx, edit(func(c *corev1.PersistentVolumeClaim) { c.Finalizers = nil })))
		happens(store.Create(ctx, data()))
		happens(nil, store.Delete(ctx, storage.ClassKind, controlloop.Key{Name: "later"}, metav1.DeleteOptions{}))
		kubetest.Recorded(t, "../exercises/5l.txt", log.Bytes())
	})
}

// inAWord returns the word for an obstacle by which the exercise calls it.
func inAWord(t *testing.T, obstacle string) string {
	for phrase, word := range map[string]string{
		"not found": "missing", "bound to non-existent": "lost", "is being deleted": "leaving", "has unbound": "unbound",
	} {
		if strings.Contains(obstacle, phrase) {
			return word
		}
	}
	require.Empty(t, obstacle)
	return "free"
}

// eventLate is a client whose watches tell of each event of a kind when the next
// one has happened.
type eventLate struct {
	controlloop.Client
	kind schema.GroupVersionKind
}

func (l eventLate) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	w, err := l.Client.Watch(ctx, kind, opts)
	if err != nil || kind != l.kind {
		return w, err
	}
	return &eventLateWatch{Watch: w}, nil
}

type eventLateWatch struct {
	controlloop.Watch
	held []watch.Event
}

func (w *eventLateWatch) TryNext() (watch.Event, bool, error) {
	event, ok, err := w.Watch.TryNext()
	if ok {
		w.held = append(w.held, event)
	}
	if err != nil || len(w.held) < 2 {
		return watch.Event{}, false, err
	}
	event, w.held = w.held[0], w.held[1:]
	return event, true, nil
}
