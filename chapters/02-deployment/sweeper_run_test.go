package deployment_test

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// A sweeper deletes Pods whose ReplicaSet is gone: the garbage collector as one
// would write it first.
type sweeper struct {
	client  controlloop.Client
	pods    *controlloop.Indexer
	isThere func(context.Context, types.UID, controlloop.Key) (bool, error)
}

func (s *sweeper) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	pod, ok := s.pods.Get(key)
	if !ok {
		return controlloop.Result{}, nil
	}
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return controlloop.Result{}, nil
	}
	there, err := s.isThere(ctx, owner.UID,
		controlloop.Key{Namespace: key.Namespace, Name: owner.Name})
	if err != nil || there {
		return controlloop.Result{}, err
	}
	return controlloop.Result{}, s.client.Delete(
		ctx, controlloop.PodKind, key, metav1.DeleteOptions{})
}

// inCache is a sweeper's isThere that looks into its own cache of ReplicaSets.
type inCache struct{ sets *controlloop.Indexer }

func (c inCache) isThere(
	_ context.Context, uid types.UID, key controlloop.Key,
) (bool, error) {
	set, ok := c.sets.Get(key)
	return ok && set.GetUID() == uid, nil
}

// inStore is one that asks the store.
type inStore struct{ client controlloop.Client }

func (s inStore) isThere(
	ctx context.Context, uid types.UID, key controlloop.Key,
) (bool, error) {
	set, err := s.client.Get(ctx, deployment.ReplicaSetKind, key)
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return err == nil && set.GetUID() == uid, err
}

// newSweeper adds a sweeper to a system; it asks the store if ask says so, and
// its cache of ReplicaSets otherwise.
func newSweeper(s *controlloop.System, ask bool) *controlloop.Controller {
	pods := s.Informer(controlloop.PodKind, controlloop.ListOptions{})
	sets := s.Informer(deployment.ReplicaSetKind, controlloop.ListOptions{})
	sweeper := &sweeper{s.Client, pods.Cache, inCache{sets.Cache}.isThere}
	if ask {
		sweeper.isThere = inStore{s.Client}.isThere
	}
	c := controlloop.NewController("sweeper", sweeper)
	c.Watch(pods, func(obj controlloop.Object) []controlloop.Key {
		return []controlloop.Key{controlloop.KeyOf(obj)}
	})
	c.Watch(sets, func(controlloop.Object) []controlloop.Key { return nil })
	s.Add(c)
	return c
}

// distant is a client whose creations and deletions of Pods take a quarter of a second,
// and are written down.
type distant struct {
	controlloop.Client
	say func(format string, args ...any)
}

func (s distant) Create(ctx context.Context, obj controlloop.Object) (controlloop.Object, error) {
	time.Sleep(250 * time.Millisecond)
	created, err := s.Client.Create(ctx, obj)
	if err == nil {
		s.say("the ReplicaSet's controller creates %s", created.GetName())
	}
	return created, err
}

func (s distant) Delete(
	ctx context.Context, kind schema.GroupVersionKind, key controlloop.Key, opts metav1.DeleteOptions,
) error {
	time.Sleep(250 * time.Millisecond)
	err := s.Client.Delete(ctx, kind, key, opts)
	if err == nil {
		s.say("the sweeper deletes %s", key.Name)
	}
	return err
}

// A ReplicaSet of one, and a sweeper whose cache of ReplicaSets is two seconds behind.
func TestRunOfASweeperThatBelievesItsCache(t *testing.T) {
	var log bytes.Buffer
	for _, part := range []string{"cache", "store"} {
		synctest.Test(t, func(t *testing.T) {
			fmt.Fprintf(&log, "# part: %s\n", part)
			start := time.Now()
			say := func(format string, args ...any) {
				fmt.Fprintf(&log, "%6s  %s\n", time.Since(start), fmt.Sprintf(format, args...))
			}
			store := controlloop.NewStore(kinds())
			keeps := &controlloop.System{Client: distant{store, say}}
			deployment.NewReplicaSets(keeps)
			sweeps := &controlloop.System{Client: late{distant{store, say}, deployment.ReplicaSetKind}}
			newSweeper(sweeps, part == "store")
			sweeps.Informer(deployment.ReplicaSetKind, controlloop.ListOptions{}).Handle(controlloop.Handler{
				OnAdd: func(rs controlloop.Object) { say("the sweeper's cache hears of %s", rs.GetName()) },
			})
			steps := func() {
				for more := true; more; {
					more = false
					for _, system := range []*controlloop.System{keeps, sweeps} {
						for {
							stepped, err := system.Step(t.Context(), controlloop.InOrder)
							require.NoError(t, err)
							if !stepped {
								break
							}
							more = true
						}
					}
				}
			}
			steps() // the caches are filled, with nothing
			_, err := store.Create(t.Context(), replicaSet("web", 1))
			require.NoError(t, err)
			say("web is created, a ReplicaSet of one")
			for range 12 {
				steps()
				time.Sleep(250 * time.Millisecond)
			}
			list, err := store.List(t.Context(), controlloop.PodKind, controlloop.ListOptions{})
			require.NoError(t, err)
			say("Pods there are: %d", len(list.Items))
		})
	}
	kubetest.Recorded(t, "sweeper.txt", log.Bytes())
}

// A Pod's owner is gone, and between the question and the deletion it gets another.
func TestRunOfADeletionWithoutPreconditions(t *testing.T) {
	var log bytes.Buffer
	for _, who := range []struct {
		is, controller string
		made           kubetest.Controller
	}{
		{"the sweeper", "sweeper", func(s *controlloop.System) *controlloop.Controller {
			return newSweeper(s, true)
		}},
		{"Collector", "garbage collector", newCollector},
	} {
		setup := collecting
		setup.Controllers = []kubetest.Controller{who.made}
		in(t, setup, func(c *kubetest.Cluster) {
			fmt.Fprintf(&log, "# part: %s\n", strings.TrimPrefix(who.is, "the "))
			c.Controller(who.controller).OnError = func(_ controlloop.Key, err error) {
				fmt.Fprintf(&log, "it is refused: %s\n", err)
			}
			web := kubetest.Create(c, replicaSet("web", 1))
			gone := replicaSet("gone", 1)
			gone.UID = "gone"
			pod := kubetest.Create(c, ruledBy(gone, deployment.ReplicaSetKind, kubetest.Pod("web-1")))
			meanwhile(c, "delete", "Pod", func() {
				fmt.Fprintf(&log, "%s has asked: the owner of %s is gone\n", who.is, pod.Name)
				kubetest.Edit(c, pod, func(p *corev1.Pod) {
					ruledBy(web, deployment.ReplicaSetKind, p)
				})
				fmt.Fprintf(&log, "web becomes the owner of %s\n", pod.Name)
				fmt.Fprintf(&log, "%s deletes %s\n", who.is, pod.Name)
			})
			c.Settle()
			fmt.Fprintf(&log, "Pods there are: %d\n", len(c.Pods()))
		})
	}
	kubetest.Recorded(t, "preconditions.txt", log.Bytes())
}
