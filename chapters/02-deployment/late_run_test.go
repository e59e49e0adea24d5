package deployment_test

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// late is a client whose events about one kind take two seconds to arrive.
type late struct {
	controlloop.Client
	kind schema.GroupVersionKind
}

type lateWatch struct {
	controlloop.Watch
	onTheWay []arrival
}

type arrival struct {
	event watch.Event
	at    time.Time
}

func (l late) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	w, err := l.Client.Watch(ctx, kind, opts)
	if err != nil || kind != l.kind {
		return w, err
	}
	return &lateWatch{Watch: w}, nil
}

func (w *lateWatch) TryNext() (watch.Event, bool, error) {
	for {
		event, ok, err := w.Watch.TryNext()
		if err != nil {
			return event, ok, err
		}
		if !ok {
			break
		}
		w.onTheWay = append(w.onTheWay, arrival{event, time.Now().Add(2 * time.Second)})
	}
	if len(w.onTheWay) == 0 || time.Now().Before(w.onTheWay[0].at) {
		return watch.Event{}, false, nil
	}
	first := w.onTheWay[0]
	w.onTheWay = w.onTheWay[1:]
	return first.event, true, nil
}

// teller writes down what a controller tells.
type teller func(format string, args ...any)

func (t teller) Eventf(_ runtime.Object, _, _, format string, args ...any) { t(format, args...) }

// A tale is what figures/late.svg has of such a run: when the controller looked,
// from when until when it expected a Pod that it had made, and the Pods.
type tale struct {
	Part  string          `json:"part"`
	Looks []time.Duration `json:"looks"`
	Waits []time.Duration `json:"waits,omitempty"`
	Pods  []*told         `json:"pods"`

	start time.Time
}

// A told is a Pod, from when it was made, with the times at which the cache heard
// of it and at which it was deleted.
type told struct {
	Name  string         `json:"name"`
	Made  time.Duration  `json:"made"`
	Heard time.Duration  `json:"heard"`
	Gone  *time.Duration `json:"gone,omitempty"`
}

func (s *tale) wrote(w controlloop.Write) {
	switch at := time.Since(s.start); {
	case w.Object.GetObjectKind().GroupVersionKind() != controlloop.PodKind:
	case w.Type == watch.Added:
		s.Pods = append(s.Pods, &told{Name: w.Object.GetName(), Made: at})
	case w.Type == watch.Deleted:
		s.pod(w.Object).Gone = &at
	}
}

func (s *tale) pod(pod controlloop.Object) *told {
	return s.Pods[slices.IndexFunc(s.Pods, func(t *told) bool { return t.Name == pod.GetName() })]
}

// waits notes when a wait begins and when it ends.
func (s *tale) waits(yes bool) {
	if yes == (len(s.Waits)%2 == 0) {
		s.Waits = append(s.Waits, time.Since(s.start))
	}
}

// The fate of a ReplicaSet of one under a cache that is late, without
// expectations and with them.
func TestRunOfALateCache(t *testing.T) {
	var log bytes.Buffer
	var tales []*tale
	for _, part := range []string{"without", "with"} {
		synctest.Test(t, func(t *testing.T) {
			fmt.Fprintf(&log, "# part: %s\n", part)
			tale := &tale{Part: part, start: time.Now()}
			tales = append(tales, tale)
			say := func(format string, args ...any) {
				fmt.Fprintf(&log, "%5s  %s\n", time.Since(tale.start), fmt.Sprintf(format, args...))
			}
			store := controlloop.NewStore(kinds(), controlloop.OnWrite(tale.wrote))
			system := &controlloop.System{
				Client: late{store, controlloop.PodKind},
				Trace: func(s controlloop.Step) {
					if s.Action == "reconcile" {
						tale.Looks = append(tale.Looks, s.At.Sub(tale.start))
					}
				},
				Recorder: func(corev1.EventSource) controlloop.Recorder {
					return teller(say)
				},
			}
			controller := deployment.NewReplicaSets(system)
			sets := controller.Reconciler.(*deployment.ReplicaSets)
			pods := system.Informer(controlloop.PodKind, controlloop.ListOptions{})
			pods.Handle(controlloop.Handler{OnAdd: func(pod controlloop.Object) {
				say("         the cache hears of %s", pod.GetName())
				tale.pod(pod).Heard = time.Since(tale.start)
			}})
			var uid types.UID
			steps := func() {
				for more := true; more; {
					if part == "without" {
						sets.Expected = deployment.NewExpectations()
					}
					var err error
					more, err = system.Step(t.Context(), controlloop.InOrder)
					require.NoError(t, err)
					tale.waits(part == "with" && sets.Expected.Wait(uid) > 0)
				}
			}
			steps() // the caches are filled, with nothing
			web, err := store.Create(t.Context(), replicaSet("web", 1))
			require.NoError(t, err)
			uid = web.GetUID()
			steps()
			time.Sleep(time.Second)
			say("         somebody labels the ReplicaSet")
			obj, err := store.Get(t.Context(), deployment.ReplicaSetKind, controlloop.KeyOf(web))
			require.NoError(t, err)
			next := controlloop.Copy(obj.(*appsv1.ReplicaSet))
			next.Labels = map[string]string{"seen": "true"}
			_, err = store.Update(t.Context(), next)
			require.NoError(t, err)
			for range 5 {
				steps()
				time.Sleep(time.Second)
			}
			list, err := store.List(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
			require.NoError(t, err)
			say("         Pods there are: %d", len(list.Items))
		})
	}
	kubetest.Recorded(t, "late-cache.txt", log.Bytes())
	kubetest.RecordedJSON(t, "late.json", map[string]any{"runs": tales})
}
