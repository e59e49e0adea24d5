package kubetest

import (
	"context"
	"fmt"
	"strings"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

// follow returns a watch that is stopped with the bubble.
func (c tried) follow(
	kind schema.GroupVersionKind, opts controlloop.ListOptions,
) controlloop.Watch {
	c.Helper()
	// The watch outlives the call that opened it.
	ctx, cancel := context.WithCancel(c.Context())
	defer cancel()
	w, err := c.Watch(ctx, kind, opts)
	require.NoError(c, err)
	c.Cleanup(w.Stop)
	return w
}

// seen reads a watch to its end.
func (c tried) seen(w controlloop.Watch) (events []watch.Event) {
	c.Helper()
	for {
		synctest.Wait() // until what was sent has come
		event, ok, err := w.TryNext()
		require.NoError(c, err)
		if !ok {
			return events
		}
		events = append(events, event)
		require.Less(c, len(events), 100, "the watch repeats itself: it does not end")
	}
}

// heard returns what a watch tells: "ADDED web, MODIFIED web".
func (c tried) heard(w controlloop.Watch) string {
	c.Helper()
	var all []string
	for _, event := range c.seen(w) {
		obj := event.Object.(controlloop.Object)
		all = append(all, fmt.Sprint(event.Type, " ", obj.GetName()))
	}
	return strings.Join(all, ", ")
}

var watches = []claim{
	// Were no version "everything first", or a list's version "from now on", a
	// write between a list and its watch would come twice, or not at all.
	{"A watch from a list misses nothing and repeats nothing", func(c tried) {
		list, err := c.List(c.Context(), controlloop.PodKind, controlloop.ListOptions{})
		require.NoError(c, err)
		made(c, Pod("web"))
		w := c.follow(controlloop.PodKind,
			controlloop.ListOptions{ResourceVersion: list.ResourceVersion})
		assert.Equal(c, "ADDED web", c.heard(w))
		made(c, Pod("db"))
		assert.Equal(c, "ADDED db", c.heard(w))
		w = c.follow(controlloop.PodKind, controlloop.ListOptions{})
		assert.Empty(c, c.heard(w), "no version at all is from now on")
		made(c, Pod("new"))
		assert.Equal(c, "ADDED new", c.heard(w))
	}},
	{"A watch that was ended goes on where it was", func(c tried) {
		w := c.follow(configMaps, controlloop.ListOptions{})
		var last string
		for _, name := range []string{"a", "b", "c"} {
			made(c, settings(name))
			made(c, Pod(name)) // another kind's versions are in between
			if name == "b" {
				events := c.seen(w)
				require.NotEmpty(c, events)
				last = events[len(events)-1].Object.(controlloop.Object).GetResourceVersion()
			}
		}
		made(c, settings("d"))
		again := c.follow(configMaps, controlloop.ListOptions{ResourceVersion: last})
		assert.Equal(c, "ADDED c, ADDED d", c.heard(again))
	}},
	{"Objects enter and leave a selection while they live", func(c tried) {
		labels := c.follow(controlloop.PodKind,
			controlloop.ListOptions{Labels: labelled("app", "x")})
		node := c.follow(controlloop.PodKind,
			controlloop.ListOptions{Fields: field("spec.nodeName", "node-1")})
		other := c.follow(controlloop.PodKind, controlloop.ListOptions{Namespace: "one"})
		pod := made(c, Pod("web"))
		for _, app := range []string{"x", "y"} {
			pod = updated(c, edited(pod, func(p *corev1.Pod) { p.Labels["app"] = app }))
		}
		bound(c, pod, "node-1")
		events := c.seen(labels)
		require.Len(c, events, 2)
		assert.Equal(c, watch.Added, events[0].Type)
		require.Equal(c, watch.Deleted, events[1].Type)
		left := events[1].Object.(*corev1.Pod)
		assert.Equal(c, "x", left.Labels["app"], "as it was when it was last one of them")
		assert.Equal(c, pod.ResourceVersion, left.ResourceVersion, "and since when it no longer is")
		assert.Equal(c, "ADDED web", c.heard(node))
		assert.Empty(c, c.heard(other))
	}},
	{"Events say of which kind their objects are", func(c tried) {
		w := c.follow(configMaps, controlloop.ListOptions{})
		made(c, settings("a"))
		for _, event := range c.seen(w) {
			assert.Equal(c, configMaps, event.Object.GetObjectKind().GroupVersionKind())
		}
	}},
	{"A bookmark says how far a watch is that has seen nothing", func(c tried) {
		w := c.follow(controlloop.PodKind,
			controlloop.ListOptions{Namespace: "one", Bookmarks: true})
		silent := c.follow(controlloop.PodKind, controlloop.ListOptions{Namespace: "one"})
		made(c, settings("settings"))
		newest := c.version()
		assert.Empty(c, c.seen(w), "not yet")
		time.Sleep(time.Minute)
		events := c.seen(w)
		require.Len(c, events, 1)
		assert.Equal(c, watch.Bookmark, events[0].Type)
		assert.Equal(c, newest, events[0].Object.(controlloop.Object).GetResourceVersion())
		assert.Empty(c, c.seen(silent), "it did not ask")
	}},
	{"Next waits for an event, or for the end of its context", func(c tried) {
		w := c.follow(controlloop.PodKind, controlloop.ListOptions{})
		time.AfterFunc(time.Minute, func() { made(c, Pod("web")) })
		start := time.Now()
		event, err := w.Next(c.Context())
		require.NoError(c, err)
		assert.Equal(c, watch.Added, event.Type)
		assert.Equal(c, time.Minute, time.Since(start))

		ctx, cancel := context.WithTimeout(c.Context(), time.Second)
		defer cancel()
		_, err = w.Next(ctx)
		assert.ErrorIs(c, err, context.DeadlineExceeded)
	}},
}
