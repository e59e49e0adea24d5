package controlloop_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

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

// A watch that is dropped heals; one that was away for too long lists again, and so does
// one that falls silent.
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

		log.part("restored")
		away("the store is replaced by its backup, in which web-1 is alive")
		client.Store = newStore()
		mustCreate(t, client.Store, nginxPod("web-1"))
		time.Sleep(time.Second)
		step()
		log.sayf("     web-3 is created")
		mustCreate(t, client.Store, nginxPod("web-3"))
		for range 3 {
			time.Sleep(time.Minute)
			step()
		}
		kubetest.Recorded(t, "dropped-watch.txt", log.Bytes())
	})
}
