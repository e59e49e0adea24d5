package node_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/chapters/06-daemonset/node"
	"reconcile/chapters/06-daemonset/node/budget"
	"reconcile/internal/kubetest"
)

func TestSharesOfABudgetAreRoundedUp(t *testing.T) {
	for _, test := range []struct {
		least, most string
		of, want    int32
	}{
		{"50%", "", 7, 4}, {"", "50%", 7, 3},
		{"100%", "", 3, 3}, {"", "0%", 3, 3}, {"", "100%", 3, 0},
		{"1%", "", 1, 1}, {"", "1%", 1, 0}, {"0%", "", 9, 0},
		{"", "1", 3, 2}, {"", "5", 3, 0},
	} {
		spec := policyv1.PodDisruptionBudgetSpec{}
		if test.least != "" {
			spec.MinAvailable = new(intstr.Parse(test.least))
		}
		if test.most != "" {
			spec.MaxUnavailable = new(intstr.Parse(test.most))
		}
		got, err := budget.Needs(&spec, test.of)
		require.NoError(t, err)
		assert.Equal(t, test.want, got, "%+v", test)
	}
}

// budget is one over the Pods with app=web.
func limits(name string, changes ...func(*policyv1.PodDisruptionBudgetSpec)) *policyv1.PodDisruptionBudget {
	b := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Name: name}}
	b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	for _, change := range changes {
		change(&b.Spec)
	}
	return b
}

func atLeast(v string) func(*policyv1.PodDisruptionBudgetSpec) {
	return func(s *policyv1.PodDisruptionBudgetSpec) { s.MinAvailable = new(intstr.Parse(v)) }
}

func atMost(v string) func(*policyv1.PodDisruptionBudgetSpec) {
	return func(s *policyv1.PodDisruptionBudgetSpec) { s.MaxUnavailable = new(intstr.Parse(v)) }
}

func always(s *policyv1.PodDisruptionBudgetSpec) {
	s.UnhealthyPodEvictionPolicy = new(policyv1.AlwaysAllow)
}

// statusOf says what a budget counts: allowed, healthy of desired, of expected.
func statusOf(c *kubetest.Cluster, b *policyv1.PodDisruptionBudget) string {
	s := kubetest.Get(c, b).Status
	condition := meta.FindStatusCondition(s.Conditions, policyv1.DisruptionAllowedCondition)
	return fmt.Sprintf("%d allowed, %d healthy, %d desired, %d expected, %s",
		s.DisruptionsAllowed, s.CurrentHealthy, s.DesiredHealthy, s.ExpectedPods, condition.Reason)
}

// withWeb is a cluster in which four Pods are ready that one controller wants.
func withWeb(t *testing.T, test func(c *kubetest.Cluster, x *cables)) {
	t.Helper()
	inNodes(t, 2, func(c *kubetest.Cluster, x *cables) {
		owner := kubetest.Create(c, kubetest.ReplicationController("web", 4))
		for n := range 4 {
			kubetest.Create(c, webPod(n, controlloop.RCKind.Kind, "v1", owner))
		}
		c.Advance(20 * time.Second)
		test(c, x)
	})
}

func webPod(n int, kind, version string, owner controlloop.Object) *corev1.Pod {
	return podWith(fmt.Sprintf("web-%d", n), func(pod *corev1.Pod) {
		pod.Labels = map[string]string{"app": "web"}
		pod.OwnerReferences = []metav1.OwnerReference{{
			APIVersion: version, Kind: kind, Name: owner.GetName(),
			UID: owner.GetUID(), Controller: new(true),
		}}
	})
}

func TestABudgetCountsWhatItCanAfford(t *testing.T) {
	withWeb(t, func(c *kubetest.Cluster, _ *cables) {
		for name, test := range map[string]struct {
			change func(*policyv1.PodDisruptionBudgetSpec)
			want   string
		}{
			"number":     {atLeast("3"), "1 allowed, 4 healthy, 3 desired, 4 expected, SufficientPods"},
			"too-many":   {atLeast("9"), "0 allowed, 4 healthy, 9 desired, 4 expected, InsufficientPods"},
			"share":      {atLeast("60%"), "1 allowed, 4 healthy, 3 desired, 4 expected, SufficientPods"},
			"lost":       {atMost("1"), "1 allowed, 4 healthy, 3 desired, 4 expected, SufficientPods"},
			"lost-share": {atMost("60%"), "3 allowed, 4 healthy, 1 desired, 4 expected, SufficientPods"},
			"neither":    {always, "0 allowed, 4 healthy, 0 desired, 0 expected, InsufficientPods"},
		} {
			b := kubetest.Create(c, limits(name, test.change))
			c.Settle()
			assert.Equal(t, test.want, statusOf(c, b), name)
		}
		c.Scale("web", 8)
		c.DeletePod("web-0")
		c.Settle()
		assert.Equal(t, "0 allowed, 3 healthy, 3 desired, 3 expected, InsufficientPods",
			statusOf(c, limits("number")), "a number is a number")
		assert.Equal(t, "0 allowed, 3 healthy, 5 desired, 8 expected, InsufficientPods",
			statusOf(c, limits("share")), "a share is one of what is wanted")
		c.AssertQuiet(4 * time.Second)
	})
}

// Two ReplicaSets of one Deployment are not wanted twice.
func TestAShareIsOneOfWhatTheDeploymentWants(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, _ *cables) {
		web := kubetest.Pod("web")
		dep := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
		dep.Spec.Replicas = new(int32(10))
		dep.Spec.Selector = &metav1.LabelSelector{MatchLabels: web.Labels}
		dep.Spec.Template = corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: web.Labels}, Spec: web.Spec}
		dep = kubetest.Create(c, dep)
		for n := range 2 {
			rs := &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%d", n)}}
			rs.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(dep, deployment.DeploymentKind)}
			rs.Spec.Replicas, rs.Spec.Selector, rs.Spec.Template = new(int32(7)), dep.Spec.Selector, dep.Spec.Template
			kubetest.Create(c, webPod(n, "ReplicaSet", "apps/v1", kubetest.Create(c, rs)))
		}
		set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Name: "web"}}
		set.Spec.Replicas, set.Spec.Selector, set.Spec.Template = new(int32(5)), dep.Spec.Selector, dep.Spec.Template
		kubetest.Create(c, webPod(9, statefulset.StatefulSetKind.Kind, "apps/v1", kubetest.Create(c, set)))
		b := kubetest.Create(c, limits("web", atMost("20%")))
		c.Advance(20 * time.Second)
		assert.Equal(t, "0 allowed, 3 healthy, 12 desired, 15 expected, InsufficientPods", statusOf(c, b))
	})
}

func TestABudgetThatCannotBeCountedAllowsNothing(t *testing.T) {
	withWeb(t, func(c *kubetest.Cluster, _ *cables) {
		b := kubetest.Create(c, limits("web", atMost("1")))
		c.Settle()
		ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "agent", UID: "1"}}
		kubetest.Create(c, webPod(7, "DaemonSet", "apps/v1", ds))
		c.Settle()
		assert.Equal(t, "0 allowed, 4 healthy, 3 desired, 4 expected, SyncFailed", statusOf(c, b))
		assert.Contains(t, c.Events()[len(c.Events())-1], "Failed to calculate the number of expected pods: "+
			"daemonsets.apps does not implement the scale subresource")
		refused := evict(c, "web-0")
		assert.Equal(t, "The disruption budget web does not allow evicting pods currently because it failed sync: "+
			"daemonsets.apps does not implement the scale subresource", causeOf(refused))
		c.DeletePod("web-7")
		c.Settle()
		kubetest.Create(c, webPod(8, "ReplicaSet", "apps/v1", ds))
		c.Settle()
		assert.Contains(t, c.Events()[len(c.Events())-1], `found no controllers for pod "web-8"`)
	})
}

func TestPodsOfNobodyAreToldOf(t *testing.T) {
	inNodes(t, 1, func(c *kubetest.Cluster, _ *cables) {
		kubetest.Create(c, limits("web", atMost("1")))
		c.Settle()
		kubetest.Create(c, podWith("web"))
		c.Settle()
		assert.NotEmpty(t, saidOf(c, "Normal NoPods controllermanager: No matching pods found"))
		assert.NotEmpty(t, saidOf(c, "UnmanagedPods controllermanager: Pods selected by this PodDisruptionBudget (selector: &LabelSelector{"))
	})
}

func evict(c *kubetest.Cluster, pod string, opts ...metav1.DeleteOptions) error {
	opts = append(opts, metav1.DeleteOptions{})
	return node.Evict(context.Background(), c.Store, kubetest.Named(pod), opts[0])
}

// causeOf says which budget refuses, and why.
func causeOf(err error) string {
	status, ok := err.(apierrors.APIStatus)
	if !ok || status.Status().Details == nil || len(status.Status().Details.Causes) == 0 {
		return fmt.Sprint(err)
	}
	return status.Status().Details.Causes[0].Message
}

func TestABudgetLetsGoWhatItCanAffordAndNoMore(t *testing.T) {
	withWeb(t, func(c *kubetest.Cluster, _ *cables) {
		b := kubetest.Create(c, limits("web", atMost("1")))
		assert.Equal(t, "The disruption budget web is still being processed by the server.",
			causeOf(evict(c, "web-0")), "nobody has counted yet")
		c.Settle()
		require.NoError(t, evict(c, "web-0", kubetest.Grace(30)))
		pod := c.Pod("web-0")
		assert.NotNil(t, pod.DeletionTimestamp)
		says := kubetest.Condition(pod, corev1.DisruptionTarget)
		assert.Equal(t, "EvictionByEvictionAPI", says.Reason)
		assert.Equal(t, "Eviction API: evicting", says.Message)
		assert.Contains(t, kubetest.Get(c, b).Status.DisruptedPods, "web-0")

		refused := evict(c, "web-1")
		require.True(t, apierrors.IsTooManyRequests(refused))
		assert.EqualError(t, refused, "Cannot evict pod as it would violate the pod's disruption budget.")
		assert.Equal(t, "The disruption budget web does not allow evicting pods currently", causeOf(refused),
			"the budget has spent what it had, and nobody has counted since")
		assert.NoError(t, evict(c, "web-0"), "it goes anyway")
		c.Settle()
		assert.Equal(t, "The disruption budget web needs 3 healthy pods and has 3 currently", causeOf(evict(c, "web-1")))
	})
}

// interrupted is a client for which something else happens just before it writes
// a budget's status.
type interrupted struct {
	controlloop.Client
	by func()
}

func (i *interrupted) UpdateStatus(
	ctx context.Context, obj controlloop.Object,
) (controlloop.Object, error) {
	if _, ok := obj.(*policyv1.PodDisruptionBudget); ok && i.by != nil {
		by := i.by
		i.by = nil
		by()
	}
	return i.Client.UpdateStatus(ctx, obj)
}

func TestOfTwoEvictionsAtOnceABudgetOfOneLetsOnePass(t *testing.T) {
	withWeb(t, func(c *kubetest.Cluster, _ *cables) {
		b := kubetest.Create(c, limits("web", atMost("1")))
		c.Settle()
		client := &interrupted{c.Store, func() { require.NoError(t, evict(c, "web-1")) }}
		err := node.Evict(context.Background(), client, kubetest.Named("web-0"), metav1.DeleteOptions{})
		assert.True(t, apierrors.IsTooManyRequests(err), "it was quicker: %v", err)
		assert.Nil(t, c.Pod("web-0").DeletionTimestamp)
		spent := kubetest.Get(c, b).Status
		assert.Zero(t, spent.DisruptionsAllowed)
		assert.NotContains(t, spent.DisruptedPods, "web-0")
	})
}

func TestAnEvictionThatCannotBeCountedDeletesNothing(t *testing.T) {
	withWeb(t, func(c *kubetest.Cluster, _ *cables) {
		kubetest.Create(c, limits("web", atMost("1")))
		c.Settle()
		client := kubetest.NewFaults(c.Store)
		client.FailNth("update status", 1)
		err := node.Evict(context.Background(), client, kubetest.Named("web-0"), metav1.DeleteOptions{})
		assert.ErrorIs(t, err, kubetest.ErrFailedOnce)
		assert.Nil(t, c.Pod("web-0").DeletionTimestamp)
	})
}

func TestADryRunOfAnEvictionSpendsNothing(t *testing.T) {
	withWeb(t, func(c *kubetest.Cluster, _ *cables) {
		kubetest.Create(c, limits("web", atMost("1")))
		c.Settle()
		before := len(c.Writes())
		dry := metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}}
		assert.NoError(t, evict(c, "web-0", dry))
		assert.NoError(t, evict(c, "web-1", dry))
		assert.Len(t, c.Writes(), before)
		require.NoError(t, evict(c, "web-2"))
		assert.True(t, apierrors.IsTooManyRequests(evict(c, "web-1", dry)))
	})
}

func TestAPodUnderTwoBudgetsIsNotEvicted(t *testing.T) {
	withWeb(t, func(c *kubetest.Cluster, _ *cables) {
		kubetest.Create(c, limits("one", atMost("100%")))
		kubetest.Create(c, limits("two", atMost("100%")))
		c.Settle()
		err := evict(c, "web-0")
		assert.EqualError(t, err, "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")
		assert.EqualValues(t, 500, err.(apierrors.APIStatus).Status().Code)
	})
}

func TestAPodThatServesNobodyNeedsNoBudget(t *testing.T) {
	withWeb(t, func(c *kubetest.Cluster, _ *cables) {
		kubetest.Create(c, limits("web", atMost("0")))
		c.Settle()
		waiting := webPod(8, "ReplicationController", "v1", kubetest.Get(c, kubetest.ReplicationController("web", 0)))
		waiting.Spec.SchedulerName = "nobody"
		kubetest.Create(c, waiting)
		require.Equal(t, corev1.PodPending, c.Pod("web-8").Status.Phase)
		assert.NoError(t, evict(c, "web-8"))
		ended := controlloop.Copy(c.Pod("web-0"))
		ended.Status.Phase = corev1.PodSucceeded
		_, err := c.Store.UpdateStatus(context.Background(), ended)
		require.NoError(t, err)
		assert.NoError(t, evict(c, "web-0"))
		assert.Error(t, evict(c, "web-1"))
	})
}

func TestAPodThatIsNotReadyCostsNothingWhereEnoughAre(t *testing.T) {
	for name, test := range map[string]struct {
		least  string
		policy func(*policyv1.PodDisruptionBudgetSpec)
		goes   bool
	}{
		"enough without it":     {"3", func(*policyv1.PodDisruptionBudgetSpec) {}, true},
		"not enough":            {"4", func(*policyv1.PodDisruptionBudgetSpec) {}, false},
		"not enough, no matter": {"4", always, true},
		"none has to be":        {"0", func(*policyv1.PodDisruptionBudgetSpec) {}, true},
	} {
		t.Run(name, func(t *testing.T) {
			withWeb(t, func(c *kubetest.Cluster, x *cables) {
				b := kubetest.Create(c, limits("web", atLeast(test.least), test.policy))
				x.pull("node-1", "node-2") // so that nobody says that it is ready
				sick := controlloop.Copy(c.Pod("web-0"))
				for i := range sick.Status.Conditions {
					if sick.Status.Conditions[i].Type == corev1.PodReady {
						sick.Status.Conditions[i].Status = corev1.ConditionFalse
					}
				}
				_, err := c.Store.UpdateStatus(context.Background(), sick)
				require.NoError(t, err)
				c.Settle()
				err = evict(c, "web-0")
				assert.Equal(t, test.goes, err == nil, "%v", err)
				if test.least != "0" {
					assert.Empty(t, kubetest.Get(c, b).Status.DisruptedPods)
				}
			})
		})
	}
}

func TestAPodThatWasToGoAndDoesNotCountsAgainAfterTwoMinutes(t *testing.T) {
	withWeb(t, func(c *kubetest.Cluster, _ *cables) {
		b := kubetest.Create(c, limits("web", atMost("1")))
		c.Settle()
		promised := controlloop.Copy(kubetest.Get(c, b))
		promised.Status.DisruptionsAllowed = 0
		promised.Status.DisruptedPods = map[string]metav1.Time{"web-0": metav1.Now()}
		_, err := c.Store.UpdateStatus(context.Background(), promised)
		require.NoError(t, err)
		c.Advance(2*time.Minute - time.Nanosecond)
		assert.Equal(t, "0 allowed, 3 healthy, 3 desired, 4 expected, InsufficientPods", statusOf(c, b))
		c.Advance(time.Nanosecond)
		assert.Equal(t, "1 allowed, 4 healthy, 3 desired, 4 expected, SufficientPods", statusOf(c, b))
		assert.Len(t, saidOf(c, "NotDeleted controllermanager: Pod was expected by PDB default/default to be deleted but it wasn't"), 1)
	})
}

func TestAnEvictionAsksForTheVersionItWasToldOf(t *testing.T) {
	withWeb(t, func(c *kubetest.Cluster, _ *cables) {
		pod := c.Pod("web-0")
		version := func(v string) metav1.DeleteOptions {
			return metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: &v}}
		}
		err := evict(c, "web-0", version("1"))
		assert.EqualError(t, err, `Operation cannot be fulfilled on Pod "web-0": the ResourceVersion in the `+
			`precondition (1) does not match the ResourceVersion in record (`+pod.ResourceVersion+
			`). The object might have been modified`)
		assert.Nil(t, c.Pod("web-0").DeletionTimestamp)
		assert.NoError(t, evict(c, "web-0", version(pod.ResourceVersion)))
		assert.NotNil(t, c.Pod("web-0").DeletionTimestamp)
		err = evict(c, "web-1", metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions("another")})
		assert.ErrorContains(t, err, "The object might have been deleted and then recreated")
		assert.True(t, apierrors.IsNotFound(evict(c, "none")))
	})
}
