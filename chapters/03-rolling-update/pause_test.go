package rollingupdate_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"

	"reconcile/internal/kubetest"
)

func TestTwoEditsWhilePausedAreOneRollout(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 3))
		c.Advance(10 * time.Second)
		edit(c, "web", paused(true))
		c.Advance(time.Second)
		assert.Equal(t, "Unknown DeploymentPaused: Deployment is paused",
			says(get(c, "web"), appsv1.DeploymentProgressing))
		edit(c, "web", image("web:v2"))
		c.Advance(time.Minute)
		edit(c, "web", func(d *appsv1.Deployment) { d.Spec.MinReadySeconds = 1 }, image("web:v3"))
		c.Advance(time.Minute)
		assert.Equal(t, "1:3", sizes(c), "nothing has happened yet")
		edit(c, "web", paused(false))
		c.Advance(time.Minute)
		assert.Equal(t, "1:0 2:3", sizes(c), "one new ReplicaSet")
		assert.Equal(t, map[string]int{"web:v3": 3}, ready(c))
	})
}

func TestARolloutIsPausedInItsMiddleAndGoesOn(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 3, deadline(20)))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"))
		c.Advance(7 * time.Second)
		require.Equal(t, "1:2 2:2", sizes(c))
		edit(c, "web", paused(true))
		c.Advance(2 * time.Minute)
		assert.Equal(t, "1:2 2:2", sizes(c))
		assert.Equal(t, map[string]int{"web:v1": 2, "web:v2": 2}, ready(c))
		edit(c, "web", paused(false))
		c.Advance(time.Minute)
		assert.Equal(t, "1:0 2:3", sizes(c))
		for _, w := range c.WritesOf(web("web", 0)) {
			assert.NotContains(t, says(w.Object.(*appsv1.Deployment), appsv1.DeploymentProgressing),
				"ProgressDeadlineExceeded", "the two minutes do not count")
		}
	})
}

func TestWhatIsPausedIsStillResized(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 3))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"))
		c.Advance(7 * time.Second)
		require.Equal(t, "1:2 2:2", sizes(c))
		edit(c, "web", paused(true))
		edit(c, "web", sized(6))
		c.Advance(time.Minute)
		assert.Equal(t, "1:4 2:4", sizes(c))
		tries := c.Client.Writes()
		c.Resync()
		c.Settle()
		assert.Equal(t, tries, c.Client.Writes(), "nothing has changed since")
		edit(c, "web", sized(0))
		c.Advance(time.Minute)
		assert.Equal(t, "1:0 2:0", sizes(c))
		edit(c, "web", sized(2))
		c.Advance(time.Minute)
		assert.Equal(t, "1:0 2:2", sizes(c), "the new one comes first when there are Pods again")
	})
}

func TestWhatIsMadePausedHasNoPodsYet(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 3, paused(true)))
		c.Advance(time.Minute)
		assert.Empty(t, sets(c))
		edit(c, "web", paused(false))
		c.Advance(10 * time.Second)
		assert.Equal(t, "1:3", sizes(c))
	})
}

func TestWhatWasStuckBeforeItWasPausedStaysThat(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 1, deadline(10)))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:none"))
		c.Advance(time.Minute)
		edit(c, "web", paused(true))
		c.Advance(time.Second)
		assert.Contains(t, says(get(c, "web"), appsv1.DeploymentProgressing), "ProgressDeadlineExceeded")
	})
}

func TestThePausedHistoryIsCleanedUpToo(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 1))
		for _, v := range []string{"web:v1", "web:v2", "web:v3"} {
			edit(c, "web", image(v))
			c.Advance(30 * time.Second)
		}
		edit(c, "web", paused(true), limit(1))
		c.Advance(time.Second)
		assert.Equal(t, "2:0 3:1", sizes(c))
	})
}

func TestWithoutADeadlineNobodyIsToldOfAPause(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 1, func(d *appsv1.Deployment) { never(d) }))
		c.Advance(10 * time.Second)
		edit(c, "web", paused(true))
		c.Advance(time.Second)
		assert.Equal(t, "nothing", says(get(c, "web"), appsv1.DeploymentProgressing))
	})
}
