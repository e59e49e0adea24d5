package controlloop_test

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// holds returns what waits in a fifo: each object with its deltas, those of one
// type in a row under one name.
func holds(f *controlloop.DeltaFIFO) string {
	var all []string
	for _, deltas := range controlloop.Entries(f) {
		all = append(all, deltas[0].Object.GetName()+":"+deltasOf(deltas))
	}
	return cmp.Or(strings.Join(all, "; "), "nothing")
}

func deltasOf(deltas []controlloop.Delta) string {
	var b strings.Builder
	for i, d := range deltas {
		if i > 0 && d.Type != deltas[i-1].Type {
			b.WriteString(",")
		}
		if i == 0 || d.Type != deltas[i-1].Type {
			fmt.Fprintf(&b, " %s", d.Type)
		}
		fmt.Fprintf(&b, " %s", d.Object.GetResourceVersion())
		if d.Missed {
			b.WriteString(" (Missed)")
		}
	}
	return b.String()
}

// A noted is a version of an object, and perhaps what the fifo has heard of it, as
// figures/deltas.svg has it.
type noted struct {
	Object  string `json:"object"`
	Type    string `json:"type,omitempty"`
	Version string `json:"version"`
	Missed  bool   `json:"missed,omitempty"`
}

func versionsOf(objects []controlloop.Object) (all []noted) {
	for _, obj := range objects {
		all = append(all, noted{Object: obj.GetName(), Version: obj.GetResourceVersion()})
	}
	return all
}

// entriesOf returns what waits in a fifo, object by object.
func entriesOf(f *controlloop.DeltaFIFO) (all [][]noted) {
	for _, deltas := range controlloop.Entries(f) {
		var entry []noted
		for _, d := range deltas {
			entry = append(entry, noted{
				d.Object.GetName(), string(d.Type), d.Object.GetResourceVersion(), d.Missed,
			})
		}
		all = append(all, entry)
	}
	return all
}

// busy is a fifo that hears every write, and whose handlers are slow.
type busy struct {
	t     *testing.T
	out   bytes.Buffer
	heard []noted
	store *controlloop.Store
	fifo  *controlloop.DeltaFIFO
	known *controlloop.Indexer
	deaf  bool
}

func newBusy(t *testing.T) *busy {
	b := &busy{t: t, known: controlloop.NewIndexer()}
	b.fifo = controlloop.NewDeltaFIFO(b.known)
	types := map[watch.EventType]controlloop.DeltaType{
		watch.Added: controlloop.Added, watch.Modified: controlloop.Updated, watch.Deleted: controlloop.Deleted,
	}
	b.store = newStore(controlloop.OnWrite(func(w controlloop.Write) {
		if !b.deaf {
			b.heard = append(b.heard, noted{
				w.Object.GetName(), string(types[w.Type]), w.Object.GetResourceVersion(), false,
			})
			b.fifo.Add(types[w.Type], w.Object)
		}
	}))
	return b
}

// after says what the fifo holds.
func (b *busy) after(what string, args ...any) {
	fmt.Fprintf(&b.out, "%-26s %s\n", fmt.Sprintf(what, args...), holds(b.fifo))
}

func (b *busy) create(name string) {
	mustCreate(b.t, b.store, nginxPod(name))
	b.after("%s is created", name)
}

func (b *busy) change(name string) {
	pod, err := b.store.Get(b.t.Context(), controlloop.PodKind, kubetest.Named(name))
	require.NoError(b.t, err)
	next := controlloop.Copy(pod)
	next.SetAnnotations(map[string]string{"touched": pod.GetResourceVersion()})
	mustUpdate(b.t, b.store, next)
	b.after("%s changes", name)
}

func (b *busy) remove(name string) {
	require.NoError(b.t, b.store.Delete(b.t.Context(), controlloop.PodKind,
		kubetest.Named(name), metav1.DeleteOptions{}))
	if b.deaf {
		b.after("%s is deleted unheard", name)
		return
	}
	b.after("%s is deleted", name)
}

// handle takes one entry out.
func (b *busy) handle() {
	b.fifo.TryPop(func(deltas []controlloop.Delta) {
		for _, d := range deltas {
			b.known.Put(d.Object)
		}
	})
	b.after("one is handled")
}

// The contents of the fifo after each event, while its handlers are busy.
func TestRunOfTheDeltaFIFO(t *testing.T) {
	b := newBusy(t)
	fmt.Fprintln(&b.out, "# part: gather")
	b.create("web-0")
	b.create("web-1")
	for range 4 {
		b.change("web-0")
	}
	record := map[string]any{"heard": b.heard, "entries": entriesOf(b.fifo)}
	b.handle()
	b.handle()

	fmt.Fprintln(&b.out, "# part: reborn")
	b.change("web-0")
	b.remove("web-0")
	b.create("web-0")
	b.handle()

	fmt.Fprintln(&b.out, "# part: missed")
	b.deaf = true
	b.remove("web-1")
	list, err := b.store.List(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
	require.NoError(t, err)
	record["known"] = versionsOf(b.known.List())
	record["list"] = versionsOf(list.Items)
	b.fifo.Replace(list.Items)
	b.after("a list has web-0")
	record["replaced"] = entriesOf(b.fifo)
	kubetest.RecordedJSON(t, "deltas.json", record)
	kubetest.Recorded(t, "deltas.txt", b.out.Bytes())
}
