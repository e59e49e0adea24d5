package deployment_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// onlyDeployments is a cluster in which no controller makes Pods.
var onlyDeployments = kubetest.Setup{
	Namespace: "shop",
	Kinds:     kinds(), Controllers: []kubetest.Controller{deployment.NewDeployments},
	DetectMutations: true,
}

func TestAReplicaSetIsStampedBeforeItIsMadeAndBeforeItIsScaled(t *testing.T) {
	setup := onlyDeployments
	setup.Controllers = []kubetest.Controller{
		func(s *controlloop.System) *controlloop.Controller {
			return deployment.NewDeploymentsWith(s, deployment.Strategies{
				appsv1.RecreateDeploymentStrategyType: deployment.Recreate{},
			}, func(r *deployment.Rollout, rs *appsv1.ReplicaSet) {
				metav1.SetMetaDataAnnotation(&rs.ObjectMeta, "stamp",
					fmt.Sprintf("%d of %s", *rs.Spec.Replicas, r.Deployment.Name))
			})
		},
	}
	in(t, setup, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 3))
		c.Settle()
		require.Len(t, sets(c), 1)
		assert.Equal(t, "3 of web", sets(c)[0].Annotations["stamp"])
		scale(c, d, 5)
		c.Settle()
		assert.Equal(t, "5 of web", sets(c)[0].Annotations["stamp"])
		assert.Len(t, c.WritesOf(sets(c)[0]), 2, "each in one write")
	})
}

func TestAllThatADeploymentMakesIsInItsNamespace(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		d := recreated("web", 2)
		d.Namespace = "shop"
		kubetest.Create(c, d)
		c.Settle()
		require.Len(t, sets(c), 1)
		assert.Equal(t, "shop", sets(c)[0].Namespace)
		require.Len(t, c.Pods(), 2)
		for _, pod := range c.Pods() {
			assert.Equal(t, "shop", pod.Namespace)
		}
	})
}

// It is made at this look, and counts at this look: the Pods that it wants are
// missing.
func TestAReplicaSetThatWasJustMadeIsOneOfAll(t *testing.T) {
	in(t, onlyDeployments, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 3))
		c.Settle()
		writes := c.WritesOf(d)
		require.Len(t, writes, 2)
		status := writes[1].Object.(*appsv1.Deployment).Status
		assert.EqualValues(t, 3, status.UnavailableReplicas)
		progressing := deployment.FindCondition(&status, appsv1.DeploymentProgressing)
		require.NotNil(t, progressing)
		assert.Equal(t, fmt.Sprintf(`Created new replica set "%s"`, sets(c)[0].Name),
			progressing.Message)
	})
}

func TestOnlyAReplicaSetOfNoPodsWasNotScaledUp(t *testing.T) {
	in(t, onlyDeployments, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 0))
		c.Settle()
		require.Len(t, sets(c), 1)
		require.Empty(t, scalings(c))
		remove(t, c, d)
		remove(t, c, sets(c)[0])
		kubetest.Create(c, recreated("web", 1))
		c.Settle()
		require.Len(t, sets(c), 1)
		assert.Equal(t, []string{"Scaled up replica set " + sets(c)[0].Name + " from 0 to 1"}, scalings(c))
	})
}

func TestAReplicaSetThatCannotBeScaledIsNamedWithItsSizes(t *testing.T) {
	in(t, onlyDeployments, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 3))
		c.Settle()
		require.Len(t, sets(c), 1)
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "update" && call.Kind == deployment.ReplicaSetKind {
				return errors.New("no")
			}
			return nil
		})
		var told error
		c.Controller("deployment").OnError = func(_ key, err error) { told = err }
		scale(c, d, 5)
		c.Settle()
		assert.EqualError(t, told, "scale shop/"+sets(c)[0].Name+" from 3 to 5: no")
		assert.Len(t, scalings(c), 1, "only of what was done is told")
	})
}

func TestADeploymentIsAvailableByPodsThatAreAndNotByThoseThatAreOnlyReady(t *testing.T) {
	const (
		yes = "True MinimumReplicasAvailable Deployment has minimum availability."
		no  = "False MinimumReplicasUnavailable Deployment does not have minimum availability."
	)
	oneMayBeMissing := onlyDeployments
	oneMayBeMissing.Controllers = []kubetest.Controller{evenly{t}.deployments}
	for _, test := range []struct {
		setup     kubetest.Setup
		available int32
		want      string
	}{
		{onlyDeployments, 2, no}, {onlyDeployments, 3, yes},
		{oneMayBeMissing, 1, no}, {oneMayBeMissing, 2, yes},
	} {
		in(t, test.setup, func(c *kubetest.Cluster) {
			d := kubetest.Create(c, recreated("web", 3))
			c.Settle()
			require.Len(t, sets(c), 1)
			setStatus(t, c, sets(c)[0], func(rs *appsv1.ReplicaSet) {
				rs.Status.Replicas, rs.Status.ReadyReplicas = 3, 3
				rs.Status.AvailableReplicas = test.available
			})
			c.Settle()
			is := deployment.FindCondition(new(kubetest.Get(c, d).Status), appsv1.DeploymentAvailable)
			require.NotNil(t, is)
			assert.Equal(t, test.want, fmt.Sprintf("%s %s %s", is.Status, is.Reason, is.Message),
				"%d of 3", test.available)
		})
	}
}

// Missing Pods are counted over all: here a Deployment goes, and both of its
// ReplicaSets stay for a while.
func TestWhatIsMissedIsTheSumOverAllReplicaSets(t *testing.T) {
	in(t, onlyDeployments, func(c *kubetest.Cluster) {
		d := recreated("web", 3)
		d.Finalizers = []string{"example.com/hold"}
		d = kubetest.Create(c, d)
		c.Settle()
		require.Len(t, sets(c), 1)
		old := sets(c)[0]
		setImage(c, d, "nginx:1.28")
		c.Settle()
		require.Len(t, sets(c), 2)
		remove(t, c, d)
		scale(c, old, 10)
		setStatus(t, c, old, func(rs *appsv1.ReplicaSet) { rs.Status.AvailableReplicas = 1 })
		c.Settle()
		assert.EqualValues(t, 10+3-1, kubetest.Get(c, d).Status.UnavailableReplicas)
	})
}

// evenly gives each ReplicaSet as many Pods as the Deployment wants, of which one
// may be missing, and looks whether the rollout has them so.
type evenly struct{ t *testing.T }

func (e evenly) Roll(ctx context.Context, r *deployment.Rollout) (deployment.Outcome, error) {
	want := *r.Deployment.Spec.Replicas
	if r.New == nil {
		return deployment.Outcome{}, r.Start(ctx, want)
	}
	before := r.All()
	for _, rs := range slices.Backward(before) {
		if _, err := r.Scale(ctx, rs, want); err != nil {
			return deployment.Outcome{}, err
		}
	}
	for i, rs := range r.All() {
		assert.Equal(e.t, before[i].UID, rs.UID)
		assert.Equal(e.t, want, *rs.Spec.Replicas)
	}
	return deployment.Outcome{MaxUnavailable: 1}, nil
}

func (e evenly) deployments(s *controlloop.System) *controlloop.Controller {
	return deployment.NewDeploymentsWith(s, deployment.Strategies{
		appsv1.RecreateDeploymentStrategyType: e,
	}, func(*deployment.Rollout, *appsv1.ReplicaSet) {})
}

func TestARolloutHasItsReplicaSetsAsTheyAreAfterAStep(t *testing.T) {
	setup := onlyDeployments
	setup.Controllers = []kubetest.Controller{evenly{t}.deployments}
	in(t, setup, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 1))
		for _, image := range []string{"nginx:1.28", "nginx:1.29"} {
			c.Settle()
			setImage(c, d, image)
		}
		c.Settle()
		scale(c, d, 4)
		c.Settle()
		assert.Equal(t, map[string]int32{kubetest.Nginx: 4, "nginx:1.28": 4, "nginx:1.29": 4}, sizes(c))
	})
}
