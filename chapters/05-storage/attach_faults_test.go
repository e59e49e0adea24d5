package storage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// moving is the story of a disk that follows its Pods from one node to the other: a
// Pod gets a disk made for it, its successor waits for it elsewhere, a third waits
// for that one, and at the end the disk is thrown away.
func moving(t *testing.T) kubetest.Story {
	m := newMachines(t.TempDir())
	return kubetest.Story{
		Setup: m.setup(),
		Chapters: []func(t *testing.T, c *kubetest.Cluster){
			func(_ *testing.T, c *kubetest.Cluster) {
				m.wipe()
				disks := class("disks", isDefault)
				disks.Provisioner = storage.Driver
				kubetest.Create(c, disks)
				kubetest.Create(c, claim("data", "1Gi", ofAny))
				kubetest.Create(c, on("node-1", "first", "data"))
			},
			func(_ *testing.T, c *kubetest.Cluster) {
				c.DeletePod("first")
				kubetest.Create(c, on("node-2", "second", "data"))
			},
			func(_ *testing.T, c *kubetest.Cluster) { kubetest.Create(c, on("node-1", "third", "data")) },
			func(_ *testing.T, c *kubetest.Cluster) { c.DeletePod("second") },
			func(_ *testing.T, c *kubetest.Cluster) {
				gone(c, claim("data", "1Gi"))
				c.DeletePod("third")
			},
		},
		Rest:  func(_ *testing.T, c *kubetest.Cluster) { c.Advance(10 * time.Minute) },
		State: func(c *kubetest.Cluster) string { return m.whereabouts(c) },
		End: func(t *testing.T, c *kubetest.Cluster) {
			require.Equal(t, "node-1 uses 0 and has 0, node-2 uses 0 and has 0, map[], 0 disks",
				m.whereabouts(c))
			require.NoError(t, m.wrong)
		},
		Each: true,
	}
}

func TestADiskMovesWhenAConnectionBreaksAtAnyEvent(t *testing.T) { moving(t).ConnectionBroken(t) }

func TestADiskMovesWhenTheStoreHasForgottenAnEvent(t *testing.T) { moving(t).VersionForgotten(t) }

func TestADiskMovesWhenAnyOneEventIsDropped(t *testing.T) { moving(t).EventDropped(t) }

func TestADiskMovesWhenTheControllerStopsAtAnyOneWrite(t *testing.T) { moving(t).StoppedAtAnyWrite(t) }

func TestADiskMovesInAnyOrderOfSteps(t *testing.T) { moving(t).AnyOrder(t) }

func TestADiskMovesWhenOneKindIsHeardOfLate(t *testing.T) { moving(t).EachKindLate(t) }

func TestADiskMovesWithAllOfItAtOnce(t *testing.T) { moving(t).AllAtOnce(t) }

func TestADiskMovesWhenAnyCallFailsOnce(t *testing.T) { moving(t).AnyCallFails(t) }
