package rollingupdate_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// progressing returns a Deployment with a deadline of 60 s whose condition was
// last written that long ago.
func progressing(reason string, ago time.Duration) *appsv1.Deployment {
	d := web("web", 3, func(d *appsv1.Deployment) {
		d.Spec.ProgressDeadlineSeconds = new(int32(60))
	})
	d.Status.Conditions = []appsv1.DeploymentCondition{{
		Type: appsv1.DeploymentProgressing, Status: corev1.ConditionTrue, Reason: reason,
		LastUpdateTime:     metav1.NewTime(time.Now().Add(-ago)),
		LastTransitionTime: metav1.NewTime(time.Now().Add(-time.Hour)),
	}}
	return d
}

//book:exercise 3f
func TestTheClockRunsFromTheLastProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for reason, ago := range map[string]time.Duration{
			"ReplicaSetUpdated": 0, "NewReplicaSetCreated": 20 * time.Second,
			"DeploymentResumed": 60 * time.Second, "FoundNewReplicaSet": time.Minute + time.Second/2,
		} {
			d := progressing(reason, ago)
			now := d.Status // which is not written yet
			d.Status = progressing("NewReplicaSetAvailable", time.Hour).Status
			left, runs := rollingupdate.UntilStuck(d, &now)
			assert.True(t, runs, reason)
			assert.Equal(t, time.Minute-ago, left, reason)
		}
	})
}

//book:exercise 3f
func TestTheClockStandsStillForWhoIsNotOnTheWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := progressing("ReplicaSetUpdated", time.Hour)
		left, runs := rollingupdate.UntilStuck(d, &d.Status)
		require.True(t, runs)
		require.Equal(t, -59*time.Minute, left)
		for name, d := range map[string]*appsv1.Deployment{
			"arrived":                progressing("NewReplicaSetAvailable", time.Hour),
			"known to be stuck":      progressing("ProgressDeadlineExceeded", time.Hour),
			"never begun":            web("web", 3, deadline(60)),
			"no deadline":            without(progressing("ReplicaSetUpdated", time.Hour)),
			"a deadline beyond time": never(progressing("ReplicaSetUpdated", time.Hour)),
		} {
			_, runs := rollingupdate.UntilStuck(d, &d.Status)
			assert.False(t, runs, name)
		}
	})
}

func deadline(seconds int32) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) { d.Spec.ProgressDeadlineSeconds = &seconds }
}

func without(d *appsv1.Deployment) *appsv1.Deployment {
	d.Spec.ProgressDeadlineSeconds = nil
	return d
}

func never(d *appsv1.Deployment) *appsv1.Deployment {
	d.Spec.ProgressDeadlineSeconds = new(int32(1<<31 - 1))
	return d
}

// Three Pods, of which one may be missing, and an image that no registry has.
func TestAStuckUpdateStaysWhereItIsAndSaysSo(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 3, bounds("0", "1"), deadline(60)))
		c.Advance(10 * time.Second)
		require.Equal(t, map[string]int{"web:v1": 3}, ready(c))
		edit(c, "web", image("web:none"))
		stuck := c.Elapsed() + 60*time.Second
		c.Advance(time.Second)
		assert.Equal(t, map[string]int{"web:v1": 2}, ready(c), "two go on serving")
		assert.Equal(t, "1:2 2:1", sizes(c))

		c.Advance(stuck - c.Elapsed())
		edit(c, "web", because("impatience")) // a user looks, at the last moment
		c.Settle()
		assert.Contains(t, says(get(c, "web"), appsv1.DeploymentProgressing), "True ReplicaSetUpdated")
		c.Advance(time.Second)
		assert.Equal(t, `False ProgressDeadlineExceeded: ReplicaSet "`+sets(c)[1].Name+
			`" has timed out progressing.`, says(get(c, "web"), appsv1.DeploymentProgressing))
		assert.Contains(t, says(get(c, "web"), appsv1.DeploymentAvailable), "True")

		writes := len(c.Writes())
		c.Advance(2 * time.Minute)
		for _, w := range c.Writes()[writes:] {
			assert.NotContains(t, w.String(), "Deployment", "a rollout that is stuck is let be")
		}
		assert.Equal(t, map[string]int{"web:v1": 2}, ready(c))

		assert.Equal(t, "rolled back", undo(t, c, "web", 0))
		c.Advance(20 * time.Second)
		assert.Equal(t, map[string]int{"web:v1": 3}, ready(c))
		assert.Contains(t, says(get(c, "web"), appsv1.DeploymentProgressing), "True NewReplicaSetAvailable")
	})
}

// Progress in the meantime: the clock starts again with each.
func TestASlowUpdateIsNotStuck(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 4, bounds("1", "0"), deadline(8)))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:v2"))
		for range 40 {
			c.Advance(time.Second)
			assert.NotContains(t, says(get(c, "web"), appsv1.DeploymentProgressing), "False")
		}
		assert.Equal(t, map[string]int{"web:v2": 4}, ready(c), "it took longer than the deadline")
	})
}

func TestAPodThatComesUpAfterTheDeadlineIsProgressAgain(t *testing.T) {
	in(t, rolled(), func(c *kubetest.Cluster) {
		kubetest.Create(c, web("web", 2, deadline(10)))
		c.Advance(10 * time.Second)
		edit(c, "web", image("web:late"))
		c.Advance(30 * time.Second)
		require.Contains(t, says(get(c, "web"), appsv1.DeploymentProgressing), "ProgressDeadlineExceeded")
		c.SetImage("web:late", rollingupdate.Web{}.Serve)
		c.Advance(10 * time.Minute)
		assert.Equal(t, map[string]int{"web:late": 2}, ready(c))
		assert.Contains(t, says(get(c, "web"), appsv1.DeploymentProgressing), "NewReplicaSetAvailable")
	})
}
