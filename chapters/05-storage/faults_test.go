package storage_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	storage "reconcile/chapters/05-storage"
	"reconcile/internal/kubetest"
)

// disks last through all tellings of the story: no fault of a
// controller touches them.
var disks = newBackend()

// story has a volume made by hand and claimed, and let go of; a set of
// two gets disks on demand, loses a Pod, is made smaller and larger,
// and goes with its claims.
var story = kubetest.Story{
	Setup: kubetest.Setup{
		Kinds: allKinds,
		Controllers: []kubetest.Controller{
			storage.NewBinder, disks.provisioner, storage.NewClaimProtection,
			storage.NewVolumeProtection, storage.NewStatefulSets, collector,
		},
		Invariants: []kubetest.Invariant{oneToOne, nothingLost},
	},
	Chapters: []func(t *testing.T, c *kubetest.Cluster){
		func(_ *testing.T, c *kubetest.Cluster) {
			kubetest.Create(c, volume("a", "1Gi"))
			kubetest.Create(c, claim("c", "1Gi"))
		},
		func(_ *testing.T, c *kubetest.Cluster) { gone(c, claim("c", "1Gi")) },
		func(_ *testing.T, c *kubetest.Cluster) {
			kubetest.Create(c, class("standard", isDefault))
			kubetest.Create(c, web(2, retention(remove, remove)))
		},
		func(_ *testing.T, c *kubetest.Cluster) { c.DeletePod("web-1") },
		func(_ *testing.T, c *kubetest.Cluster) { scale(c, 1) },
		func(_ *testing.T, c *kubetest.Cluster) { scale(c, 2) },
		func(_ *testing.T, c *kubetest.Cluster) { gone(c, web(0)) },
	},
	Rest: func(_ *testing.T, c *kubetest.Cluster) {
		for busy := true; busy; {
			c.Advance(3 * time.Second)
			busy = serve(c)
		}
	},
	State: func(c *kubetest.Cluster) string {
		return names(c) + " | " + disksOf(c) + " | " + volumesLeft(c)
	},
	End: func(t *testing.T, c *kubetest.Cluster) {
		require.Empty(t, disksOf(c)+names(c))
		require.Equal(t, "a Released c", volumes(c))
		require.Greater(t, c.Client.Writes(), 10)
	},
	Each: true,
}

func TestSameFinalStateWhenAConnectionBreaksAtAnyEvent(t *testing.T) { story.ConnectionBroken(t) }

func TestSameFinalStateWhenTheStoreHasForgottenAnEvent(t *testing.T) { story.VersionForgotten(t) }

func TestSameFinalStateWhenAnyOneEventIsDropped(t *testing.T) { story.EventDropped(t) }

func TestSameFinalStateWhenTheControllerStopsAtAnyOneWrite(t *testing.T) { story.StoppedAtAnyWrite(t) }

func TestSameFinalStateInAnyOrderOfSteps(t *testing.T) { story.AnyOrder(t) }

func TestSameFinalStateWhenOneKindIsHeardOfLate(t *testing.T) { story.EachKindLate(t) }

func TestSameFinalStateWithAllOfItAtOnce(t *testing.T) { story.AllAtOnce(t) }

// Every call of a client can fail, and then is reported and tried again.
func TestAnyCallMayFailOnce(t *testing.T) { story.AnyCallFails(t) }
