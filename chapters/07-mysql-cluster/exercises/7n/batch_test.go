package batch_test

import (
	"bytes"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	batch "reconcile/chapters/07-mysql-cluster/exercises/7n"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// in runs a test in a cluster with so many nodes, none of which has a kubelet.
func in(t *testing.T, nodes int, test func(c *kubetest.Cluster), seen ...kubetest.Invariant) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := kubetest.New(t, kubetest.Setup{
			Controllers:     []kubetest.Controller{batch.New},
			Namespace:       "shop",
			DetectMutations: true, Invariants: seen,
		})
		for n := range nodes {
			kubetest.Create(c, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("node-", n+1)}})
		}
		c.Settle()
		test(c)
	})
}

// come creates Pods of the batch, one after the other and without a pause.
func come(c *kubetest.Cluster, name string, pods int) {
	for n := range pods {
		pod := kubetest.Pod(fmt.Sprint(name, "-", n+1))
		pod.Labels = map[string]string{batch.PoolLabel: batch.Pool}
		kubetest.Create(c, pod)
	}
}

// where returns how many Pods are on each node; on "" are those that have none.
func where(c *kubetest.Cluster) map[string]int {
	on := map[string]int{}
	for _, pod := range c.Pods() {
		on[pod.Spec.NodeName]++
	}
	return on
}

var even = map[string]int{"node-1": 3, "node-2": 3, "node-3": 3}

// Nine Pods come within a moment: first on the store, then on a server whose
// events take a second.
//
//book:exercise 7n
func TestRunOfTheSameBatchInTheLabAndOutside(t *testing.T) {
	var text bytes.Buffer
	for _, place := range []struct {
		name string
		late time.Duration
	}{{"in the lab", 0}, {"on a real server, with a cache that is a second late", time.Second}} {
		fmt.Fprintf(&text, "# %s\n", place.name)
		var began time.Time
		in(t, 3, func(c *kubetest.Cluster) {
			began = time.Now()
			c.Client.Late(place.late)
			come(c, "job", 9)
			c.Advance(10 * time.Second)
			on := where(c)
			fmt.Fprintf(&text, " 10s  node-1 has %d, node-2 has %d, node-3 has %d\n",
				on["node-1"], on["node-2"], on["node-3"])
			assert.Equal(t, even, on, "%s", place.name)
		}, func(w kubetest.Write, _ []kubetest.Write) error {
			if pod, ok := w.Object.(*corev1.Pod); ok && w.Old != nil {
				fmt.Fprintf(&text, "%4s  %s goes to %s\n", time.Since(began), pod.Name, pod.Spec.NodeName)
			}
			return nil
		})
	}
	kubetest.Recorded(t, "batch.txt", text.Bytes())
}

// Six run when nine more come. When the news arrives, none may count twice.
//
//book:exercise 7n
func TestEachPodCountsOnce(t *testing.T) {
	in(t, 3, func(c *kubetest.Cluster) {
		c.Client.Late(time.Second)
		for n := range 5 {
			come(c, fmt.Sprint("job-", n), 3)
			c.Advance(700 * time.Millisecond)
		}
		c.Advance(10 * time.Second)
		assert.Equal(t, map[string]int{"node-1": 5, "node-2": 5, "node-3": 5}, where(c))
	})
}

// Of nine bindings the first three are refused, once each.
//
//book:exercise 7n
func TestABindingThatIsRefusedTakesNoPlace(t *testing.T) {
	in(t, 3, func(c *kubetest.Cluster) {
		c.Client.Late(time.Second)
		refused := 0
		c.Client.Fail(func(call kubetest.Call) error {
			if refused == 3 || call.Verb != "bind" {
				return nil
			}
			refused++
			return errors.NewForbidden(corev1.Resource("pods/binding"), call.Key.Name, nil)
		})
		come(c, "job", 9)
		c.Advance(10 * time.Second)
		assert.Equal(t, even, where(c))
	})
}

// Three go to their nodes and are deleted before any news of them has come.
//
//book:exercise 7n
func TestAPodThatIsGoneTakesNoPlace(t *testing.T) {
	in(t, 3, func(c *kubetest.Cluster) {
		c.Client.Late(time.Second)
		come(c, "short", 2)
		c.Advance(1500 * time.Millisecond)
		for _, name := range []string{"short-1", "short-2"} {
			require.NoError(t, c.Store.Delete(t.Context(), controlloop.PodKind, c.Named(name), kubetest.Grace(0)))
		}
		c.Advance(10 * time.Second)
		come(c, "job", 9)
		c.Advance(10 * time.Second)
		assert.Equal(t, even, where(c))
	})
}

// Two Pods of the batch have been on node-1 since before the controller began.
//
//book:exercise 7n
func TestWhatWasPlacedBeforeCountsToo(t *testing.T) {
	in(t, 3, func(c *kubetest.Cluster) {
		for n := range 2 {
			pod := kubetest.Pod(fmt.Sprint("old-", n+1))
			pod.Labels = map[string]string{batch.PoolLabel: batch.Pool}
			pod.Spec.NodeName = "node-1"
			kubetest.Create(c, pod)
		}
		c.Settle()
		c.Client.Late(time.Second)
		come(c, "job", 7)
		c.Advance(10 * time.Second)
		assert.Equal(t, even, where(c))
	})
}

func TestOthersAreLeftAlone(t *testing.T) {
	in(t, 1, func(c *kubetest.Cluster) {
		kubetest.Create(c, kubetest.Pod("web"))
		c.Settle()
		assert.Empty(t, c.Pod("web").Spec.NodeName)
	})
}
