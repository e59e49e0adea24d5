package controlloop_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

func watchNode(t *testing.T, store *controlloop.Store, node string) controlloop.Watch {
	t.Helper()
	return watchPods(t, store, controlloop.ListOptions{Fields: onNode(node)})
}

func watchPods(t *testing.T, store *controlloop.Store, opts controlloop.ListOptions) controlloop.Watch {
	t.Helper()
	w, err := store.Watch(t.Context(), controlloop.PodKind, opts)
	require.NoError(t, err)
	return w
}

// told returns all that a watch has to tell, a line each.
func told(t *testing.T, w controlloop.Watch) (lines []string) {
	t.Helper()
	for {
		event, ok, err := w.TryNext()
		require.NoError(t, err)
		if !ok {
			return lines
		}
		pod := event.Object.(*corev1.Pod)
		lines = append(lines, fmt.Sprint(event.Type, " ", pod.Name, " ", pod.ResourceVersion))
	}
}

// A watch may begin in the past, also when it is the first of its node.
func TestAWatchOfOneNodeBeginsWhereItIsTold(t *testing.T) {
	store := newStore()
	mustCreate(t, store, placed("default", "before", "node-1"))
	opts := controlloop.ListOptions{Fields: onNode("node-1")}
	list, err := store.List(t.Context(), controlloop.PodKind, opts)
	require.NoError(t, err)
	mustCreate(t, store, placed("default", "here", "node-1"))
	mustCreate(t, store, placed("default", "there", "node-2"))
	opts.ResourceVersion = list.ResourceVersion
	assert.Len(t, told(t, watchPods(t, store, opts)), 1)
}

// Events on other nodes do not wake it, and it does not expire for them.
func TestAQuietNodeStaysWatched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store := controlloop.NewStore(controlloop.CoreKinds(), controlloop.WithHistory(10))
		w := watchNode(t, store, "node-1")
		heard := make(chan watch.Event, 1)
		go func() {
			event, err := w.Next(t.Context())
			if assert.NoError(t, err) {
				heard <- event
			}
		}()
		for i := range 100 {
			mustCreate(t, store, placed("default", fmt.Sprint("other-", i), "node-2"))
			synctest.Wait()
		}
		mustCreate(t, store, placed("default", "mine", "node-1"))
		assert.Equal(t, "mine", (<-heard).Object.(*corev1.Pod).Name)
	})
}

// Events that a node's watch has not read for too long are gone, as in any
// other.
func TestAWatchOfOneNodeExpiresToo(t *testing.T) {
	store := controlloop.NewStore(controlloop.CoreKinds(), controlloop.WithHistory(10))
	w := watchNode(t, store, "node-1")
	for i := range 100 {
		mustCreate(t, store, placed("default", fmt.Sprint("p", i), "node-1"))
	}
	_, _, err := w.TryNext()
	assert.True(t, apierrors.IsResourceExpired(err), "%v", err)
}

// When the last follower has gone, nothing is kept for it; another may come.
func TestTheLastFollowerOfANodeTakesItsLogAlong(t *testing.T) {
	store := newStore()
	first, second := watchNode(t, store, "node-1"), watchNode(t, store, "node-1")
	first.Stop()
	mustCreate(t, store, placed("default", "a", "node-1"))
	assert.Len(t, told(t, second), 1, "the other one still hears")
	second.Stop()
	mustCreate(t, store, placed("default", "b", "node-1"))
	third := watchNode(t, store, "node-1")
	mustCreate(t, store, placed("default", "c", "node-1"))
	assert.Len(t, told(t, third), 1)
	ctx, cancel := context.WithTimeout(t.Context(), time.Nanosecond)
	defer cancel()
	_, err := third.Next(ctx)
	assert.ErrorIs(t, err, context.DeadlineExceeded)
}
