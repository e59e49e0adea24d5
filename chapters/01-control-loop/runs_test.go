package controlloop_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// transcript is what happens in a run, a line each.
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

// naive returns the loop that keeps three nginx Pods.
func naive(c controlloop.Client, want int) *controlloop.Naive {
	template := nginxPod("")
	template.GenerateName = "nginx-"
	template.Labels = map[string]string{"app": "nginx"}
	return &controlloop.Naive{Client: c, Pod: template, Want: want}
}

// The naive loop works, and goes on working when it is killed between two
// steps: whoever comes next counts again.
func TestRunOfTheNaiveLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, store := newTranscript(), newStore()
		log.part("works")
		loop := naive(&wire{Store: store, who: "loop", log: log, delay: 10 * time.Millisecond}, 3)
		require.NoError(t, loop.Tick(t.Context()))
		require.NoError(t, loop.Tick(t.Context()))
		somebody := &wire{Store: store, who: "you", log: log}
		list, err := store.List(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
		require.NoError(t, err)
		require.NoError(t, somebody.Delete(t.Context(), controlloop.PodKind,
			controlloop.KeyOf(list.Items[1]), metav1.DeleteOptions{}))
		require.NoError(t, loop.Tick(t.Context()))

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

// Two naive loops, 5 ms apart.
func TestRunOfTwoNaiveLoops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, store := newTranscript(), newStore()
		ctx, cancel := context.WithTimeout(t.Context(), 1500*time.Millisecond)
		defer cancel()
		done := make(chan struct{}, 2)
		for _, who := range []string{"A", "B"} {
			go func() {
				w := &wire{Store: store, who: who, log: log, delay: 10 * time.Millisecond}
				if err := naive(w, 3).Run(ctx, time.Second); err != nil {
					log.sayf("%-4s gives up: %v", who, err)
				}
				done <- struct{}{}
			}()
			time.Sleep(5 * time.Millisecond)
		}
		<-done
		<-done
		kubetest.Recorded(t, "two-at-once.txt", log.Bytes())
	})
}
