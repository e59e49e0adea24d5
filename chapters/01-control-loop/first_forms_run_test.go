package controlloop_test

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// reporting plays a program that writes what it sees of a Pod after each event,
// for a second; a call takes 10 ms.
func reporting(
	t *testing.T, log *transcript, part string,
	write func(*controlloop.Store, *corev1.Pod) (controlloop.Object, error),
) {
	log.part(part)
	log.start = time.Now()
	store := newStore()
	w, err := store.Watch(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
	require.NoError(t, err)
	defer w.Stop()
	ctx, cancel := context.WithTimeout(t.Context(), 995*time.Millisecond)
	defer cancel()
	created := mustCreate(t, store, nginxPod("web"))
	log.sayf("web is created: version %s", created.ResourceVersion)
	last := created.ResourceVersion
	for n := 1; ctx.Err() == nil; n++ {
		event, err := w.Next(ctx)
		if err != nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
		seen := event.Object.(*corev1.Pod)
		next, err := write(store, edited(seen, func(p *corev1.Pod) {
			p.Status.Phase = corev1.PodRunning
		}))
		require.NoError(t, err)
		last = next.GetResourceVersion()
		switch {
		case last == seen.ResourceVersion:
			log.sayf("version %s is reported as Running: nothing is written", seen.ResourceVersion)
		case n <= 4:
			log.sayf("version %s is reported as Running: version %s", seen.ResourceVersion, last)
		case n == 5:
			fmt.Fprintln(log, "       …")
		}
	}
	fmt.Fprintf(log, "          after a second: version %s\n", last)
}

// A write that changes nothing, and is written; and the same where it is not.
func TestRunOfAReportThatSaysNothingNew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newTranscript()
		reporting(t, log, "always", func(s *controlloop.Store, pod *corev1.Pod) (controlloop.Object, error) {
			return s.ReplaceAlways(pod, "Spec")
		})
		reporting(t, log, "same", func(s *controlloop.Store, pod *corev1.Pod) (controlloop.Object, error) {
			return s.UpdateStatus(t.Context(), pod)
		})
		kubetest.Recorded(t, "nothing-new.txt", log.Bytes())
	})
}

// An entry is on its way from the fifo to the cache when a list comes without
// its object: with the lock, and without.
func TestRunOfAnEntryThatIsNowhere(t *testing.T) {
	var out bytes.Buffer
	play := func(part string, pop func(*controlloop.DeltaFIFO, func([]controlloop.Delta)) bool, meanwhile func(list func())) {
		fmt.Fprintf(&out, "# part: %s\n%-28s %-26s %s\n", part, "", "fifo", "cache")
		known := controlloop.NewIndexer()
		fifo := controlloop.NewDeltaFIFO(known)
		say := func(what string) {
			var cached []string
			for _, obj := range known.List() {
				cached = append(cached, obj.GetName())
			}
			fmt.Fprintf(&out, "%-28s %-26s %s\n", what, holds(fifo), cmp.Or(strings.Join(cached, " "), "nothing"))
		}
		fifo.Add(controlloop.Added, mustCreate(t, newStore(), nginxPod("web-0")))
		say("web-0 was created")
		var handling func([]controlloop.Delta)
		handle := func(deltas []controlloop.Delta) {
			for _, d := range deltas {
				if d.Type == controlloop.Deleted {
					known.Remove(controlloop.KeyOf(d.Object))
				} else {
					known.Put(d.Object)
				}
			}
		}
		handling = func(deltas []controlloop.Delta) {
			meanwhile(func() { fifo.Replace(nil) })
			handle(deltas)
		}
		pop(fifo, handling)
		synctest.Wait()
		say("handled; a list without it")
		for fifo.TryPop(handle) {
		}
		say("all is handled")
	}
	synctest.Test(t, func(t *testing.T) {
		play("unlocked", (*controlloop.DeltaFIFO).PopUnlocked, func(list func()) { list() })
		var waiting sync.WaitGroup
		play("locked", (*controlloop.DeltaFIFO).TryPop, func(list func()) { waiting.Go(list) })
		waiting.Wait()
	})
	kubetest.Recorded(t, "nowhere.txt", out.Bytes())
}
