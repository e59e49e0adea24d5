package kubelet_test

import (
	"context"
	"fmt"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

func TestAPodWithoutAnAddressWaitsAndSaysSo(t *testing.T) {
	in(t, oneNode(nil), func(c *kubetest.Cluster) {
		node := c.Nodes[0].Runtime
		for n := range 253 { // which take all the addresses
			other := kubetest.Pod(fmt.Sprint("other-", n))
			other.UID = types.UID(other.Name)
			_, err := node.Sandbox(t.Context(), other)
			require.NoError(t, err)
		}
		web := kubetest.Create(c, kubetest.Pod("web", kubetest.Container("web", kubetest.Nginx)))
		c.Advance(15 * time.Second)
		web = kubetest.Get(c, web)
		assert.Equal(t, "Pending: ContainerCreating", looks(web))
		assert.Empty(t, web.Status.PodIP)
		why := "Warning FailedCreatePodSandBox kubelet node-1: Failed to create pod " +
			"sandbox: failed to allocate for range 0: no IP addresses available in " +
			"range set: 10.244.1.1-10.244.1.254"
		assert.Equal(t, []string{why, why}, c.Events()[1:])

		require.NoError(t, node.Remove(t.Context(), "other-7"))
		c.Advance(10 * time.Second)
		web = kubetest.Get(c, web)
		assert.Equal(t, corev1.PodRunning, web.Status.Phase)
		assert.Equal(t, "10.244.1.9", web.Status.PodIP)
	})
}

// A Pod may go in peace, be deleted by force, or go while no kubelet looks
// after its node: everything it had on the machine is free again.
func TestOfAPodThatIsGoneNothingIsLeftOnItsNode(t *testing.T) {
	for name, end := range map[string]func(c *kubetest.Cluster){
		"deleted": func(c *kubetest.Cluster) { c.DeletePod("web") },
		"by force": func(c *kubetest.Cluster) {
			require.NoError(t, c.Store.Delete(t.Context(), controlloop.PodKind,
				kubetest.Named("web"), now))
		},
		"by force, and another comes at once": func(c *kubetest.Cluster) {
			require.NoError(t, c.Store.Delete(t.Context(), controlloop.PodKind,
				kubetest.Named("web"), now))
			kubetest.Create(c, kubetest.Pod("web", kubetest.Container("web", kubetest.Nginx)))
			c.Advance(time.Minute)
			c.DeletePod("web")
		},
		"by force, while there is no kubelet": func(c *kubetest.Cluster) {
			c.Stop()
			require.NoError(t, c.Store.Delete(t.Context(), controlloop.PodKind,
				kubetest.Named("web"), now))
			c.Restart()
		},
	} {
		t.Run(name, func(t *testing.T) {
			in(t, oneNode(nil), func(c *kubetest.Cluster) {
				kubetest.Create(c, kubetest.Pod("web", kubetest.Container("web", kubetest.Nginx)))
				c.Advance(time.Second)
				require.Len(t, c.Nodes[0].Runtime.Sandboxes(), 1)
				end(c)
				c.Advance(time.Minute)
				assert.Empty(t, c.Nodes[0].Runtime.Sandboxes())
				for n := range 3 {
					_, err := c.Network.DialContext(context.Background(), "tcp",
						fmt.Sprintf("10.244.1.%d:80", n+1))
					assert.ErrorIs(t, err, syscall.EHOSTUNREACH)
				}
			})
		})
	}
}

var now = metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
