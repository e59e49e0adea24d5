package daemonset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"reconcile/internal/kubetest"
)

// The story: a set of two is made, gets another version by a partition and then
// in full, loses a Pod meanwhile, goes back, and forgets what it was.
var rollStory = kubetest.Story{
	Setup: kubetest.Setup{
		Kinds: revised.Kinds, Controllers: revised.Controllers,
		Invariants: revised.Invariants,
	},
	Chapters: []func(t *testing.T, c *kubetest.Cluster){
		func(_ *testing.T, c *kubetest.Cluster) { kubetest.Create(c, aSet(2, rollsBy(1, ""))) },
		func(_ *testing.T, c *kubetest.Cluster) { editSet(c, ofVersion("v2")) },
		func(_ *testing.T, c *kubetest.Cluster) { deleteByHand(c, "web-0") },
		func(_ *testing.T, c *kubetest.Cluster) { editSet(c, rollsBy(0, "")) },
		func(_ *testing.T, c *kubetest.Cluster) { editSet(c, ofVersion("v1")) },
		func(_ *testing.T, c *kubetest.Cluster) { editSet(c, remembering(0)) },
		func(_ *testing.T, c *kubetest.Cluster) { editSet(c, ofVersion("v3")) },
	},
	Rest: func(_ *testing.T, c *kubetest.Cluster) {
		for busy := true; busy; {
			c.Advance(3 * time.Second)
			busy = serveSets(c)
		}
	},
	State: func(c *kubetest.Cluster) string {
		return setPods(c) + " | " + setHistory(c) + " | " + betweenVersions(c)
	},
	End: func(t *testing.T, c *kubetest.Cluster) {
		require.Equal(t, "v3 v3 | 4:v3 | v3 v3",
			setPods(c)+" | "+setHistory(c)+" | "+betweenVersions(c))
		require.Greater(t, c.Client.Writes(), 20)
	},
	Each: true,
}

func TestARollEndsTheSameWhenAConnectionBreaksAtAnyEvent(t *testing.T) {
	rollStory.ConnectionBroken(t)
}

func TestARollEndsTheSameWhenTheStoreHasForgottenAnEvent(t *testing.T) {
	rollStory.VersionForgotten(t)
}

func TestARollEndsTheSameWhenAnyOneEventIsDropped(t *testing.T) { rollStory.EventDropped(t) }

func TestARollEndsTheSameWhenTheControllerStopsAtAnyOneWrite(t *testing.T) {
	rollStory.StoppedAtAnyWrite(t)
}

func TestARollEndsTheSameInAnyOrderOfSteps(t *testing.T) { rollStory.AnyOrder(t) }

func TestARollEndsTheSameWhenOneKindIsHeardOfLate(t *testing.T) { rollStory.EachKindLate(t) }

func TestARollEndsTheSameWithAllOfItAtOnce(t *testing.T) { rollStory.AllAtOnce(t) }

// Every call of a client can fail, and then is told of and tried again.
func TestInARollAnyCallMayFailOnce(t *testing.T) { rollStory.AnyCallFails(t) }
