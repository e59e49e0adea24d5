package storage_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/kubetest"
)

// Kubelets, mounts and users at once: for the race detector.
func TestMountsServeManyAtOnce(t *testing.T) {
	mounts(t, 2, func(m *mounting) {
		m.Run()
		config := kubetest.Create(m.Cluster, &corev1.ConfigMap{ObjectMeta: object("web"), Data: map[string]string{"n": "0"}})
		m.bind("data", ours("pv-data"))
		for i := range 20 {
			kubetest.Create(m.Cluster, mounter(fmt.Sprint("web-", i),
				configMapVolume("etc", "web"), claimVolume("data", "data"), emptyDir("scratch")))
		}
		for n := range 20 {
			config = kubetest.Edit(m.Cluster, config, func(c *corev1.ConfigMap) {
				c.Data = map[string]string{"n": fmt.Sprint(n), fmt.Sprint("only-", n): "x"}
			})
			if n%2 == 0 {
				m.DeletePod(fmt.Sprint("web-", n))
			}
			m.Advance(10 * time.Millisecond)
		}
		m.Advance(time.Minute)
		for i := 1; i < 20; i += 2 {
			pod := fmt.Sprint("web-", i)
			require.True(t, m.runs(pod))
			assert.Equal(t, "19", m.read(pod, "/etc", "n"))
			assert.Contains(t, m.read(pod, "/etc", "only-18"), "no such file")
		}
	})
}

// A kubelet that is killed between any two writes, and one whose reads fail,
// leaves nothing that the next does not put right.
func TestPodsGetTheirVolumesWhateverFails(t *testing.T) {
	for k := 1; k <= 12; k++ {
		for _, when := range []kubetest.When{kubetest.Before, kubetest.After} {
			mounts(t, 1, func(m *mounting) {
				m.Client.CrashAtWrite(k, when)
				m.bind("data", ours("pv-data"))
				kubetest.Create(m.Cluster, &corev1.ConfigMap{ObjectMeta: object("web"), Data: map[string]string{"a": "1"}})
				m.start(mounter("web", configMapVolume("etc", "web"), claimVolume("data", "data"), emptyDir("scratch")))
				m.Advance(time.Minute)
				m.Restart()
				m.Advance(time.Minute)
				assert.Equal(t, "1", m.read("web", "/etc", "a"), "crash %s write %d", when, k)
				m.write("web", "/data", "page", "hello")
				m.DeletePod("web")
				m.Advance(time.Minute)
				assert.Empty(t, m.left(), "crash %s write %d", when, k)
				assert.FileExists(t, m.root+"/volumes/pv-data/page")
			})
		}
	}
	for n := 1; n <= 12; n++ {
		mounts(t, 1, func(m *mounting) {
			m.bind("data", ours("pv-data"))
			kubetest.Create(m.Cluster, &corev1.ConfigMap{ObjectMeta: object("web"), Data: map[string]string{"a": "1"}})
			m.Client.FailNth("get", n)
			m.start(mounter("web", configMapVolume("etc", "web"), claimVolume("data", "data")))
			m.Advance(time.Minute)
			assert.True(t, m.runs("web"), "get %d failed", n)
		})
	}
}
