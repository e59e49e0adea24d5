package storage_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

const (
	claimInUse  = "kubernetes.io/pvc-protection"
	volumeInUse = "kubernetes.io/pv-protection"
)

// guarding has both protections and a binder.
var guarding = kubetest.Setup{
	Kinds: allKinds,
	Controllers: []kubetest.Controller{
		storage.NewBinder, storage.NewClaimProtection, storage.NewVolumeProtection,
	},
	DetectMutations: true,
}

//book:exercise 5e
func TestAClaimIsKeptWhileAPodOnANodeHasIt(t *testing.T) {
	in(t, guarding, func(c *kubetest.Cluster) {
		mine := kubetest.Create(c, claim("c", "1Gi"))
		c.Settle()
		assert.Equal(t, []string{claimInUse}, kubetest.Get(c, mine).Finalizers)
		pod := kubetest.Create(c, user("p", "c"))
		c.Settle()
		lists := c.Client.Calls()["list"]
		gone(c, mine)
		c.Settle()
		assert.Equal(t, "c Terminating", claims(c))
		assert.Equal(t, lists, c.Client.Calls()["list"], "the cache knows of a user, and nobody else has to be asked")
		c.AssertQuiet(long)
		c.DeletePod(pod.Name, kubetest.Grace(0))
		c.Settle()
		assert.Empty(t, claims(c))
	})
}

// A Pod that has ended may still be looked into; one without a node has not
// begun.
//
//book:exercise 5e
func TestWhoUsesAClaim(t *testing.T) {
	for _, c := range []struct {
		name string
		pod  *corev1.Pod
		is   string
	}{
		{"one that has ended", func() *corev1.Pod {
			pod := user("p", "c")
			pod.Status.Phase = corev1.PodSucceeded
			return pod
		}(), "c Terminating"},
		{"one that is ending, and may still write", func() *corev1.Pod {
			pod := user("ending", "c")
			pod.Status.Phase = corev1.PodRunning
			return pod
		}(), "c Terminating"},
		{"one that has another claim as well", func() *corev1.Pod {
			pod := user("p", "d")
			pod.Spec.Volumes = append(pod.Spec.Volumes, user("p", "c").Spec.Volumes[0])
			pod.Spec.Volumes[1].Name = "more"
			return pod
		}(), "c Terminating"},
		{"one without a node", func() *corev1.Pod {
			pod := user("p", "c")
			pod.Spec.NodeName = ""
			return pod
		}(), ""},
		{"one with another claim", user("p", "d"), ""},
		{"one of another namespace", func() *corev1.Pod {
			pod := user("p", "c")
			pod.Namespace = "elsewhere"
			return pod
		}(), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			in(t, guarding, func(cl *kubetest.Cluster) {
				mine := kubetest.Create(cl, claim("c", "1Gi"))
				pod := controlloop.Copy(kubetest.Create(cl, c.pod))
				pod.Status.Phase = c.pod.Status.Phase
				_, err := cl.Store.UpdateStatus(t.Context(), pod)
				require.NoError(t, err)
				if pod.Name == "ending" {
					cl.DeletePod(pod.Name)
				}
				cl.Settle()
				gone(cl, mine)
				cl.Settle()
				assert.Equal(t, c.is, claims(cl), "the claim c, deleted, with a Pod: %s", c.name)
			})
		})
	}
}

// The Pod was given its node a moment ago, and the cache has not heard of it.
//
//book:exercise 5e
func TestAClaimIsKeptForAPodThatACacheDoesNotKnowYet(t *testing.T) {
	ctx := t.Context()
	store := controlloop.NewStore(allKinds)
	system := &controlloop.System{Client: deafToPods{store}}
	storage.NewClaimProtection(system)
	settle := func() {
		for more := true; more; {
			var err error
			more, err = system.Step(ctx, controlloop.InOrder)
			require.NoError(t, err)
		}
	}
	for _, name := range []string{"used", "unused"} {
		mine := claim(name, "1Gi")
		mine.Namespace, mine.Finalizers = "shop", []string{claimInUse}
		_, err := store.Create(ctx, mine)
		require.NoError(t, err)
	}
	known := user("known", "another") // a cache that knows of one Pod may lack the next
	known.Namespace = "shop"
	_, err := store.Create(ctx, known)
	require.NoError(t, err)
	settle()
	pod := user("p", "used")
	pod.Namespace = "shop"
	_, err = store.Create(ctx, pod)
	require.NoError(t, err)
	named := func(name string) controlloop.Key { return controlloop.Key{Namespace: "shop", Name: name} }
	for _, name := range []string{"used", "unused"} {
		require.NoError(t, store.Delete(ctx, claimKind, named(name), metav1.DeleteOptions{}))
	}
	settle()
	_, err = store.Get(ctx, claimKind, named("used"))
	require.NoError(t, err, "it is gone, and a Pod that mounts it is on a node")
	_, err = store.Get(ctx, claimKind, named("unused"))
	require.True(t, apierrors.IsNotFound(err), "nobody uses it, and it stays")
}

// deafToPods is a client whose watches never tell of Pods.
type deafToPods struct{ controlloop.Client }

func (d deafToPods) Watch(
	ctx context.Context, kind schema.GroupVersionKind, opts controlloop.ListOptions,
) (controlloop.Watch, error) {
	if kind == controlloop.PodKind {
		return silence{}, nil
	}
	return d.Client.Watch(ctx, kind, opts)
}

type silence struct{}

func (silence) Next(ctx context.Context) (watch.Event, error) {
	<-ctx.Done()
	return watch.Event{}, ctx.Err()
}
func (silence) TryNext() (watch.Event, bool, error) { return watch.Event{}, false, nil }
func (silence) Stop()                               {}

// "It could not be asked" is not "it is not in use".
//
//book:exercise 5e
func TestAClaimIsKeptWhileNobodyCanSayWhoUsesIt(t *testing.T) {
	in(t, guarding, func(c *kubetest.Cluster) {
		mine := kubetest.Create(c, claim("c", "1Gi"))
		c.Settle()
		require.Equal(t, []string{claimInUse}, kubetest.Get(c, mine).Finalizers)
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "list" && call.Kind == controlloop.PodKind {
				return kubetest.ErrFailedOnce
			}
			return nil
		})
		gone(c, mine)
		c.Advance(time.Minute)
		assert.Equal(t, "c Terminating", claims(c))
		assert.True(t, c.Told(kubetest.ErrFailedOnce), "it waits, and nobody was told why")
		c.Client.Repair()
		c.Advance(10 * time.Minute)
		assert.Empty(t, claims(c))
	})
}

// Other finalizers are other people's.
//
//book:exercise 5e
func TestAProtectionTakesAwayItsOwnFinalizerOnly(t *testing.T) {
	in(t, guarding, func(c *kubetest.Cluster) {
		mine := claim("c", "1Gi")
		mine.Finalizers = []string{"test/backup", claimInUse, "test/audit"}
		mine = kubetest.Create(c, mine)
		c.Settle()
		gone(c, mine)
		c.Settle()
		assert.Equal(t, []string{"test/backup", "test/audit"}, kubetest.Get(c, mine).Finalizers)
		fresh := claim("d", "1Gi")
		fresh.Finalizers = []string{"test/backup", "test/audit"}
		fresh = kubetest.Create(c, fresh)
		c.Settle()
		has := kubetest.Get(c, fresh).Finalizers
		assert.Contains(t, has, claimInUse)
		assert.Equal(t, fresh.Finalizers, slices.DeleteFunc(slices.Clone(has),
			func(f string) bool { return f == claimInUse }))
		c.AssertQuiet(long)
	})
}

//book:exercise 5e
func TestAProtectionThatCannotWriteSaysSoAndTriesAgain(t *testing.T) {
	in(t, guarding, func(c *kubetest.Cluster) {
		c.Client.FailNth("update", 1)
		mine := kubetest.Create(c, claim("c", "1Gi"))
		c.Settle()
		assert.True(t, c.Told(kubetest.ErrFailedOnce), "it was refused, and nobody was told")
		c.Advance(time.Minute)
		require.Equal(t, []string{claimInUse}, kubetest.Get(c, mine).Finalizers)

		c.Client.FailNth("update", 1)
		gone(c, mine)
		c.Settle()
		assert.Equal(t, "c Terminating", claims(c))
		c.Advance(time.Minute)
		assert.Empty(t, claims(c), "it was refused once, and not tried again")
	})
}

func TestWhatIsNewIsGuardedAtTheDoor(t *testing.T) {
	mine, v, pod := claim("c", "1Gi"), volume("a", "1Gi"), user("p", "c")
	mine.Finalizers, v.Finalizers = []string{"test/backup"}, []string{"test/backup"}
	for _, obj := range []controlloop.Object{mine, v, pod} {
		storage.Protect(obj)
	}
	assert.Equal(t, []string{"test/backup", claimInUse}, mine.Finalizers)
	assert.Equal(t, []string{"test/backup", volumeInUse}, v.Finalizers)
	assert.Empty(t, pod.Finalizers)
}

//book:exercise 5e
func TestAVolumeIsKeptWhileAClaimIsBoundToIt(t *testing.T) {
	in(t, guarding, func(c *kubetest.Cluster) {
		v := kubetest.Create(c, volume("a", "1Gi"))
		c.Settle()
		assert.Equal(t, []string{volumeInUse}, kubetest.Get(c, v).Finalizers)
		mine := kubetest.Create(c, claim("c", "1Gi"))
		c.Settle()
		gone(c, v)
		c.Advance(time.Minute)
		assert.Equal(t, "a Terminating c", volumes(c))
		assert.Equal(t, "c Bound a", claims(c))
		gone(c, mine)
		c.Settle()
		assert.Empty(t, volumes(c)+claims(c))
	})
}
