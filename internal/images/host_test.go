package images_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
)

// onHost returns a Pod that has its node's network.
func onHost(name, image string, command ...string) *corev1.Pod {
	p := pod(name, image, command...)
	p.Spec.HostNetwork = true
	return p
}

func TestAPodOnTheNodesNetworkIsWhereTheNodeIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.machines.SetAddress("node-1", "172.18.0.2")
		web := r.start(onHost("web", "nginx"))
		other := r.start(onHost("other", "debian", "sleep", "3600"))
		usual := r.start(pod("usual", "busybox", "sleep", "3600"))
		synctest.Wait()
		assert.Equal(t, "172.18.0.2", web.Status.PodIP)
		assert.Equal(t, "10.244.1.4", usual.Status.PodIP)
		name, _ := r.exec(web, "hostname")
		assert.Equal(t, "node-1\n", name)
		hosts, _ := r.exec(web, "cat", "/etc/hosts")
		assert.Contains(t, hosts, "172.18.0.2\tnode-1\n")

		for _, url := range []string{"localhost", "127.0.0.1", "172.18.0.2", "node-1"} {
			page, _ := r.exec(web, "curl", "-s", url)
			assert.Contains(t, page, "Welcome", url)
		}
		page, _ := r.exec(usual, "wget", "-qO-", "172.18.0.2")
		assert.Contains(t, page, "Welcome", "from another Pod")
		refused, code := r.exec(usual, "wget", "-qO-", "172.18.0.2:81")
		assert.Equal(t, "wget: can't connect to remote host (172.18.0.2): "+
			"Connection refused\n", refused)
		assert.Equal(t, 1, code)
		out, _ := r.exec(other, "bash", "-c", "hostname")
		assert.Equal(t, "node-1\n", out, "they all have")
	})
}

func TestThePortsOfANodeAreOnePodsEach(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.machines.SetAddress("node-1", "172.18.0.2")
		first := r.start(onHost("first", "nginx"))
		synctest.Wait()
		second := r.start(onHost("second", "nginx"))
		synctest.Wait()
		assert.EqualValues(t, 1, r.ended(second).ExitCode)
		assert.Contains(t, r.logs(second, corev1.PodLogOptions{}),
			"[emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)")
		require.NoError(t, r.runtime.Remove(t.Context(), second.UID))

		r.runtime.Stop(first.UID, "main", 30)
		synctest.Wait()
		third := r.start(onHost("third", "nginx"))
		synctest.Wait()
		page, _ := r.exec(third, "curl", "-s", "localhost")
		assert.Contains(t, page, "Welcome", "what has ended has no port")
	})
}

func TestAPortOfTheHostLeadsIntoAPod(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.machines.SetAddress("node-1", "172.18.0.2")
		web := pod("web", "nginx")
		web.Spec.Containers[0].Ports = []corev1.ContainerPort{
			{ContainerPort: 80, HostPort: 8080}}
		r.start(web)
		usual := r.start(pod("usual", "busybox", "sleep", "3600"))
		synctest.Wait()
		page, _ := r.exec(usual, "wget", "-qO-", "172.18.0.2:8080")
		assert.Contains(t, page, "Welcome")
		require.NoError(t, r.runtime.Remove(t.Context(), web.UID))
		refused, _ := r.exec(usual, "wget", "-qO-", "172.18.0.2:8080")
		assert.Contains(t, refused, "Connection refused")
	})
}
