package storage_test

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// A kubelet says that it uses a disk, waits until that is attached, and says
// when it has let go.
func TestAttachedVolumesAreStagedAndPublished(t *testing.T) {
	root := t.TempDir()
	in(t, kubetest.Setup{
		Kinds: mountable().With(storage.AttachmentKinds()...), Nodes: 1, NodeObjects: true,
		Controllers: []kubetest.Controller{storage.NewAttacher,
			func(s *controlloop.System) *controlloop.Controller {
				return storage.NewDriverSide(s, storage.Driver)
			}},
		Images: simulated.Images{"app": kubetest.Sleeps(0)}, DetectMutations: true,
		Volumes: func(s *controlloop.System, node string) kubelet.Volumes {
			return storage.NewDeviceMounts(s, node, root)
		},
	}, func(c *kubetest.Cluster) {
		a := attaching{c}
		require.NoError(t, storage.Folders(root).Make("disk-1"))
		a.disk(corev1.ReadWriteOnce)
		var pods []*corev1.Pod
		for _, name := range []string{"web", "other"} {
			pods = append(pods, kubetest.Create(c, mounter(name, claimVolume("data", "data"))))
			a.Advance(5 * time.Second)
			assert.Equal(t, corev1.PodRunning, c.Pod(name).Status.Phase)
		}
		assert.Equal(t, "node-1 true, on node-1", a.attached())
		assert.Len(t, published(t, root), 2)
		assert.Empty(t, told(c, "FailedMount"), "to wait is nothing to tell")
		gone(c, pods[0])
		a.Advance(time.Minute)
		assert.Equal(t, "node-1 true, on node-1", a.attached(), "the other still uses it")
		gone(c, pods[1])
		a.Advance(time.Minute)
		assert.Empty(t, a.attached())
		assert.Empty(t, published(t, root))
	})
}

func published(t *testing.T, root string) []string {
	t.Helper()
	all, err := filepath.Glob(filepath.Join(root, "devices", "node-1", "disk-1", "*"))
	require.NoError(t, err)
	return all
}

// Nobody attaches, and after two minutes the Pod says so.
func TestAttachedVolumesAreWaitedFor(t *testing.T) {
	root := t.TempDir()
	in(t, kubetest.Setup{
		Kinds: mountable().With(storage.AttachmentKinds()...), Nodes: 1, NodeObjects: true,
		Images: simulated.Images{"app": kubetest.Sleeps(0)}, DetectMutations: true,
		Volumes: func(s *controlloop.System, node string) kubelet.Volumes {
			return storage.NewDeviceMounts(s, node, root)
		},
	}, func(c *kubetest.Cluster) {
		a := attaching{c}
		require.NoError(t, storage.Folders(root).Make("disk-1"))
		a.disk(corev1.ReadWriteOnce)
		pod := kubetest.Create(c, mounter("web", claimVolume("data", "data")))
		a.Advance(2 * time.Minute)
		assert.Empty(t, told(c, "FailedMount"))
		a.Advance(5 * time.Minute)
		assert.Equal(t, []string{`Warning FailedMount kubelet node-1: Unable to attach or mount volumes: ` +
			`unmounted volumes=[data], unattached volumes=[data], failed to process volumes=[]: ` +
			`context deadline exceeded`}, told(c, "FailedMount"))
		gone(c, pod)
		a.Advance(time.Minute)
		node := kubetest.All[*corev1.Node](c, controlloop.NodeKind)[0]
		assert.Empty(t, node.Status.VolumesInUse, "it is waited for no more")
	})
}
