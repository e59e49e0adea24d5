package tidy_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	tidy "reconcile/chapters/01-control-loop/exercises/1j"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// onANode is a cluster of one node, whose Pods aren't in the namespace default.
var onANode = kubetest.Setup{
	Nodes: 1, Namespace: "shop",
	Images: simulated.Images{
		"first": kubetest.Exits(10*time.Second, 0), "minute": kubetest.Exits(time.Minute, 0),
		"server": kubetest.Sleeps(0), "broken": kubetest.Exits(time.Minute, 1),
	},
}

// in runs a test in such a cluster with a tidy controller.
func in(t *testing.T, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		setup := onANode
		setup.DetectMutations, setup.Controllers = true, []kubetest.Controller{tidy.New}
		test(kubetest.New(t, setup))
	})
}

// pod returns one that runs an image once, between two containers that end before
// it, and is kept for so long.
func pod(name, image, keep string) *corev1.Pod {
	p := kubetest.Pod(name, kubetest.Container("ahead", "first"),
		kubetest.Container("app", image), kubetest.Container("second", "first"))
	p.Spec.RestartPolicy = corev1.RestartPolicyNever
	p.Annotations = map[string]string{tidy.KeepAnnotation: keep}
	return p
}

// names returns the names of all Pods.
func names(c *kubetest.Cluster) []string {
	all := []string{}
	for _, p := range c.Pods() {
		all = append(all, p.Name)
	}
	return all
}

// A Pod that ends after a minute and is kept for ten is there for eleven.
//
//book:exercise 1j
func TestAPodIsKeptForItsTimeAndNoLonger(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, pod("job", "minute", "10m"))
		c.Advance(10*time.Minute + 50*time.Second)
		require.Equal(t, []string{"job"}, names(c), "its ten minutes begin when it ends")
		c.Advance(20 * time.Second)
		assert.Empty(t, names(c), "its ten minutes are over")
	})
}

//book:exercise 1j
func TestOnlyPodsGoThatHaveEndedAndSayWhen(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, pod("at-once", "minute", "0s"))
		kubetest.Create(c, pod("runs", "server", "1m"))
		kubetest.Create(c, pod("silent", "minute", ""))
		kubetest.Create(c, pod("soon", "minute", "soon"))
		c.Advance(24 * time.Hour)
		assert.Equal(t, []string{"runs", "silent", "soon"}, names(c))
	})
}

// A job that went wrong has ended, too.
//
//book:exercise 1j
func TestAPodThatFailedIsKeptForItsTimeAndNoLonger(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, pod("job", "broken", "10m"))
		c.Advance(10*time.Minute + 50*time.Second)
		require.Equal(t, []string{"job"}, names(c), "its ten minutes begin when it ends")
		require.Equal(t, corev1.PodFailed, c.Pod("job").Status.Phase)
		c.Advance(20 * time.Second)
		assert.Empty(t, names(c), "it has failed, and its ten minutes are over")
	})
}

// When something happens to one of them there's an event. In between there's nothing
// to see.
//
//book:exercise 1j
func TestAPodWithoutALimitIsNotLookedAtAllDay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		looks := 0
		setup := onANode
		setup.Controllers = []kubetest.Controller{tidy.New}
		setup.Trace = func(s controlloop.Step) {
			if s.Lane == "tidy" && s.Action == "reconcile" {
				looks++
			}
		}
		c := kubetest.New(t, setup)
		kubetest.Create(c, pod("runs", "server", "1m"))
		kubetest.Create(c, pod("silent", "minute", ""))
		c.Advance(2 * time.Minute)
		before := looks
		require.NotZero(t, before, "looks at the Pods")
		c.Advance(24 * time.Hour)
		assert.LessOrEqual(t, looks-before, 2*24, "looks in a day at two Pods that stay, though nothing happens to them")
		kubetest.Edit(c, pod("silent", "", ""), func(p *corev1.Pod) { p.Annotations[tidy.KeepAnnotation] = "1m" })
		c.Settle()
		assert.Equal(t, []string{"runs"}, names(c), "one of them is given a minute, which is long over")
	})
}

// Ada gives a Pod another hour while it waits for its end.
//
//book:exercise 1j
func TestWhatThePodSaysNowCounts(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, pod("job", "minute", "10m"))
		c.Advance(5 * time.Minute)
		kubetest.Edit(c, pod("job", "", ""), func(p *corev1.Pod) {
			p.Annotations[tidy.KeepAnnotation] = "1h"
		})
		c.Advance(55 * time.Minute)
		require.Equal(t, []string{"job"}, names(c))
		c.Advance(2 * time.Minute)
		assert.Empty(t, names(c), "its time is over")
	})
}

// It starts half a second before the time is over.
//
//book:exercise 1j
func TestHalfASecondIsWaitedForAsWell(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, pod("job", "minute", "10m"))
		c.Advance(2 * time.Minute)
		var ended time.Time // the last of its containers
		for _, status := range c.Pod("job").Status.ContainerStatuses {
			if at := status.State.Terminated.FinishedAt; at.After(ended) {
				ended = at.Time
			}
		}
		c.Advance(time.Until(ended.Add(10*time.Minute - time.Second/2)))
		c.Restart()
		c.Advance(10 * time.Second)
		assert.Empty(t, names(c))
	})
}

// The controller dies while a Pod waits. The new one knows nothing of it.
//
//book:exercise 1j
func TestAControllerThatStartsAnewGoesOn(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, pod("job", "minute", "10m"))
		c.Advance(5 * time.Minute)
		c.Restart()
		c.Advance(5 * time.Minute)
		require.Equal(t, []string{"job"}, names(c))
		c.Advance(2 * time.Minute)
		assert.Empty(t, names(c), "its time is over")
	})
}

//book:exercise 1j
func TestADeletionThatFailsIsTriedAgain(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		failed := c.Client.FailNth("delete", 1)
		kubetest.Create(c, pod("job", "minute", "1m"))
		c.Advance(3 * time.Minute)
		_, asked := failed()
		require.True(t, asked, "it was to be deleted")
		assert.Empty(t, names(c), "it was deleted in the end")
	})
}

//book:exercise 1j
func TestAReadThatFailsIsTriedAgain(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, pod("job", "minute", "1m"))
		c.Advance(90 * time.Second)
		c.Client.FailNth("get", 1) // if it asks the server at all
		c.Advance(2 * time.Minute)
		assert.Empty(t, names(c), "it was deleted in the end")
	})
}

// late returns a store in which something has happened to a Pod that has ended,
// and a Tidy whose cache has not heard of it.
func late(t *testing.T, happens func(c *kubetest.Cluster)) (*kubetest.Cluster, *tidy.Tidy) {
	c := kubetest.New(t, onANode)
	kubetest.Create(c, pod("job", "minute", "1m"))
	c.Advance(10 * time.Minute)
	cache := controlloop.NewIndexer()
	cache.Put(c.Pod("job"))
	happens(c)
	return c, &tidy.Tidy{Client: c.Client, Pods: cache}
}

// whenItsDayIsOver lets a Pod's 24h pass and the cache hear of it: now the Pod is
// to be deleted.
func whenItsDayIsOver(t *testing.T, c *kubetest.Cluster, controller *tidy.Tidy) {
	c.Advance(25 * time.Hour)
	controller.Pods.Put(c.Pod("job"))
	_, err := controller.Reconcile(t.Context(), c.Named("job"))
	require.NoError(t, err)
	assert.Empty(t, names(c), "its 24h are over")
}

// The name is free again, and another Pod has taken it.
//
//book:exercise 1j
func TestItDeletesThePodThatItMeans(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, controller := late(t, func(c *kubetest.Cluster) {
			c.DeletePod("job", kubetest.Grace(0))
			kubetest.Create(c, pod("job", "minute", "24h"))
			c.Settle()
		})
		_, _ = controller.Reconcile(t.Context(), c.Named("job"))
		assert.Equal(t, []string{"job"}, names(c), "this is another Pod")
		whenItsDayIsOver(t, c, controller)
	})
}

//book:exercise 1j
func TestALateCacheDeletesNothingThatWasJustKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, controller := late(t, func(c *kubetest.Cluster) {
			kubetest.Edit(c, pod("job", "", ""), func(p *corev1.Pod) {
				p.Annotations[tidy.KeepAnnotation] = "24h"
			})
		})
		_, _ = controller.Reconcile(t.Context(), c.Named("job"))
		assert.Equal(t, []string{"job"}, names(c), "it says 24h now")
		whenItsDayIsOver(t, c, controller)
	})
}

// Ada writes 24h while the deletion is on its way to the store.
//
//book:exercise 1j
func TestADeletionTakesNothingThatWasKeptMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, controller := late(t, func(*kubetest.Cluster) {})
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "delete" {
				c.Client.Fail(nil)
				kubetest.Edit(c, pod("job", "", ""), func(p *corev1.Pod) {
					p.Annotations[tidy.KeepAnnotation] = "24h"
				})
			}
			return nil
		})
		_, _ = controller.Reconcile(t.Context(), c.Named("job"))
		require.Equal(t, []string{"job"}, names(c), "it says 24h now")
		whenItsDayIsOver(t, c, controller)
	})
}

func TestAPodThatIsGoneIsNoError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, controller := late(t, func(c *kubetest.Cluster) { c.DeletePod("job", kubetest.Grace(0)) })
		for _, name := range []string{"job", "unheard-of"} {
			_, err := controller.Reconcile(t.Context(), c.Named(name))
			assert.NoError(t, err, name)
		}
	})
}

// A finalizer holds it. It has been asked to go, and is not asked twice.
//
//book:exercise 1j
func TestAPodThatIsToGoIsLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, controller := late(t, func(c *kubetest.Cluster) {
			kubetest.Edit(c, pod("job", "", ""), func(p *corev1.Pod) {
				p.Finalizers = []string{"example.com/backup"}
			})
		})
		asked := c.Client.Calls()["delete"]
		for range 3 {
			controller.Pods.Put(c.Pod("job"))
			_, err := controller.Reconcile(t.Context(), c.Named("job"))
			require.NoError(t, err)
		}
		assert.Equal(t, asked+1, c.Client.Calls()["delete"], "deletions that were asked for")
		assert.NotNil(t, c.Pod("job").DeletionTimestamp)
	})
}
