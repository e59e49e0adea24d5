package deployment_test

import (
	"regexp"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/kubetest"
)

// story has two Deployments. One is scaled up, given another template, and
// scaled down; the other is deleted, in the foreground.
var story = kubetest.Story{
	Setup: kubetest.Setup{
		Kinds: kinds(), Controllers: everything.Controllers,
		Invariants: []kubetest.Invariant{neverTooMany, neverBoth},
	},
	Chapters: []func(t *testing.T, c *kubetest.Cluster){
		func(_ *testing.T, c *kubetest.Cluster) {
			kubetest.Create(c, recreated("web", 2))
			kubetest.Create(c, recreated("other", 1))
		},
		func(_ *testing.T, c *kubetest.Cluster) { scale(c, recreated("web", 0), 3) },
		func(_ *testing.T, c *kubetest.Cluster) { setImage(c, recreated("web", 0), "nginx:1.28") },
		func(_ *testing.T, c *kubetest.Cluster) { scale(c, recreated("web", 0), 1) },
		func(t *testing.T, c *kubetest.Cluster) { remove(t, c, recreated("other", 0), foreground) },
	},
	Rest:  rest,
	State: state,
	End: func(t *testing.T, c *kubetest.Cluster) {
		require.Equal(t, map[string]int{"nginx:1.28": 1}, images(c))
		require.Equal(t, 1, readyPods(c))
		require.Len(t, sets(c), 2)
		require.Greater(t, c.Client.Writes(), 40)
	},
}

// rest lets controllers and nodes work until they have nothing to do.
func rest(t *testing.T, c *kubetest.Cluster) {
	t.Helper()
	for busy := true; busy; {
		c.Advance(3 * time.Second)
		busy = serve(t, c)
	}
}

// serve does the nodes' work, in the test's own hands: a new Pod is bound
// and becomes ready, one that was told to end is gone. It reports whether
// there was anything to do.
func serve(t *testing.T, c *kubetest.Cluster) (busy bool) {
	t.Helper()
	for _, pod := range c.Pods() {
		switch {
		case pod.DeletionTimestamp != nil:
			c.DeletePod(pod.Name, kubetest.Grace(0))
		case pod.Spec.NodeName == "":
			c.Bind(pod, "node-1")
			setStatus(t, c, pod, func(p *corev1.Pod) {
				p.Status.Phase = corev1.PodRunning
				p.Status.Conditions = []corev1.PodCondition{{
					Type: corev1.PodReady, Status: corev1.ConditionTrue,
				}}
			})
		default:
			continue
		}
		busy = true
	}
	return busy
}

// state returns the state of the cluster, but for one word. A controller that
// dies between creating a ReplicaSet and saying so leaves a Deployment whose
// condition Progressing speaks of the ReplicaSet before, for good: here, and in
// Kubernetes (isCompleteDeployment in pkg/controller/deployment/progress.go).
func state(c *kubetest.Cluster) string {
	return progressed.ReplaceAllString(c.Shape(), "one has successfully progressed")
}

var progressed = regexp.MustCompile(`ReplicaSet \\"web-\w+\\" has successfully progressed`)

func TestSameFinalStateWhenAConnectionBreaksAtAnyEvent(t *testing.T) { story.ConnectionBroken(t) }

func TestSameFinalStateWhenTheStoreHasForgottenAnEvent(t *testing.T) { story.VersionForgotten(t) }

func TestSameFinalStateWhenAnyOneEventIsDropped(t *testing.T) { story.EventDropped(t) }

func TestSameFinalStateWhenTheControllersStopAtAnyOneWrite(t *testing.T) { story.StoppedAtAnyWrite(t) }

func TestSameFinalStateInAnyOrderOfSteps(t *testing.T) { story.AnyOrder(t) }

func TestSameFinalStateWhenOneKindIsHeardOfLate(t *testing.T) { story.EachKindLate(t) }

func TestSameFinalStateWithAllOfItAtOnce(t *testing.T) { story.AllAtOnce(t) }

// Every call of a client can fail, and then is reported and tried again.
func TestAnyCallMayFailOnce(t *testing.T) { story.AnyCallFails(t) }
