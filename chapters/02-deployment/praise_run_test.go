package deployment_test

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"reconcile/chapters/01-control-loop/simulated"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// dieAfterCreating ends the controllers when the next ReplicaSet has been made,
// and before any of them knows.
func dieAfterCreating(c *kubetest.Cluster) {
	c.Client.Fail(func(call kubetest.Call) error {
		if call.Verb == "create" && call.Kind == deployment.ReplicaSetKind {
			c.Client.CrashAtWrite(c.Client.Writes()+1, kubetest.After)
		}
		return nil
	})
}

// A Deployment is given another template: in peace, and by a controller that
// dies between creating the ReplicaSet and saying so.
func TestRunOfACrashThatIsNotHarmless(t *testing.T) {
	var out bytes.Buffer
	for _, part := range []string{"peace", "crash"} {
		synctest.Test(t, func(t *testing.T) {
			fmt.Fprintf(&out, "# part: %s\n", part)
			c := kubetest.New(t, everything)
			c.SetImage("nginx:1.28", simulated.Nginx)
			say := func(format string, args ...any) {
				fmt.Fprintf(&out, "%6s  %s\n", c.Elapsed(), fmt.Sprintf(format, args...))
			}
			web := kubetest.Create(c, recreated("web", 3))
			c.Advance(10 * time.Second)
			say("web runs %s", sets(c)[0].Name)
			if part == "crash" {
				dieAfterCreating(c)
			}
			setImage(c, web, "nginx:1.28")
			say("its template becomes another")
			c.Advance(10 * time.Second)
			if c.Crashed() {
				say("%s was created, and the controllers died", youngest(c).Name)
				c.Restart()
				say("they start again")
			}
			c.Advance(10 * time.Minute)
			for _, rs := range sets(c) {
				say("%s wants %d, ready %d", rs.Name, *rs.Spec.Replicas, rs.Status.ReadyReplicas)
			}
			for _, condition := range kubetest.Get(c, web).Status.Conditions {
				if condition.Type == appsv1.DeploymentProgressing {
					say("%s: %s", condition.Type, condition.Message)
				}
			}
		})
	}
	kubetest.Recorded(t, "praise.txt", out.Bytes())
}

// youngest returns the ReplicaSet that was made last.
func youngest(c *kubetest.Cluster) *appsv1.ReplicaSet {
	return slices.MaxFunc(sets(c), func(a, b *appsv1.ReplicaSet) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
}
