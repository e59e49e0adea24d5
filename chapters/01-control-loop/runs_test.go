package controlloop_test

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

// These tests record the runs that the chapter prints and draws. A recording
// that differs from its file fails; -update writes it anew, and then the diff is
// to be read like a change of the code.

var rewrite = flag.Bool("update", false, "write the recorded runs anew")

// recorded compares a recording with testdata/name.
func recorded(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		require.NoError(t, os.WriteFile(path, got, 0o644))
		return
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), string(got), "go test -update writes %s anew", path)
}

func recordedJSON(t *testing.T, name string, value any) {
	t.Helper()
	text, err := json.MarshalIndent(value, "", "  ")
	require.NoError(t, err)
	recorded(t, name, append(text, '\n'))
}

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

// wire is a client that takes its time over every call, as a network does, and
// tells what was asked and answered. It counts the calls, and the objects that
// came back.
type wire struct {
	*controlloop.Store
	who            string
	delay          time.Duration
	log            *transcript // nil: tells nothing
	calls, objects int
	dieAfter       int // writes; 0: never
}

func (w *wire) tell(format string, args ...any) {
	w.calls++
	if w.log != nil {
		w.log.sayf("%-4s "+format, append([]any{w.who}, args...)...)
	}
}

func (w *wire) List(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.List, error) {
	time.Sleep(w.delay)
	list, err := w.Store.List(ctx, kind, opts)
	w.objects += len(list.Items)
	w.tell("lists: %d Pods, version %s", len(list.Items), list.ResourceVersion)
	return list, err
}

func (w *wire) Create(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	time.Sleep(w.delay)
	stored, err := w.Store.Create(ctx, obj)
	require.NoError(nil, err)
	w.tell("creates %s", stored.GetName())
	if w.dieAfter--; w.dieAfter == 0 {
		w.log.sayf("%-4s is killed", w.who)
		return nil, context.Canceled
	}
	return stored, err
}

func (w *wire) Delete(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key,
	opts metav1.DeleteOptions,
) error {
	time.Sleep(w.delay)
	err := w.Store.Delete(ctx, kind, key, opts)
	if err != nil {
		w.tell("deletes %s: %v", key.Name, err)
	} else {
		w.tell("deletes %s", key.Name)
	}
	return err
}

func (w *wire) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	inner, err := w.Store.Watch(ctx, kind, opts)
	if err != nil {
		w.tell("watches from version %s: %v", opts.ResourceVersion, err)
		return nil, err
	}
	w.tell("watches from version %s", opts.ResourceVersion)
	return &tap{inner, w}, nil
}

// tap counts and tells the events of a watch.
type tap struct {
	controlloop.Watch
	wire *wire
}

func (t *tap) count(event watch.Event) watch.Event {
	t.wire.objects++
	if t.wire.log != nil {
		obj := event.Object.(controlloop.Object)
		t.wire.log.sayf("%-4s hears: %s %s, version %s",
			t.wire.who, event.Type, obj.GetName(), obj.GetResourceVersion())
	}
	return event
}

func (t *tap) Next(ctx context.Context) (watch.Event, error) {
	event, err := t.Watch.Next(ctx)
	if err != nil {
		return event, err
	}
	return t.count(event), nil
}

func (t *tap) TryNext() (watch.Event, bool, error) {
	event, ok, err := t.Watch.TryNext()
	if ok {
		event = t.count(event)
	}
	return event, ok, err
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
		recorded(t, "naive.txt", log.Bytes())
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
		recorded(t, "two-at-once.txt", log.Bytes())
	})
}

// cost is what an idle minute, and one change, cost with so many Pods.
type cost struct {
	Calls   int `json:"calls"`
	Objects int `json:"objects"`
}

type costs struct {
	Naive struct {
		Minute cost `json:"minute"`
		Change cost `json:"change"`
	} `json:"naive"`
	Informer struct {
		Start  cost `json:"start"`
		Minute cost `json:"minute"`
		Change cost `json:"change"`
	} `json:"informer"`
}

// since returns what was spent since the last call.
func (w *wire) since(last *cost) cost {
	now := cost{w.calls, w.objects}
	spent := cost{now.Calls - last.Calls, now.Objects - last.Objects}
	*last = now
	return spent
}

func measure(t *testing.T, pods int) (c costs) {
	store := newStore()
	for range pods {
		p := nginxPod("")
		p.GenerateName, p.Labels = "nginx-", map[string]string{"app": "nginx"}
		mustCreate(t, store, p)
	}
	// bump changes one Pod.
	bump := func(value string) {
		list, err := store.List(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
		require.NoError(t, err)
		next := controlloop.Copy(list.Items[0])
		next.SetAnnotations(map[string]string{"touched": value})
		mustUpdate(t, store, next)
	}

	var spent cost
	loop := &wire{Store: store}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute-time.Millisecond)
	defer cancel()
	require.NoError(t, naive(loop, pods).Run(ctx, time.Second))
	c.Naive.Minute = loop.since(&spent)
	bump("once")
	require.NoError(t, naive(loop, pods).Tick(t.Context()))
	c.Naive.Change = loop.since(&spent)

	spent = cost{}
	client := &wire{Store: store}
	informer := controlloop.NewInformer(client, controlloop.PodKind, controlloop.ListOptions{}, 0, nil)
	ctx, cancel = context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		informer.Run(ctx)
		close(done)
	}()
	<-informer.Synced()
	synctest.Wait()
	c.Informer.Start = client.since(&spent)
	time.Sleep(time.Minute - time.Second)
	synctest.Wait()
	c.Informer.Minute = client.since(&spent)
	bump("twice")
	synctest.Wait()
	c.Informer.Change = client.since(&spent)
	cancel()
	<-done
	return c
}

type series struct {
	Name   string   `json:"name"`
	Points [][2]int `json:"points"`
}

// What noticing one change costs, for both, as the Pods grow in number.
func TestRunOfTheCosts(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		loop, informer := series{Name: "naive loop"}, series{Name: "informer"}
		for _, pods := range []int{1, 10, 100, 1000, 10000} {
			c := measure(t, pods)
			loop.Points = append(loop.Points, [2]int{pods, c.Naive.Change.Objects})
			informer.Points = append(informer.Points, [2]int{pods, c.Informer.Change.Objects})
			if pods == 10000 {
				recordedJSON(t, "cost.json", c)
			}
		}
		recordedJSON(t, "cost-plot.json", map[string]any{
			"title":  "What noticing one change costs",
			"x":      map[string]any{"label": "Pods", "log": true},
			"y":      map[string]any{"label": "objects read to notice one change", "log": true},
			"series": []series{loop, informer},
		})
	})
}

// A conflict, and its retry.
func TestRunOfAConflict(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log, store := newTranscript(), newStore()
		key := controlloop.KeyOf(mustCreate(t, store, configMap("web", nil)))
		get := func(who string) *corev1.ConfigMap {
			obj, err := store.Get(t.Context(), configMapKind, key)
			require.NoError(t, err)
			log.sayf("%-6s reads web, version %s", who, obj.GetResourceVersion())
			return obj.(*corev1.ConfigMap)
		}
		put := func(who string, c *corev1.ConfigMap) error {
			stored, err := store.Update(t.Context(), c)
			if err != nil {
				log.sayf("%-6s writes: %v", who, err)
				return err
			}
			log.sayf("%-6s writes: version %s, data %v", who, stored.GetResourceVersion(),
				stored.(*corev1.ConfigMap).Data)
			return nil
		}
		hers, his := get("Ada"), get("Barend")
		time.Sleep(time.Second)
		require.NoError(t, put("Ada", setData(hers, "colour", "red")))
		time.Sleep(time.Second)
		require.Error(t, put("Barend", setData(his, "size", "large")))
		time.Sleep(time.Second)
		require.NoError(t, put("Barend", setData(get("Barend"), "size", "large")))
		recorded(t, "conflict.txt", log.Bytes())
	})
}

// cuttable breaks its watches on demand.
type cuttable struct {
	*wire
	open *cut
}

type cut struct {
	controlloop.Watch
	broken bool
}

func (c *cuttable) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	w, err := c.wire.Watch(ctx, kind, opts)
	c.open = &cut{Watch: w}
	return c.open, err
}

func (c *cut) TryNext() (watch.Event, bool, error) {
	if c.broken {
		return watch.Event{}, false, fmt.Errorf("connection reset by peer")
	}
	return c.Watch.TryNext()
}

// A watch that is dropped heals; one that was away for too long lists again.
func TestRunOfADroppedWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := newTranscript()
		store := newStore(controlloop.WithHistory(2))
		client := &cuttable{wire: &wire{Store: store, who: "pods", log: log}}
		informer := controlloop.NewInformer(client, controlloop.PodKind, controlloop.ListOptions{}, 0, nil)
		informer.Handle(controlloop.Handler{
			OnAdd:    func(obj controlloop.Object) { log.sayf("     handler: added %s", obj.GetName()) },
			OnDelete: func(obj controlloop.Object) { log.sayf("     handler: deleted %s", obj.GetName()) },
		})
		step := func() {
			_, err := informer.Step(t.Context())
			require.NoError(t, err)
		}
		away := func(what string) {
			client.open.broken = true
			log.sayf("     the connection breaks, and meanwhile %s", what)
		}
		log.part("short")
		mustCreate(t, store, nginxPod("web-1"))
		step()
		away("web-2 is created")
		mustCreate(t, store, nginxPod("web-2"))
		time.Sleep(time.Second)
		step()

		log.part("long")
		away("web-1 is deleted and ten others come and go")
		gone := func(name string) {
			require.NoError(t, store.Delete(t.Context(), controlloop.PodKind,
				controlloop.Key{Namespace: "default", Name: name}, metav1.DeleteOptions{}))
		}
		gone("web-1")
		for i := range 10 {
			name := fmt.Sprintf("brief-%d", i)
			mustCreate(t, store, nginxPod(name))
			gone(name)
		}
		time.Sleep(time.Second)
		step()
		recorded(t, "dropped-watch.txt", log.Bytes())
	})
}
