package statefulset_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/kubetest"
)

// story makes a set of two, lets it grow by one, lose one, have one that loses
// its name and one that fails, and makes it smaller.
var story = kubetest.Story{
	Setup: kubetest.Setup{
		Kinds: ordered.Kinds, Controllers: ordered.Controllers,
		Invariants: ordered.Invariants,
	},
	Chapters: []func(t *testing.T, c *kubetest.Cluster){
		func(_ *testing.T, c *kubetest.Cluster) { kubetest.Create(c, web(2)) },
		func(_ *testing.T, c *kubetest.Cluster) { scale(c, 3) },
		func(_ *testing.T, c *kubetest.Cluster) { c.DeletePod("web-1") },
		func(_ *testing.T, c *kubetest.Cluster) {
			kubetest.Edit(c, c.Pod("web-1"), func(p *corev1.Pod) {
				delete(p.Labels, appsv1.StatefulSetPodNameLabel)
			})
		},
		func(_ *testing.T, c *kubetest.Cluster) { is(c, "web-0", corev1.PodFailed, false) },
		func(_ *testing.T, c *kubetest.Cluster) { scale(c, 1) },
	},
	Rest: func(_ *testing.T, c *kubetest.Cluster) {
		for busy := true; busy; {
			c.Advance(3 * time.Second)
			busy = serve(c)
		}
	},
	State: names,
	End: func(t *testing.T, c *kubetest.Cluster) {
		require.Equal(t, "web-0", names(c))
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
