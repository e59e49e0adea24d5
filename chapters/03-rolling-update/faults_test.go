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

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// story is what happens to a Deployment and its Service: it is created, updated,
// and the update is taken back. Whatever goes wrong meanwhile, it ends in the
// same way. After each chapter comes what heals.
func story(t *testing.T, c *kubetest.Cluster, heal ...func(*kubetest.Cluster)) {
	t.Helper()
	for _, chapter := range []func(){
		func() {
			kubetest.Create(c, service("web", app("web")))
			kubetest.Create(c, web("web", 1, quick, limit(1)))
		},
		func() { edit(c, "web", image("web:v2")) },
		func() { undo(t, c, "web", 1) },
	} {
		chapter()
		c.Advance(4 * time.Second)
		if c.Crashed() {
			c.Restart()
			c.Advance(4 * time.Second)
		}
		for _, h := range heal {
			h(c)
		}
	}
}

// quick takes the probe away: these Pods serve at once.
func quick(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].ReadinessProbe = nil }

func storyteller(seed uint64) kubetest.Setup {
	setup := served()
	setup.Nodes, setup.Seed = 1, seed
	setup.Invariants = []kubetest.Invariant{neverTooMany}
	for name := range setup.Images {
		setup.Images[name] = kubetest.Sleeps(0)
	}
	return setup
}

// neverTooMany: the ReplicaSets together want at most one Pod and one.
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

// state is what there is but for names and times.
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

// theEnd is how the story ends when nothing goes wrong, and how many writes,
// events and notifications it takes.
type theEnd struct {
	state                         string
	writes, events, notifications int
}

func tell(t *testing.T) (end theEnd) {
	t.Helper()
	setup := storyteller(0)
	setup.DetectMutations = true
	in(t, setup, func(c *kubetest.Cluster) {
		story(t, c)
		end = theEnd{state(c), c.Client.Writes(), c.Client.Events(), c.Notifications()}
		require.Equal(t, "2:0 3:1", sizes(c))
		require.Equal(t, map[string]int{"web:v1": 1}, ready(c))
		assertQuiet(t, c)
	})
	t.Logf("%d writes, %d events, %d notifications",
		end.writes, end.events, end.notifications)
	return end
}

// assertSameEnd tells the story again, with something that goes wrong.
func assertSameEnd(
	t *testing.T, end theEnd, seed uint64, what string,
	wrong func(c *kubetest.Cluster), heal ...func(c *kubetest.Cluster),
) {
	t.Helper()
	in(t, storyteller(seed), func(c *kubetest.Cluster) {
		wrong(c)
		story(t, c, heal...)
		if !assert.Equal(t, end.state, state(c), what) {
			t.FailNow() // the others will say the same
		}
	})
}

// assertQuiet has every controller look at everything again, with and without
// what it remembers.
func assertQuiet(t *testing.T, c *kubetest.Cluster) {
	t.Helper()
	before, tries := len(c.Writes()), c.Client.Writes()
	for _, again := range []func(){func() { resync(c) }, c.Restart} {
		again()
		c.Advance(15 * time.Minute)
		for _, w := range c.Writes()[before:] {
			t.Errorf("nothing has changed, and there is a write: %s", w)
		}
		assert.Equal(t, tries, c.Client.Writes(), "nothing has changed, and a write is tried")
	}
}

// resync reminds all controllers of all objects.
func resync(c *kubetest.Cluster) {
	all := controlloop.ListOptions{}
	c.System.Informer(controlloop.PodKind, all).Resync()
	c.System.Informer(deployment.ReplicaSetKind, all).Resync()
	c.System.Informer(deployment.DeploymentKind, all).Resync()
	c.System.Informer(rollingupdate.ServiceKind, all).Resync()
	c.System.Informer(rollingupdate.EndpointSliceKind, all).Resync()
	for _, node := range c.Nodes {
		c.System.Informer(controlloop.PodKind, controlloop.ListOptions{Fields: onNode(node.Name)}).Resync()
	}
	c.System.Informer(controlloop.PodKind, controlloop.ListOptions{Fields: onNode("")}).Resync()
}

func TestSameFinalStateWhenAConnectionBreaksAtAnyEvent(t *testing.T) {
	t.Parallel()
	end := tell(t)
	for j := 1; j <= end.events; j++ {
		assertSameEnd(t, end, 0, fmt.Sprintf("broken before event %d", j),
			func(c *kubetest.Cluster) {
				c.Client.BreakWatchAtEvent(j, kubetest.Before, io.ErrUnexpectedEOF)
			})
	}
}

func TestSameFinalStateWhenAnyOneEventIsDropped(t *testing.T) {
	t.Parallel()
	end := tell(t)
	for j := 1; j <= end.notifications; j++ {
		assertSameEnd(t, end, 0, fmt.Sprintf("notification %d was lost", j),
			func(c *kubetest.Cluster) { c.LoseNotification(j) },
			func(c *kubetest.Cluster) {
				resync(c)
				c.Advance(4 * time.Second)
			})
	}
}

func TestSameFinalStateWhenTheControllersStopAfterAnyOneWrite(t *testing.T) {
	t.Parallel()
	end := tell(t)
	for k := 1; k <= end.writes; k++ {
		for _, when := range []kubetest.When{kubetest.Before, kubetest.After} {
			assertSameEnd(t, end, 0, fmt.Sprintf("stopped %s write %d", when, k),
				func(c *kubetest.Cluster) { c.Client.CrashAtWrite(k, when) })
		}
	}
}

func TestSameFinalStateInAnyOrderOfSteps(t *testing.T) {
	t.Parallel()
	end := tell(t)
	for seed := range uint64(60) {
		assertSameEnd(t, end, seed+1, fmt.Sprintf("seed %d", seed+1),
			func(*kubetest.Cluster) {})
	}
}

// Every call of a client can fail, and then is tried again.
func TestAnyCallMayFailOnce(t *testing.T) {
	t.Parallel()
	end := tell(t)
	for _, verb := range []string{"create", "update", "update status", "delete"} {
		for nth := 1; nth <= 4; nth++ {
			var failed func() bool
			assertSameEnd(t, end, 0, fmt.Sprintf("%s fails the %dth time", verb, nth),
				func(c *kubetest.Cluster) { failed = c.Client.FailNth(verb, nth) })
			assert.True(t, failed(), "there is no %dth %s", nth, verb)
		}
	}
}

// Everything at once, for the race detector: four Deployments, somebody who
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
