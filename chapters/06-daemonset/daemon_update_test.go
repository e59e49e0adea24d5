package daemonset_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/internal/kubetest"
)

// old and fresh are the images before and after an update.
const old, fresh = kubetest.Nginx, "nginx:1.28"

// removals are the nodes whose Pods were told to go, in order.
func removals(c *kubetest.Cluster) (nodes []string) {
	for _, w := range c.Writes() {
		pod, ok := w.Object.(*corev1.Pod)
		if ok && w.Old != nil && w.Old.GetDeletionTimestamp() == nil && pod.DeletionTimestamp != nil {
			nodes = append(nodes, daemonset.Target(pod))
		}
	}
	return nodes
}

func TestAnUpdateGoesNodeByNodeInTheOrderOfTheirNames(t *testing.T) {
	onDaemons(t, 4, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		change(c, image(fresh))
		c.Settle()
		assert.Equal(t, "n1:1.27 going, n2:1.27, n3:1.27, n4:1.27", onEach(c))
		assert.Equal(t, "4 4 0 4 0 4 0", numbers(c))
		settleDaemons(c)
		assert.Equal(t, "n1:1.28, n2:1.28, n3:1.28, n4:1.28", onEach(c))
		assert.Equal(t, []string{"n1", "n2", "n3", "n4"}, removals(c))
		assert.Equal(t, "4 4 0 4 4 4 0", numbers(c))
	})
}

func TestAsManyAsMayBeUnavailableAreReplacedAtOnce(t *testing.T) {
	onDaemons(t, 10, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs(unavailable("25%")))
		settleDaemons(c)
		change(c, image(fresh))
		c.Settle()
		assert.Equal(t, []string{"n1", "n10", "n2"}, removals(c))
		settleDaemons(c)
		assert.Equal(t, "10 10 0 10 10 10 0", numbers(c))
	})
}

func TestOnDeleteWaitsForHands(t *testing.T) {
	onDaemons(t, 2, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs(onDelete))
		settleDaemons(c)
		change(c, image(fresh))
		settleDaemons(c)
		assert.Equal(t, "n1:1.27, n2:1.27", onEach(c))
		assert.Equal(t, "2 2 0 2 0 2 0", numbers(c))
		byHand(c, podOn(t, c, "n2"))
		settleDaemons(c)
		assert.Equal(t, "n1:1.27, n2:1.28", onEach(c))
	})
}

// What does not work takes up what the update may take, and it goes no further;
// and back again, what does not work goes first, and at once.
func TestABrokenImageStopsAtMaxUnavailable(t *testing.T) {
	onDaemons(t, 5, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs(unavailable("2")))
		settleDaemons(c)
		change(c, image("broken"))
		settleDaemons(c, "broken")
		assert.Equal(t, "n1: not ready, n2: not ready, n3:1.27, n4:1.27, n5:1.27", onEach(c))
		assert.Equal(t, "5 5 0 3 2 3 2", numbers(c))
		change(c, image(fresh))
		c.Settle()
		assert.Equal(t, []string{"n1", "n2", "n1", "n2"}, removals(c))
		settleDaemons(c)
		assert.Equal(t, "5 5 0 5 5 5 0", numbers(c))
	})
}

func TestWhatDoesNotWorkAnywayIsReplacedWithoutRoom(t *testing.T) {
	onDaemons(t, 4, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		for _, node := range []string{"n2", "n3", "n4"} {
			says(c, podOn(t, c, node), corev1.PodRunning, false)
		}
		change(c, image(fresh))
		c.Settle()
		assert.Equal(t, []string{"n2", "n3", "n4"}, removals(c), "and not n1, which works")
	})
}

func TestWithMinReadySecondsTheNextNodeWaits(t *testing.T) {
	onDaemons(t, 2, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs(readyFor(30)))
		settleDaemons(c)
		assert.Equal(t, "2 2 0 2 2 0 2", numbers(c))
		c.Advance(time.Minute)
		assert.Equal(t, "2 2 0 2 2 2 0", numbers(c))
		change(c, image(fresh))
		settleDaemons(c)
		assert.Equal(t, "n1:1.28, n2:1.27", onEach(c))
		c.Advance(27 * time.Second)
		assert.Equal(t, []string{"n1"}, removals(c))
		c.Advance(3 * time.Second)
		assert.Equal(t, []string{"n1", "n2"}, removals(c))
	})
}

func TestASurgeHasTheNewOneReadyBeforeTheOldOneGoes(t *testing.T) {
	onDaemons(t, 3, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs(surging("1")))
		settleDaemons(c)
		change(c, image(fresh))
		c.Settle()
		assert.Equal(t, "n1:1.27, n1:1.28 pending, n2:1.27, n3:1.27", onEach(c))
		c.Advance(time.Second)
		serveDaemons(c)
		c.Settle()
		assert.Equal(t, "n1:1.27 going, n1:1.28, n2:1.27, n2:1.28 pending, n3:1.27", onEach(c))
		settleDaemons(c)
		assert.Equal(t, "n1:1.28, n2:1.28, n3:1.28", onEach(c))
		assert.Equal(t, "3 3 0 3 3 3 0", numbers(c))
	})
}

func TestABrokenImageStopsASurge(t *testing.T) {
	onDaemons(t, 5, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs(surging("40%")))
		settleDaemons(c)
		change(c, image("broken"))
		settleDaemons(c, "broken")
		assert.Equal(t, "n1: not ready, n1:1.27, n2: not ready, n2:1.27, n3:1.27, n4:1.27, n5:1.27", onEach(c))
		assert.Equal(t, "5 5 0 5 0 5 0", numbers(c))
		change(c, image(fresh))
		settleDaemons(c)
		assert.Equal(t, "n1:1.28, n2:1.28, n3:1.28, n4:1.28, n5:1.28", onEach(c))
	})
}

// A node that does not want the new Pods keeps its old one until another node has
// one to show for it.
func TestASurgeThatMovesKeepsTheOldOneUntilTheNewOneWorks(t *testing.T) {
	onDaemons(t, 0, func(c *kubetest.Cluster) {
		kubetest.Create(c, host("a", hostWith("disk", "hdd")))
		kubetest.Create(c, host("b", hostWith("disk", "ssd")))
		kubetest.Create(c, logs(surging("1"), only("disk", "hdd")))
		settleDaemons(c)
		kubetest.Edit(c, host("a"), tainted("gpu", corev1.TaintEffectNoSchedule))
		change(c, func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.NodeSelector = nil })
		c.Settle()
		assert.Equal(t, "a:1.27, b:1.27 pending", onEach(c))
		settleDaemons(c)
		assert.Equal(t, "b:1.27", onEach(c))
		assert.Equal(t, "1 1 0 1 1 1 0", numbers(c))
	})
}

// Of no nodes 40 % are none, and so nothing has the new one ready first: the old
// one stays while its node lets it.
func TestASurgeOfAShareOfNoNodesLeavesTheOldOneWhereItIs(t *testing.T) {
	for surge, want := range map[string]string{"40%": "n1:1.27", "1": ""} {
		onDaemons(t, 1, func(c *kubetest.Cluster) {
			kubetest.Create(c, logs(surging(surge)))
			settleDaemons(c)
			kubetest.Edit(c, host("n1"), tainted("gpu", corev1.TaintEffectNoSchedule))
			change(c, image(fresh))
			settleDaemons(c)
			assert.Equal(t, want, onEach(c), surge)
		})
	}
}

// history says which revisions there are: their numbers and images.
func history(c *kubetest.Cluster) string {
	var all []string
	for _, r := range kubetest.All[*appsv1.ControllerRevision](c, daemonset.RevisionKind) {
		_, tag, _ := strings.Cut(string(r.Data.Raw), `"image":"`)
		tag, _, _ = strings.Cut(tag, `"`)
		all = append(all, fmt.Sprintf("%d %s", r.Revision, tag))
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

func TestGoingBackMakesTheThirdRevisionOfTheFirst(t *testing.T) {
	onDaemons(t, 2, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		assert.Equal(t, "1 "+old, history(c))
		first := podOn(t, c, "n1").Labels[appsv1.ControllerRevisionHashLabelKey]
		require.NotEmpty(t, first)
		change(c, image(fresh))
		settleDaemons(c)
		change(c, image(old))
		settleDaemons(c)
		assert.Equal(t, "2 "+fresh+", 3 "+old, history(c))
		assert.Equal(t, first, podOn(t, c, "n1").Labels[appsv1.ControllerRevisionHashLabelKey])
	})
}

func TestOldRevisionsAreDroppedWhenNoPodIsOfThem(t *testing.T) {
	onDaemons(t, 2, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs(func(ds *appsv1.DaemonSet) {
			ds.Spec.RevisionHistoryLimit = new(int32)
		}))
		settleDaemons(c)
		change(c, image(fresh))
		c.Settle()
		assert.Equal(t, "1 "+old+", 2 "+fresh, history(c), "two Pods are of the first still")
		settleDaemons(c)
		assert.Equal(t, "2 "+fresh, history(c))
	})
}

// Another name is taken by another template's revision: the next look has
// another hash, and nothing is left behind.
func TestAHashThatIsTakenIsCountedAndAnotherTaken(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		c.Settle()
		revision := kubetest.All[*appsv1.ControllerRevision](c, daemonset.RevisionKind)[0]
		require.NoError(t, c.Store.Delete(t.Context(), daemonset.DaemonSetKind,
			kubetest.Named("logs"), metav1.DeleteOptions{}))
		c.Settle()
		for _, pod := range c.Pods() {
			c.DeletePod(pod.Name, kubetest.Grace(0))
		}
		require.NoError(t, c.Store.Delete(t.Context(), daemonset.RevisionKind,
			kubetest.Named(revision.Name), metav1.DeleteOptions{}))
		kubetest.Create(c, &appsv1.ControllerRevision{
			ObjectMeta: metav1.ObjectMeta{Name: revision.Name, Namespace: "default"}, Revision: 1,
		})
		kubetest.Create(c, logs())
		settleDaemons(c)
		assert.EqualValues(t, 1, *kubetest.Get(c, logs()).Status.CollisionCount)
		assert.Equal(t, "1 1 0 1 1 1 0", numbers(c))
	})
}

// Somebody has stored what the set remembers already: as Kubernetes does, its
// Pods are told of the other name, and nobody is replaced.
func TestTwoRevisionsThatSayTheSameBecomeOneAndNoPodGoes(t *testing.T) {
	onDaemons(t, 2, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		duplicate := controlloop.Copy(kubetest.All[*appsv1.ControllerRevision](c, daemonset.RevisionKind)[0])
		duplicate.ObjectMeta = metav1.ObjectMeta{
			Name: "logs-duplicate", Namespace: duplicate.Namespace, OwnerReferences: duplicate.OwnerReferences,
			Labels: map[string]string{"app": "logs", appsv1.ControllerRevisionHashLabelKey: "duplicate"},
		}
		duplicate.Revision = 2
		kubetest.Create(c, duplicate)
		c.Settle()
		assert.Equal(t, "1 "+old+", 2 "+old, history(c), "nobody is woken by it")
		kubetest.Create(c, host("n3"))
		settleDaemons(c)
		left := kubetest.All[*appsv1.ControllerRevision](c, daemonset.RevisionKind)
		require.Len(t, left, 1)
		assert.Equal(t, "logs-duplicate", left[0].Name, "the highest number stays")
		for _, node := range []string{"n1", "n2", "n3"} {
			assert.Equal(t, "duplicate",
				podOn(t, c, node).Labels[appsv1.ControllerRevisionHashLabelKey])
		}
		assert.Empty(t, removals(c))
		assert.Equal(t, "3 3 0 3 3 3 0", numbers(c))
	})
}

func TestARevisionThatIsLostIsMadeAnew(t *testing.T) {
	onDaemons(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, logs())
		settleDaemons(c)
		revision := kubetest.All[*appsv1.ControllerRevision](c, daemonset.RevisionKind)[0]
		require.NoError(t, c.Store.Delete(t.Context(), daemonset.RevisionKind,
			kubetest.Named(revision.Name), metav1.DeleteOptions{}))
		c.Settle()
		assert.Equal(t, "1 "+old, history(c))
		assert.Empty(t, removals(c))
	})
}
