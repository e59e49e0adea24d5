package daemonset_test

import (
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

func TestEachNodeHasOne(t *testing.T) {
	onDaemons(t, 3, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		c.Settle()
		assert.Equal(t, "n1:1.27 pending, n2:1.27 pending, n3:1.27 pending", onEach(c))
		assert.Equal(t, "3 3 0 0 3 0 3", numbers(c))
		settleDaemons(c)
		assert.Equal(t, "n1:1.27, n2:1.27, n3:1.27", onEach(c))
		assert.Equal(t, "3 3 0 3 3 3 0", numbers(c))
		ds := kubetest.Get(c, logs())
		assert.Equal(t, ds.Generation, ds.Status.ObservedGeneration)
		for _, pod := range c.Pods() {
			assert.Contains(t, c.Events(),
				"Normal SuccessfulCreate daemonset-controller: Created pod: "+pod.Name)
		}
	})
}

func TestANodeThatComesGetsAPod(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		kubetest.Create(c, host("n2"))
		c.Settle()
		assert.Equal(t, "n1:1.27, n2:1.27 pending", onEach(c))
		settleDaemons(c)
		assert.Equal(t, "2 2 0 2 2 2 0", numbers(c))
	})
}

// What was on the node is the Pod garbage collector's; what waits for it would
// wait for ever.
func TestWhoWaitsForANodeThatIsGoneIsTakenAway(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		kubetest.Create(c, host("n2"))
		c.Settle()
		removeNode(t, c, "n1")
		removeNode(t, c, "n2")
		c.Settle()
		assert.Equal(t, "n1:1.27", onEach(c))
		assert.Equal(t, "0 0 0 0 0 0 0", numbers(c))
	})
}

func TestACordonedNodeKeepsItsPodAndGetsAnother(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		kubetest.Edit(c, host("n1"), tainted(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule))
		settleDaemons(c)
		assert.Equal(t, "1 1 0 1 1 1 0", numbers(c))
		byHand(c, podOn(t, c, "n1"))
		settleDaemons(c)
		assert.Equal(t, "1 1 0 1 1 1 0", numbers(c))
	})
}

func TestATaintThatKeepsOthersAwayLeavesWhoIsThere(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		kubetest.Edit(c, host("n1"), tainted("gpu", corev1.TaintEffectNoSchedule))
		settleDaemons(c)
		assert.Equal(t, "n1:1.27", onEach(c))
		assert.Equal(t, "0 0 1 0 0 0 0", numbers(c), "there is one, and there should be none")
		byHand(c, podOn(t, c, "n1"))
		settleDaemons(c)
		assert.Empty(t, onEach(c))
		assert.Equal(t, "0 0 0 0 0 0 0", numbers(c))
		kubetest.Edit(c, host("n1"), clean)
		settleDaemons(c)
		assert.Equal(t, "1 1 0 1 1 1 0", numbers(c))
	})
}

func TestATaintThatDrivesOutDrivesOut(t *testing.T) {
	onDaemons(t, 2, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		kubetest.Edit(c, host("n1"), tainted("gpu", corev1.TaintEffectNoExecute))
		settleDaemons(c)
		assert.Equal(t, "n2:1.27", onEach(c))
		assert.Equal(t, "1 1 0 1 1 1 0", numbers(c))
	})
}

func TestALabelDecidesWhichNodesAreMeant(t *testing.T) {
	onDaemons(t, 2, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs(only("disk", "ssd")))
		settleDaemons(c)
		assert.Empty(t, onEach(c))
		kubetest.Edit(c, host("n2"), hostWith("disk", "ssd"))
		settleDaemons(c)
		assert.Equal(t, "n2:1.27", onEach(c))
		kubetest.Edit(c, host("n2"), hostWith("disk", "hdd"))
		settleDaemons(c)
		assert.Empty(t, onEach(c))
	})
}

func TestATemplateThatNamesANodeMeansThatNode(t *testing.T) {
	onDaemons(t, 2, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs(func(ds *appsv1.DaemonSet) {
			ds.Spec.Template.Spec.NodeName = "n2"
		}))
		c.Settle()
		require.Len(t, c.Pods(), 1)
		assert.Equal(t, "n2", c.Pods()[0].Spec.NodeName)
		assert.Equal(t, "1 1 0 0 1 0 1", numbers(c))
	})
}

// owned is a Pod of a set, on a node, that its controller has not made.
func owned(c *kubetest.Cluster, name, node string, changes ...func(*corev1.Pod)) *corev1.Pod {
	ds := kubetest.Get(c, logs())
	pod := kubetest.Pod(name)
	pod.Namespace = metav1.NamespaceDefault
	pod.Labels = ds.Spec.Template.Labels
	pod.Spec.NodeName = node
	pod.OwnerReferences = []metav1.OwnerReference{
		*metav1.NewControllerRef(ds, daemonset.DaemonSetKind),
	}
	for _, change := range changes {
		change(pod)
	}
	return pod
}

func orphan(pod *corev1.Pod) { pod.OwnerReferences = nil }

func TestOfSeveralTheOldestStays(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs(onDelete))
		settleDaemons(c)
		oldest := podOn(t, c, "n1")
		c.Advance(time.Minute)
		for _, name := range []string{"a", "b"} {
			kubetest.Create(c, owned(c, name, "n1", orphan))
		}
		settleDaemons(c)
		require.Len(t, c.Pods(), 1)
		assert.Equal(t, oldest.Name, c.Pods()[0].Name)
		assert.Contains(t, c.Events(), "Normal SuccessfulDelete daemonset-controller: Deleted pod: a")
	})
}

func TestAPodThatNobodyHasIsAdopted(t *testing.T) {
	onDaemons(t, 2, func(c *kubetest.Cluster) {
		kubetest.Create(c, host("n3"))
		pod := kubetest.Pod("logs")
		pod.Spec.NodeName = "n2"
		kubetest.Create(c, pod)
		kubetest.Create(c, logs(onDelete))
		c.Settle()
		adopted := c.Pod("logs")
		require.NotNil(t, metav1.GetControllerOf(adopted))
		assert.Equal(t, "n1:1.27 pending, n2:1.27 not ready, n3:1.27 pending", onEach(c))
		assert.Equal(t, "3 3 0 0 2 0 3", numbers(c), "the one that was adopted is of no revision")
	})
}

func TestAPodThatLosesItsLabelsIsReleasedAndReplaced(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		pod := podOn(t, c, "n1")
		kubetest.Edit(c, pod, func(p *corev1.Pod) { p.Labels = map[string]string{"app": "other"} })
		settleDaemons(c)
		assert.Nil(t, metav1.GetControllerOf(kubetest.Get(c, pod)))
		assert.Equal(t, "n1:1.27", onEach(c))
		assert.Len(t, c.Pods(), 2)
	})
}

// ended are the Pods that were told to go because they had ended, and when.
func ended(c *kubetest.Cluster, reason string) (times []time.Duration) {
	uids := map[string]bool{}
	for _, w := range c.Writes() {
		pod, ok := w.Object.(*corev1.Pod)
		if ok && w.Type == "DELETED" && string(pod.Status.Phase) == reason && !uids[string(pod.UID)] {
			uids[string(pod.UID)] = true
			times = append(times, w.At)
		}
	}
	return times
}

func TestAPodThatFailsIsReplacedLaterEachTime(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		for range 60 {
			c.Advance(time.Second)
			serveDaemons(c)
			for _, pod := range c.Pods() {
				if pod.Status.Phase == corev1.PodRunning {
					says(c, pod, corev1.PodFailed, false)
				}
			}
		}
		c.Settle()
		var gaps []time.Duration
		all := ended(c, "Failed")
		for i := 1; i < len(all); i++ {
			gaps = append(gaps, (all[i] - all[i-1]).Round(time.Second))
		}
		for i, gap := range gaps[:5] { // it is decided anew a whole delay after a look
			delay := time.Second << i
			assert.GreaterOrEqual(t, gap, delay)
			assert.Less(t, gap, 2*delay)
		}
		assert.Regexp(t, "Warning FailedDaemonPod daemonset-controller: Found failed daemon pod "+
			"default/logs-[a-z0-9]+ on node n1, will try to kill it", strings.Join(c.Events(), "\n"))
	})
}

func TestAPodThatSucceedsIsReplacedAtOnce(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		pod := podOn(t, c, "n1")
		says(c, pod, corev1.PodSucceeded, false)
		settleDaemons(c)
		assert.Equal(t, "n1:1.27", onEach(c))
		assert.Contains(t, c.Events(), "Normal SucceededDaemonPod daemonset-controller: "+
			"Found succeeded daemon pod default/"+pod.Name+" on node n1, will try to delete it")
	})
}

func TestWhereOnePodIsRefusedNoHundredAreTried(t *testing.T) {
	onDaemons(t, 100, func(c *kubetest.Cluster) {
		no := errors.New("exceeded quota")
		tries := 0
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "create" && call.Kind == controlloop.PodKind {
				if tries++; tries > 2 {
					return no
				}
			}
			return nil
		})
		kubetest.Create(c, logs())
		c.Settle()
		assert.Less(t, tries, 8, "one, then two; and one more each time that something is heard")
		assert.Contains(t, c.Events(), "Warning FailedCreate daemonset-controller: Error creating: exceeded quota")
		c.Client.Repair()
		settleDaemons(c)
		assert.Equal(t, "100 100 0 100 100 100 0", numbers(c))
	})
}

// A create takes a second: seven of them take three, as the batches are of 1, 2
// and 4.
func TestTheCreatesOfABatchAreMadeSideBySide(t *testing.T) {
	onDaemons(t, 7, func(c *kubetest.Cluster) {
		var at []time.Duration
		var mu sync.Mutex
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "create" && call.Kind == controlloop.PodKind {
				mu.Lock()
				at = append(at, c.Elapsed())
				mu.Unlock()
				time.Sleep(time.Second)
			}
			return nil
		})
		c.Run()
		began := c.Elapsed()
		kubetest.Create(c, logs())
		c.Advance(5 * time.Second)
		assert.Equal(t, slices.Concat(
			slices.Repeat([]time.Duration{began}, 1),
			slices.Repeat([]time.Duration{began + time.Second}, 2),
			slices.Repeat([]time.Duration{began + 2*time.Second}, 4),
		), at)
		assert.Len(t, c.Pods(), 7)
	})
}

// All that is in the namespace will be deleted.
func TestInANamespaceThatIsBeingDeletedADaemonSetStops(t *testing.T) {
	onDaemons(t, 3, func(c *kubetest.Cluster) {
		refused := apierrors.NewForbidden(corev1.Resource("pods"), "", errors.New("terminating"))
		refused.ErrStatus.Details.Causes = []metav1.StatusCause{
			{Type: corev1.NamespaceTerminatingCause},
		}
		tries := 0
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "create" && call.Kind == controlloop.PodKind {
				tries++
				return refused
			}
			return nil
		})
		kubetest.Create(c, logs())
		c.Advance(time.Minute)
		assert.Equal(t, 3, tries, "each once")
		assert.Empty(t, c.Events())
	})
}

func TestNoMoreThanTwoHundredAndFiftyAreMadeAtOneLook(t *testing.T) {
	onDaemons(t, 300, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		for len(c.Pods()) == 0 {
			more, err := c.System.Step(t.Context(), controlloop.InOrder)
			require.NoError(t, err)
			require.True(t, more)
		}
		assert.Len(t, c.Pods(), 250)
		c.Settle()
		assert.Len(t, c.Pods(), 300)
	})
}

// The Pods of one run go by the same names in the next, each on the same node.
func TestTheSameNodesGetTheSameNames(t *testing.T) {
	var runs [2]map[string]string
	for i := range runs {
		runs[i] = map[string]string{}
		onDaemons(t, 40, func(c *kubetest.Cluster) {
			kubetest.Create(c, logs())
			c.Settle()
			for _, pod := range c.Pods() {
				runs[i][daemonset.Target(pod)] = pod.Name
			}
		})
	}
	assert.Equal(t, runs[0], runs[1])
}

func TestASetThatIsAboutToGoIsLeftAlone(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs(func(ds *appsv1.DaemonSet) { ds.Finalizers = []string{"x/y"} }))
		settleDaemons(c)
		require.NoError(t, c.Store.Delete(t.Context(), daemonset.DaemonSetKind,
			kubetest.Named("logs"), metav1.DeleteOptions{}))
		kubetest.Create(c, host("n2"))
		settleDaemons(c)
		assert.Equal(t, "n1:1.27", onEach(c))
	})
}

// One that is made again under its name, before anybody has noticed that it was
// gone, has nothing to do with the first but that it may adopt no Pods of it.
func TestASetOfTheSameNameIsAnother(t *testing.T) {
	onDaemons(t, 2, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		require.NoError(t, c.Store.Delete(t.Context(), daemonset.DaemonSetKind,
			kubetest.Named("logs"), metav1.DeleteOptions{}))
		kubetest.Create(c, logs(func(ds *appsv1.DaemonSet) { ds.UID = "another" }))
		c.Settle()
		ds := kubetest.Get(c, logs())
		mine := 0
		for _, pod := range c.Pods() {
			if metav1.IsControlledBy(pod, ds) {
				mine++
			}
		}
		assert.Equal(t, 2, mine)
	})
}

func TestAHeartbeatHasNoSetLook(t *testing.T) {
	onDaemons(t, 3, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		kubetest.Create(c, host("db", tainted("gpu", corev1.TaintEffectNoExecute)))
		settleDaemons(c)
		looks := func(happens func()) int {
			happens()
			_, err := c.System.Informer(controlloop.NodeKind, controlloop.ListOptions{}).Step(t.Context())
			require.NoError(t, err)
			n := c.Controller("daemonset").Queue.Len()
			settleDaemons(c)
			return n
		}
		beat := func(name string) func() {
			return func() {
				node := controlloop.Copy(kubetest.Get(c, host(name)))
				node.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady}}
				_, err := c.Store.UpdateStatus(t.Context(), node)
				require.NoError(t, err)
			}
		}
		assert.Zero(t, looks(beat("n2")))
		assert.Zero(t, looks(beat("db")), "no Pod is meant to be there, and none is")
		assert.Zero(t, looks(func() { kubetest.Edit(c, host("n3"), hostWith("a", "b")) }))
		assert.Equal(t, 1, looks(func() { kubetest.Edit(c, host("db"), clean) }))
		assert.Equal(t, 1, looks(func() { removeNode(t, c, "n1") }))
	})
}
