package deployment_test

import (
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// collide makes a Deployment, and a ReplicaSet of it that has another template
// and the name that the next one would get. It returns the errors that the
// controller will report.
func collide(c *kubetest.Cluster) *[]error {
	told := &[]error{}
	c.Controller("deployment").OnError = func(_ key, err error) { *told = append(*told, err) }
	d := kubetest.Create(c, recreated("web", 2))
	rs := replicaSet("web", 0)
	rs.Name = "web-" + hashOf(d, nil)
	rs.Labels = map[string]string{"app": "web"}
	rs.Spec.Template.Spec.Containers[0].Image = "nginx:1.26"
	kubetest.Create(c, ruledBy(d, deployment.DeploymentKind, rs))
	return told
}

func TestAnotherTemplateOfTheSameHashIsACollisionAlsoWhereTheOwnerIsTheSame(t *testing.T) {
	in(t, onlyDeployments, func(c *kubetest.Cluster) {
		told := collide(c)
		c.Settle()
		d := kubetest.Get(c, recreated("web", 2))
		require.NotNil(t, d.Status.CollisionCount)
		assert.EqualValues(t, 1, *d.Status.CollisionCount)
		assert.Equal(t, map[string]int32{"nginx:1.26": 0, kubetest.Nginx: 2}, sizes(c))
		require.Len(t, *told, 1)
		assert.True(t, apierrors.IsAlreadyExists((*told)[0]), "%v", (*told)[0])
	})
}

func TestACollisionIsCountedOnceThoughACallFails(t *testing.T) {
	for verb, kind := range map[string]string{"get": "ReplicaSet", "update status": "Deployment"} {
		t.Run(verb, func(t *testing.T) {
			in(t, onlyDeployments, func(c *kubetest.Cluster) {
				no := errors.New("no")
				c.Client.Fail(func(call kubetest.Call) error {
					if call.Verb == verb && call.Kind.Kind == kind {
						c.Client.Fail(nil)
						return no
					}
					return nil
				})
				told := collide(c)
				c.Advance(time.Second)
				require.NotEmpty(t, *told)
				assert.ErrorIs(t, (*told)[0], no, "%s %s", verb, kind)
				d := kubetest.Get(c, recreated("web", 2))
				require.NotNil(t, d.Status.CollisionCount)
				assert.EqualValues(t, 1, *d.Status.CollisionCount, "in the end, and once")
			})
		})
	}
}
