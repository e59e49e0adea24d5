package deployment_test

import (
	"testing"
	"testing/synctest"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/stretchr/testify/require"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// kinds returns those of the first two chapters.
func kinds() controlloop.Kinds {
	return controlloop.CoreKinds().With(deployment.Kinds()...)
}

func newCollector(s *controlloop.System) *controlloop.Controller {
	return deployment.NewCollector(s, kinds())
}

// These are the clusters of the tests: one loop alone, one on top of the other,
// and all three with a node to run on. Their objects aren't in the namespace default,
// which no controller may assume.
var (
	replicaSets = kubetest.Setup{
		Namespace:       "shop",
		Kinds:           kinds(),
		Controllers:     []kubetest.Controller{deployment.NewReplicaSets},
		Invariants:      []kubetest.Invariant{neverTooMany},
		DetectMutations: true,
	}
	deployments = kubetest.Setup{
		Namespace: "shop",
		Kinds:     kinds(),
		Controllers: []kubetest.Controller{
			deployment.NewReplicaSets, deployment.NewDeployments,
		},
		Invariants:      []kubetest.Invariant{neverTooMany, neverBoth},
		DetectMutations: true,
	}
	collecting = kubetest.Setup{
		Namespace: "shop",
		Kinds:     kinds(), Controllers: []kubetest.Controller{newCollector},
		DetectMutations: true,
	}
	everything = kubetest.Setup{
		Namespace: "shop",
		Kinds:     kinds(), Nodes: 1,
		Controllers: []kubetest.Controller{
			deployment.NewReplicaSets, deployment.NewDeployments, newCollector,
		},
		Invariants:      []kubetest.Invariant{neverTooMany, neverBoth},
		DetectMutations: true,
	}
)

// in runs a test in a cluster in a bubble.
func in(t *testing.T, setup kubetest.Setup, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(kubetest.New(t, setup)) })
}

// nginxTemplate returns one for Pods labelled app=name that are
// ready when they answer.
func nginxTemplate(name string) corev1.PodTemplateSpec {
	nginx := kubetest.Container("nginx", kubetest.Nginx)
	nginx.ReadinessProbe = kubetest.HTTPGet("/", intstr.FromInt32(80))
	pod := kubetest.Pod(name, nginx)
	return corev1.PodTemplateSpec{
		ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec,
	}
}

func selecting(name string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}
}

// replicaSet returns one that wants so many Pods labelled app=name.
func replicaSet(name string, replicas int32) *appsv1.ReplicaSet {
	template := nginxTemplate(name)
	return &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: &replicas,
			Selector: selecting(name),
			Template: template,
		},
	}
}

// recreated returns a Deployment that wants so many Pods labelled app=name, and
// has all old ones end before it starts a new one.
func recreated(name string, replicas int32) *appsv1.Deployment {
	template := nginxTemplate(name)
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas,
			Selector: selecting(name),
			Template: template,
			Strategy: appsv1.DeploymentStrategy{
				Type: appsv1.RecreateDeploymentStrategyType,
			},
		},
	}
}

type key = controlloop.Key

// meanwhile makes something happen just before the first call of this kind.
func meanwhile(
	c *kubetest.Cluster, verb, kind string, happens func(),
) {
	c.Client.Fail(func(call kubetest.Call) error {
		if call.Verb == verb && call.Kind.Kind == kind {
			c.Client.Fail(nil)
			happens()
		}
		return nil
	})
}

// scale makes a ReplicaSet or a Deployment want another number of Pods.
func scale(c *kubetest.Cluster, obj controlloop.Object, replicas int32) {
	kubetest.Edit(c, obj, func(obj controlloop.Object) {
		switch obj := obj.(type) {
		case *appsv1.ReplicaSet:
			obj.Spec.Replicas = &replicas
		case *appsv1.Deployment:
			obj.Spec.Replicas = &replicas
		}
	})
}

// setImage gives a Deployment another template.
func setImage(c *kubetest.Cluster, d *appsv1.Deployment, image string) {
	kubetest.Edit(c, d, func(d *appsv1.Deployment) {
		d.Spec.Template.Spec.Containers[0].Image = image
	})
}

// setStatus writes the status of an object as change leaves it.
func setStatus[T controlloop.Object](
	t *testing.T, c *kubetest.Cluster, obj T, change func(T),
) {
	t.Helper()
	next := controlloop.Copy(kubetest.Get(c, obj))
	change(next)
	_, err := c.Store.UpdateStatus(t.Context(), next)
	require.NoError(t, err)
}

// sets returns all ReplicaSets, sorted by key.
func sets(c *kubetest.Cluster) []*appsv1.ReplicaSet {
	return kubetest.All[*appsv1.ReplicaSet](c, deployment.ReplicaSetKind)
}

// remove deletes an object, by this policy if there is one.
func remove(
	t *testing.T, c *kubetest.Cluster, obj controlloop.Object,
	policy ...metav1.DeletionPropagation,
) {
	t.Helper()
	var opts metav1.DeleteOptions
	if policy != nil {
		opts.PropagationPolicy = &policy[0]
	}
	kind, key := identify(t, obj)
	require.NoError(t, c.Store.Delete(t.Context(), kind, key, opts))
}

func identify(
	t *testing.T, obj controlloop.Object,
) (schema.GroupVersionKind, controlloop.Key) {
	t.Helper()
	kind, err := kinds().Of(obj)
	require.NoError(t, err)
	key := controlloop.KeyOf(obj)
	if kind.Namespaced && key.Namespace == "" {
		key.Namespace = metav1.NamespaceDefault
	}
	return kind.GroupVersionKind, key
}

// readyPods counts the Pods that are ready.
func readyPods(c *kubetest.Cluster) (ready int) {
	for _, pod := range c.Pods() {
		if kubetest.Ready(pod) {
			ready++
		}
	}
	return ready
}
