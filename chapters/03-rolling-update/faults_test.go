package rollingupdate_test

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"

	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// story is the life of a Deployment and its Service: it is created, updated, and
// the update is taken back. Whatever goes wrong meanwhile, it ends in the same
// way. An update is taken back when there has been one.
var story = kubetest.Story{
	Setup: toldOf(),
	Chapters: []func(t *testing.T, c *kubetest.Cluster){
		func(_ *testing.T, c *kubetest.Cluster) {
			kubetest.Create(c, service("web", app("web")))
			kubetest.Create(c, web("web", 1, quick, limit(1)))
		},
		func(_ *testing.T, c *kubetest.Cluster) { edit(c, "web", image("web:v2")) },
		func(t *testing.T, c *kubetest.Cluster) { undo(t, c, "web", 1) },
	},
	Rest:  func(_ *testing.T, c *kubetest.Cluster) { c.Advance(4 * time.Second) },
	State: state,
	End: func(t *testing.T, c *kubetest.Cluster) {
		require.Equal(t, "2:0 3:1", sizes(c))
		require.Equal(t, map[string]int{"web:v1": 1}, ready(c))
	},
	Quiet: 15 * time.Minute, // beyond the deadline of a rollout
	Each:  true,
}

// quick takes the probe away: these Pods serve at once.
func quick(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].ReadinessProbe = nil }

func toldOf() kubetest.Setup {
	setup := served()
	setup.Nodes = 1
	setup.Invariants = []kubetest.Invariant{neverTooMany}
	for name := range setup.Images {
		setup.Images[name] = kubetest.Sleeps(0)
	}
	return setup
}

// neverTooMany returns an error when the ReplicaSets together want
// more than one Pod and one.
func neverTooMany(w kubetest.Write, before []kubetest.Write) error {
	if _, ok := w.Object.(*appsv1.ReplicaSet); !ok {
		return nil
	}
	sizes := map[string]int32{}
	for _, w := range append(slices.Clip(before), w) {
		if rs, ok := w.Object.(*appsv1.ReplicaSet); ok {
			sizes[rs.Name] = *rs.Spec.Replicas
		}
	}
	sum := int32(0)
	for _, size := range sizes {
		sum += size
	}
	if sum > 2 {
		return fmt.Errorf("%d Pods are wanted, and 2 allowed: %v", sum, sizes)
	}
	return nil
}

// state returns the state of the cluster but for names and times.
func state(c *kubetest.Cluster) string {
	d := get(c, "web")
	lines := []string{
		"revision " + revision(d) + ", sizes " + sizes(c),
		says(d, appsv1.DeploymentAvailable),
		strings.Split(says(d, appsv1.DeploymentProgressing), ":")[0],
		fmt.Sprintf("%d replicas, %d updated, %d available", d.Status.Replicas,
			d.Status.UpdatedReplicas, d.Status.AvailableReplicas),
		fmt.Sprint(ready(c), len(c.Pods()), who(c), len(behind(c))),
	}
	for _, rs := range sets(c) {
		lines = append(lines, fmt.Sprint(rs.Spec.Template.Spec.Containers[0].Image, rs.Annotations))
	}
	return strings.Join(lines, "\n")
}

func TestSameFinalStateWhenAConnectionBreaksAtAnyEvent(t *testing.T) { story.ConnectionBroken(t) }

func TestSameFinalStateWhenTheStoreHasForgottenAnEvent(t *testing.T) { story.VersionForgotten(t) }

func TestSameFinalStateWhenAnyOneEventIsDropped(t *testing.T) { story.EventDropped(t) }

func TestSameFinalStateWhenTheControllersStopAfterAnyOneWrite(t *testing.T) {
	story.StoppedAtAnyWrite(t)
}

func TestSameFinalStateInAnyOrderOfSteps(t *testing.T) { story.AnyOrder(t) }

func TestSameFinalStateWhenOneKindIsHeardOfLate(t *testing.T) { story.EachKindLate(t) }

func TestSameFinalStateWithAllOfItAtOnce(t *testing.T) { story.AllAtOnce(t) }

// Every call of a client can fail, and then is reported and tried again.
func TestAnyCallMayFailOnce(t *testing.T) { story.AnyCallFails(t) }

// Everything at once, for the race detector: four Deployments, a user who
// cannot decide, connections that break, and people who want their pages.
func TestManyRolloutsAtOnceEndInTheRightState(t *testing.T) {
	t.Parallel()
	withTraffic(t, rollingupdate.Web{Linger: time.Second}, func(c traffic) {
		c.Run()
		s := kubetest.Create(c.Cluster, service("web", app("web")))
		want := map[string]int{}
		for i := range 4 {
			name := fmt.Sprintf("web-%d", i)
			kubetest.Create(c.Cluster, web(name, 3, labelled("web")))
			want[name] = 3
		}
		c.Advance(10 * time.Second)
		end := c.begin(s, 20)
		for i := range 24 {
			name := fmt.Sprintf("web-%d", i%4)
			switch i % 3 {
			case 0:
				edit(c.Cluster, name, image(fmt.Sprintf("web:v%d", 1+i%6)))
			case 1:
				want[name] = 1 + i%5
				edit(c.Cluster, name, sized(int32(want[name])))
			case 2:
				_, err := rollingupdate.Undo(t.Context(), c.Store, kubetest.Named(name), 0)
				require.True(t, err == nil || strings.HasPrefix(err.Error(), "no rollout history"), "%v", err)
			}
			if i%8 == 7 {
				c.Client.BreakWatches(io.ErrUnexpectedEOF)
			}
			c.Advance(time.Duration(i%5) * 700 * time.Millisecond)
		}
		c.Advance(2 * time.Minute)
		assert.Zero(t, end().Lost(), "there was always somebody")
		sum := 0
		for name, n := range want {
			d := get(c.Cluster, name)
			assert.EqualValues(t, n, d.Status.AvailableReplicas, name)
			assert.True(t, deployment.Complete(d, &d.Status), name)
			sum += n
		}
		assert.Len(t, c.Pods(), sum)
		c.Stop()
		synctest.Wait()
	})
}
