package deployment_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// noting returns a cluster of one controller, and the names of what it looks
// at.
func noting(controller kubetest.Controller) (kubetest.Setup, map[string]bool) {
	names := map[string]bool{}
	return kubetest.Setup{
		Kinds: kinds(), Controllers: []kubetest.Controller{controller},
		Trace: func(s controlloop.Step) {
			if s.Action == "reconcile" {
				names[s.Key.Name] = true
			}
		},
	}, names
}

// ruledBy makes an owner of this kind control obj.
func ruledBy[T controlloop.Object](
	owner controlloop.Object, kind schema.GroupVersionKind, obj T,
) T {
	obj.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(owner, kind)})
	return obj
}

func TestTheEndOfAPodWakesOnlyADeploymentThatRecreates(t *testing.T) {
	setup, names := noting(func(s *controlloop.System) *controlloop.Controller {
		return deployment.NewDeploymentsWith(s, deployment.Strategies{
			appsv1.RecreateDeploymentStrategyType:      deployment.Recreate{},
			appsv1.RollingUpdateDeploymentStrategyType: deployment.Recreate{},
		}, func(*deployment.Rollout, *appsv1.ReplicaSet) {})
	})
	in(t, setup, func(c *kubetest.Cluster) {
		rolls := recreated("rolls", 1)
		rolls.Spec.Strategy.Type = appsv1.RollingUpdateDeploymentStrategyType
		kubetest.Create(c, rolls)
		kubetest.Create(c, recreated("recreates", 1))
		kubetest.Create(c, replicaSet("of-none", 1))
		lost := kubetest.Create(c, recreated("lost", 1))
		c.Settle()
		remove(t, c, lost)
		c.Settle()
		require.Len(t, sets(c), 4)
		gone := replicaSet("gone", 1)
		gone.UID = "gone"
		for _, rs := range append(sets(c), gone) {
			kubetest.Create(c, ruledBy(rs, deployment.ReplicaSetKind, kubetest.Pod("of-"+rs.Name)))
		}
		kubetest.Create(c, kubetest.Pod("of-nobody"))
		c.Settle()
		require.Len(t, c.Pods(), 6)
		clear(names)
		for _, pod := range c.Pods() {
			c.DeletePod(pod.Name)
		}
		c.Settle()
		require.Empty(t, c.Pods())
		assert.Equal(t, map[string]bool{"recreates": true}, names)
	})
}

func TestAnOrphanWakesOnlyThoseWhoMightAdoptIt(t *testing.T) {
	boss := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "boss", UID: "boss"}}
	for name, test := range map[string]struct {
		controller kubetest.Controller
		selecting  func(app string) controlloop.Object
		selected   func() controlloop.Object
	}{
		"Deployments of a ReplicaSet": {
			deployment.NewDeployments,
			func(app string) controlloop.Object { return recreated(app, 0) },
			func() controlloop.Object { return replicaSet("web", 0) },
		},
		"ReplicaSets of a Pod": {
			deployment.NewReplicaSets,
			func(app string) controlloop.Object { return replicaSet(app, 0) },
			func() controlloop.Object { return kubetest.Pod("web") },
		},
	} {
		t.Run(name, func(t *testing.T) {
			setup, names := noting(test.controller)
			in(t, setup, func(c *kubetest.Cluster) {
				for name, of := range map[string]struct{ app, namespace string }{
					"a": {"web", ""}, "z": {"web", ""},
					"other": {"db", ""}, "elsewhere": {"web", "elsewhere"},
				} {
					obj := test.selecting(of.app)
					obj.SetName(name)
					obj.SetNamespace(of.namespace)
					kubetest.Create(c, obj)
				}
				c.Settle()
				clear(names)
				child := test.selected()
				child.SetName("child")
				child.SetLabels(map[string]string{"app": "web"})
				kubetest.Create(c, ruledBy(boss, corev1.SchemeGroupVersion.WithKind("ConfigMap"), child))
				c.Settle()
				require.Empty(t, names, "it has somebody")
				orphan := test.selected()
				orphan.SetLabels(map[string]string{"app": "web"})
				kubetest.Create(c, orphan)
				c.Settle()
				assert.Equal(t, map[string]bool{"a": true, "z": true}, names)
			})
		})
	}
}
