package controlloop_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

func labelled(key, value string) labels.Selector {
	return labels.SelectorFromSet(labels.Set{key: value})
}

func onNode(name string) fields.Selector {
	return fields.OneTermEqualSelector("spec.nodeName", name)
}

// random writes to a store whatever comes to its mind.
type random struct {
	t *testing.T
	*rand.Rand
	store *controlloop.Store
}

func newRandom(t *testing.T, seed uint64, options ...controlloop.Option) random {
	t.Logf("seed %d", seed)
	return random{t, rand.New(rand.NewPCG(seed, 0)),
		controlloop.NewStore(controlloop.CoreKinds(), options...)}
}

// pod returns a Pod, one of 24, as it may be now.
func (r random) pod() *corev1.Pod {
	pod := kubetest.Pod(fmt.Sprintf("p%d", r.IntN(8)))
	pod.Namespace = string("abc"[r.IntN(3)])
	pod.Labels = map[string]string{"app": string("xy"[r.IntN(2)])}
	pod.Annotations = map[string]string{"n": fmt.Sprint(r.Uint32())}
	return pod
}

// write makes one write, or none if it is refused.
func (r random) write() {
	ctx, pod := r.t.Context(), r.pod()
	switch r.IntN(8) {
	case 0, 1, 2:
		r.store.Create(ctx, pod)
	case 3:
		r.store.Delete(ctx, controlloop.PodKind, controlloop.KeyOf(pod), kubetest.Grace(0))
	case 4:
		m := settings(pod.Name) // another kind's versions are in between
		m.Data = pod.Annotations
		if _, err := r.store.Update(ctx, m); err != nil {
			r.store.Create(ctx, m)
		}
	default:
		obj, err := r.store.Get(ctx, controlloop.PodKind, controlloop.KeyOf(pod))
		if err != nil {
			return
		}
		old := obj.(*corev1.Pod)
		if old.Spec.NodeName == "" && r.IntN(2) == 0 {
			binding := controlloop.NewBinding(old, "node-1")
			binding.Labels, binding.Annotations = pod.Labels, pod.Annotations
			require.NoError(r.t, r.store.Bind(ctx, binding))
			return
		}
		next := controlloop.Copy(old)
		next.Labels, next.Annotations = pod.Labels, pod.Annotations
		_, err = r.store.Update(ctx, next)
		require.NoError(r.t, err)
	}
}

// watcher keeps a copy of what it selects, made from events alone.
type watcher struct {
	t     *testing.T
	store *controlloop.Store
	opts  controlloop.ListOptions
	watch controlloop.Watch // nil: not connected
	model map[controlloop.Key]controlloop.Object
	seen  int // the version up to which it has seen everything

	events, marks, lists int
}

// connect watches from where the watcher is. If that is too long ago, it lists,
// as it does at first.
func (w *watcher) connect() {
	if w.lists > 0 {
		opts := w.opts
		opts.ResourceVersion, opts.Bookmarks = fmt.Sprint(w.seen), true
		var err error
		w.watch, err = w.store.Watch(w.t.Context(), controlloop.PodKind, opts)
		if err == nil {
			return
		}
		require.True(w.t, apierrors.IsResourceExpired(err), "%v", err)
	}
	w.list()
	w.connect()
}

func (w *watcher) list() {
	list, err := w.store.List(w.t.Context(), controlloop.PodKind, w.opts)
	require.NoError(w.t, err)
	w.model = map[controlloop.Key]controlloop.Object{}
	for _, obj := range list.Items {
		w.model[controlloop.KeyOf(obj)] = obj
	}
	at := controlloop.ListOptions{ResourceVersion: list.ResourceVersion}
	w.seen = versionOf(w.t, at.ResourceVersion)
	w.lists++
}

func versionOf(t *testing.T, text string) int {
	pod := &corev1.Pod{}
	pod.ResourceVersion = text
	return version(t, pod)
}

// read takes one event. It returns false when none has come.
func (w *watcher) read() bool {
	if w.watch == nil {
		w.connect()
	}
	event, ok, err := w.watch.TryNext()
	if err != nil {
		require.True(w.t, apierrors.IsResourceExpired(err), "%v", err)
		w.watch.Stop()
		w.watch = nil
		return true
	}
	if ok {
		w.take(event)
	}
	return ok
}

// take applies one event, and complains where no store could have sent it.
func (w *watcher) take(event watch.Event) {
	obj := event.Object.(controlloop.Object)
	now, key := version(w.t, obj), controlloop.KeyOf(obj)
	if event.Type == watch.Bookmark {
		assert.GreaterOrEqual(w.t, now, w.seen, "a bookmark goes back")
		w.seen = now
		w.marks++
		return
	}
	assert.Greater(w.t, now, w.seen, "%s %s: an event is repeated", event.Type, key)
	w.seen = now
	w.events++
	old, known := w.model[key]
	assert.Equal(w.t, event.Type != watch.Added, known,
		"%s %s at %d: an event was missed", event.Type, key, now)
	if known {
		assert.Less(w.t, version(w.t, old), now)
	}
	if event.Type == watch.Deleted {
		delete(w.model, key)
	} else {
		w.model[key] = obj
	}
}

// check compares the model with the store, when nothing is left to read.
func (w *watcher) check() {
	for w.read() {
	}
	list, err := w.store.List(w.t.Context(), controlloop.PodKind, w.opts)
	require.NoError(w.t, err)
	same := len(list.Items) == len(w.model)
	for _, obj := range list.Items {
		same = same && w.model[controlloop.KeyOf(obj)] == obj
	}
	require.True(w.t, same, "%+v: what the events add up to is not what the store has", w.opts)
}

var selections = []controlloop.ListOptions{
	{},
	{Namespace: "a"},
	{Labels: labelled("app", "x")},
	{Fields: onNode("")},
	{Fields: onNode("node-1")},
	{Namespace: "b", Labels: labelled("app", "y"), Fields: onNode("node-1")},
}

func TestWatchNeitherMissesNorRepeatsAnEventInTenThousandWrites(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		seed            uint64
		writes, history int
	}{{1, 10_000, 50}, {2, 500, 1}, {3, 500, 7}, {4, 500, 1000}} {
		synctest.Test(t, func(t *testing.T) {
			r := newRandom(t, test.seed, controlloop.WithHistory(test.history))
			watchers := make([]*watcher, 4*len(selections))
			var events, marks, lists int
			join := func(i int) {
				if w := watchers[i]; w != nil {
					w.check()
					events, marks, lists = events+w.events, marks+w.marks, lists+w.lists
				}
				watchers[i] = &watcher{t: t, store: r.store, opts: selections[i%len(selections)]}
			}
			for i := range watchers {
				join(i)
			}
			for n := range test.writes {
				r.write()
				time.Sleep(time.Second) // so that bookmarks fall due
				for i, w := range watchers {
					// One reads at once, another in bursts, another hardly ever.
					lag := []int{1, 3, 20, 200}[i/len(selections)]
					if r.IntN(lag) == 0 {
						for range 1 + r.IntN(2*lag) {
							w.read()
						}
					}
				}
				switch i := r.IntN(len(watchers)); r.IntN(50) {
				case 0:
					join(i) // this one goes, another comes
				case 1:
					watchers[i].watch = nil // and this one was cut off
				}
				if n%1000 == 0 {
					watchers[r.IntN(len(watchers))].check()
				}
			}
			for i := range watchers {
				join(i)
			}
			t.Logf("%d events, %d bookmarks, %d lists", events, marks, lists)
			assert.Greater(t, events, test.writes, "too little happened to prove anything")
			assert.NotZero(t, marks)
			if test.history < 100 {
				assert.Greater(t, lists, 3*len(watchers), "nobody was ever too late")
			}
		})
	}
}
