package controlloop_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// One Pod of three gets another label. Exercise 1i asks for the consequences.
func TestRunOfALabelThatChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		trace := func(s controlloop.Step) {
			lane := strings.TrimPrefix(s.Lane, "replication ")
			if lane == "replication" {
				lane = "worker"
			}
			fmt.Fprintf(&log, "%-9s  %s\n", lane, strings.ToLower(s.Action))
		}
		store := newStore(controlloop.WithTrace(trace))
		system := &controlloop.System{Client: store, Trace: trace}
		controlloop.NewReplication(system)
		mustCreate(t, store, webRC(3))
		settle(t, system)

		log.Reset()
		pods, err := store.List(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
		require.NoError(t, err)
		require.Len(t, pods.Items, 3)
		mustUpdate(t, store, edited(pods.Items[1].(*corev1.Pod), func(p *corev1.Pod) {
			p.Labels["app"] = "other"
		}))
		settle(t, system)
		kubetest.Recorded(t, "../exercises/1i.txt", log.Bytes())
	})
}

// shopper watches the Pods of the namespace shop. What its handler is told of each
// Pod and what its server is asked for is noted, by the Pod's name and "asked".
type shopper struct {
	*kubetest.Faults
	t        *testing.T
	store    *controlloop.Store
	informer *controlloop.Informer
	noted    map[string][]string
	out      bytes.Buffer
}

func newShopper(t *testing.T) *shopper {
	s := &shopper{t: t, store: newStore()}
	s.Faults = kubetest.NewFaults(s.store)
	s.informer = controlloop.NewInformer(
		s, controlloop.PodKind, controlloop.ListOptions{Namespace: "shop"}, 0, nil)
	tell := func(obj controlloop.Object, format string, versions ...any) {
		s.noted[obj.GetName()] = append(s.noted[obj.GetName()], fmt.Sprintf(format, versions...))
	}
	s.informer.Handle(controlloop.Handler{
		OnAdd: func(obj controlloop.Object) { tell(obj, "add %s", obj.GetResourceVersion()) },
		OnUpdate: func(old, obj controlloop.Object) {
			tell(obj, "update %s to %s", old.GetResourceVersion(), obj.GetResourceVersion())
		},
		OnDelete: func(obj controlloop.Object) { tell(obj, "delete %s", obj.GetResourceVersion()) },
	})
	return s
}

func (s *shopper) List(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.List, error) {
	s.noted["asked"] = append(s.noted["asked"], "list")
	return s.Faults.List(ctx, kind, opts)
}

func (s *shopper) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	s.noted["asked"] = append(s.noted["asked"], "watch from "+opts.ResourceVersion)
	return s.Faults.Watch(ctx, kind, opts)
}

// hears lets the informer catch up, and writes down what was noted meanwhile under
// some names.
func (s *shopper) hears(during string, names ...string) {
	s.noted = map[string][]string{}
	_, err := s.informer.Step(s.t.Context())
	require.NoError(s.t, err)
	for _, name := range names {
		fmt.Fprintf(&s.out, "%-15s  %s\n", during+", "+name,
			cmp.Or(strings.Join(s.noted[name], ", "), "nothing"))
	}
}

func (s *shopper) create(namespace string, names ...string) {
	for _, name := range names {
		pod := nginxPod(name)
		pod.Namespace = namespace
		mustCreate(s.t, s.store, pod)
	}
}

func (s *shopper) change(namespace, name string, times int) {
	for range times {
		pod, err := s.store.Get(s.t.Context(), controlloop.PodKind,
			controlloop.Key{Namespace: namespace, Name: name})
		require.NoError(s.t, err)
		mustUpdate(s.t, s.store, edited(pod, func(obj controlloop.Object) {
			obj.SetAnnotations(map[string]string{"touched": obj.GetResourceVersion()})
		}))
	}
}

func (s *shopper) delete(name string) {
	require.NoError(s.t, s.store.Delete(s.t.Context(), controlloop.PodKind,
		controlloop.Key{Namespace: "shop", Name: name}, metav1.DeleteOptions{}))
}

// A handler is told of what has happened, or of what was known. Exercise 1o asks
// which, and what the server is asked for.
func TestRunOfAResyncAndARelist(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newShopper(t)
		s.create("shop", "same", "changed", "gone", "again")
		s.hears("start", "same", "asked")

		s.informer.Resync()
		s.hears("resync", "same", "asked")

		s.BreakWatches(io.ErrUnexpectedEOF)
		s.change("shop", "changed", 2)
		s.change("shop", "gone", 1)
		s.delete("gone")
		s.delete("again")
		s.create("shop", "again", "brief")
		s.delete("brief")
		require.NoError(t, s.store.Compact(""))
		s.hears("410", "same", "changed", "gone", "again", "brief", "asked")

		s.BreakWatches(io.ErrUnexpectedEOF)
		s.change("shop", "changed", 2)
		s.delete("again")
		s.create("shop", "again")
		s.hears("break", "same", "changed", "again", "asked")

		s.create("attic", "far")
		s.change("attic", "far", 99)
		time.Sleep(time.Minute)
		s.hears("bookmark", "same", "asked")

		s.BreakWatches(io.ErrUnexpectedEOF)
		require.NoError(t, s.store.Compact(""))
		s.hears("later", "asked")
		kubetest.Recorded(t, "../exercises/1o.txt", s.out.Bytes())
	})
}
