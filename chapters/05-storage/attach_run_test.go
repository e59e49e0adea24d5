package storage_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// A Pod with a disk comes to a node, and goes. The recording has each write that
// brings the disk to the node and away from it, and who made it, as
// figures/attach.svg has them. The driver's finalizer is not in it.
func TestRunOfADiskThatComesAndGoes(t *testing.T) {
	type state struct {
		InUse      bool   `json:"inUse"`      // in the node's status
		Attachment string `json:"attachment"` // none, made, attached or leaving
		Attached   bool   `json:"attached"`   // in the node's status
	}
	type written struct {
		By string `json:"by"`
		state
	}
	all := []written{{By: "", state: state{Attachment: "none"}}}
	root := t.TempDir()
	in(t, kubetest.Setup{
		Kinds: mountable().With(storage.AttachmentKinds()...), Nodes: 1, NodeObjects: true,
		Controllers: []kubetest.Controller{storage.NewAttacher,
			func(s *controlloop.System) *controlloop.Controller {
				return storage.NewDriverSide(s, storage.Driver)
			}},
		Images: simulated.Images{"app": kubetest.Sleeps(0)},
		Volumes: func(s *controlloop.System, node string) kubelet.Volumes {
			return storage.NewDeviceMounts(s, node, root)
		},
	}, func(c *kubetest.Cluster) {
		a := attaching{c}
		require.NoError(t, storage.Folders(root).Make("disk-1"))
		a.disk(corev1.ReadWriteOnce)
		pod := kubetest.Create(c, mounter("web", claimVolume("data", "data")))
		c.Advance(5 * time.Second)
		require.Equal(t, corev1.PodRunning, c.Pod("web").Status.Phase)
		gone(c, pod)
		c.Advance(time.Minute)
		now := all[0].state
		for _, w := range c.Writes() {
			switch obj := w.Object.(type) {
			case *corev1.Node:
				now.InUse, now.Attached = len(obj.Status.VolumesInUse) > 0, len(obj.Status.VolumesAttached) > 0
			case *storagev1.VolumeAttachment:
				now.Attachment = attachmentState(obj, w.Type)
			}
			if now != all[len(all)-1].state {
				by, _, _ := strings.Cut(w.By, "'s ")
				by, _, _ = strings.Cut(by, " ")
				all = append(all, written{by, now})
			}
		}
	})
	kubetest.RecordedJSON(t, "attach.json", map[string]any{"writes": all[1:]})
}

func attachmentState(at *storagev1.VolumeAttachment, event watch.EventType) string {
	switch {
	case event == watch.Deleted:
		return "none"
	case at.DeletionTimestamp != nil:
		return "leaving"
	case at.Status.Attached:
		return "attached"
	}
	return "made"
}
