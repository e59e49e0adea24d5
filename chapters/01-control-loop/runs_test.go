package controlloop_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// transcript records a run, a line for each thing that happens.
type transcript struct {
	mu sync.Mutex
	bytes.Buffer
	start time.Time
}

func newTranscript() *transcript { return &transcript{start: time.Now()} }

func (t *transcript) part(name string) { fmt.Fprintf(t, "# part: %s\n", name) }

func (t *transcript) sayf(format string, args ...any) {
	line := fmt.Sprintf("%8s  %s", time.Since(t.start), fmt.Sprintf(format, args...))
	t.mu.Lock()
	defer t.mu.Unlock()
	fmt.Fprintln(t, strings.TrimRight(line, " "))
}

// cut drops what was written since there were so many bytes.
func (t *transcript) cut(bytes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.Truncate(bytes)
}

// naive returns the loop that keeps three nginx Pods.
func naive(c controlloop.Client, want int) *controlloop.Naive {
	template := nginxPod("")
	template.GenerateName = "nginx-"
	template.Labels = map[string]string{"app": "nginx"}
	return &controlloop.Naive{Client: c, Pod: template, Want: want}
}

// The naive loop works, and goes on working when it is killed between two
// steps: the next one counts again.
func TestRunOfTheNaiveLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, store := newTranscript(), newStore()
		log.part("works")
		ctx, cancel := context.WithTimeout(t.Context(), 2900*time.Millisecond)
		defer cancel()
		time.AfterFunc(1500*time.Millisecond, func() {
			you := &wire{Store: store, who: "you", log: log}
			list, err := store.List(ctx, controlloop.PodKind, controlloop.ListOptions{})
			assert.NoError(t, err)
			assert.NoError(t, you.Delete(ctx, controlloop.PodKind,
				controlloop.KeyOf(list.Items[1]), metav1.DeleteOptions{}))
		})
		loop := naive(&wire{Store: store, who: "loop", log: log, delay: 10 * time.Millisecond}, 3)
		require.NoError(t, loop.Run(ctx, time.Second))

		store = newStore()
		log.start = time.Now()
		log.part("killed")
		first := naive(&wire{Store: store, who: "A", log: log, dieAfter: 1, delay: 10 * time.Millisecond}, 3)
		require.Error(t, first.Tick(t.Context()))
		second := naive(&wire{Store: store, who: "B", log: log, delay: 10 * time.Millisecond}, 3)
		require.NoError(t, second.Tick(t.Context()))
		kubetest.Recorded(t, "naive.txt", log.Bytes())
	})
}

// contrary is a client that lists everything backwards: a loop that deletes the
// last of a list has other favourites with it.
type contrary struct{ *wire }

func (c contrary) List(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.List, error) {
	list, err := c.wire.List(ctx, kind, opts)
	slices.Reverse(list.Items)
	return list, err
}

// together lets two naive loops keep three Pods, 5 ms apart.
func together(ctx context.Context, log *transcript, a, b controlloop.Client) {
	var both sync.WaitGroup
	for i, client := range []controlloop.Client{a, b} {
		both.Go(func() {
			if err := naive(client, 3).Run(ctx, time.Second); err != nil {
				log.sayf("%-4s gives up: %v", string("AB"[i]), err)
			}
		})
		time.Sleep(5 * time.Millisecond)
	}
	both.Wait()
}

// Two naive loops: they agree on which Pod to delete; and they do not.
func TestRunOfTwoNaiveLoops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, store := newTranscript(), newStore()
		client := func(who string) *wire {
			return &wire{Store: store, who: who, log: log, delay: 10 * time.Millisecond}
		}
		log.part("agreed")
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		together(ctx, log, client("A"), client("B"))

		store, log.start = newStore(), time.Now()
		log.part("favourites")
		ctx, cancel = context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		begun := log.Len()
		time.AfterFunc(time.Second, func() { log.cut(begun) }) // it begins as above
		together(ctx, log, client("A"), contrary{client("B")})
		kubetest.Recorded(t, "two-at-once.txt", log.Bytes())
	})
}
