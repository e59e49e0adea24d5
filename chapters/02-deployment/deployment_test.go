package deployment_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

func TestADeploymentMakesOneReplicaSetOfItsTemplate(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		d := recreated("web", 3)
		d.Spec.MinReadySeconds = 5
		d.Spec.Template.Annotations = map[string]string{"colour": "red"}
		d = kubetest.Create(c, d)
		c.Settle()
		require.Len(t, sets(c), 1)
		rs := sets(c)[0]
		assert.Equal(t, []metav1.OwnerReference{{
			APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: d.UID,
			Controller: new(true), BlockOwnerDeletion: new(true),
		}}, rs.OwnerReferences)
		assert.EqualValues(t, 5, rs.Spec.MinReadySeconds)
		assert.Equal(t, map[string]string{"colour": "red"}, rs.Spec.Template.Annotations)
		assert.True(t, deployment.SameTemplate(&d.Spec.Template, &rs.Spec.Template))
		assert.Len(t, c.Pods(), 3)
		c.AssertQuiet(0)
	})
}

func TestAChangeOfTheTemplateMakesAnotherReplicaSetAndAChangeOfTheNumberDoesNot(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 2))
		c.Settle()
		scale(c, d, 4)
		kubetest.Edit(c, d, func(d *appsv1.Deployment) {
			d.Labels = map[string]string{"team": "shop"}
			d.Spec.RevisionHistoryLimit = new(int32(2))
		})
		c.Settle()
		require.Len(t, sets(c), 1)
		setImage(c, d, "nginx:1.28")
		c.Settle()
		assert.Equal(t, map[string]int32{kubetest.Nginx: 0, "nginx:1.28": 4}, sizes(c))
	})
}

func TestTwoDeploymentsOfOneTemplateHaveAReplicaSetEach(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		a := kubetest.Create(c, recreated("web", 1))
		twin := recreated("web", 1)
		twin.Name = "twin"
		b := kubetest.Create(c, twin)
		c.Settle()
		require.Len(t, sets(c), 2)
		assert.True(t, metav1.IsControlledBy(sets(c)[0], b))
		assert.True(t, metav1.IsControlledBy(sets(c)[1], a))
		assert.Len(t, c.Pods(), 2)
		c.AssertQuiet(0)
	})
}

func TestAReplicaSetThatSomebodyRelabelsIsReleasedAndAnotherIsFound(t *testing.T) {
	setup := deployments
	setup.Invariants = nil // the test makes Pods behind its back
	in(t, setup, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 1))
		c.Settle()
		lost := sets(c)[0]
		kubetest.Edit(c, lost, func(rs *appsv1.ReplicaSet) { rs.Labels = map[string]string{"app": "lost"} })
		c.Advance(time.Second)
		assert.Empty(t, kubetest.Get(c, lost).OwnerReferences)
		require.Len(t, sets(c), 2, "its name is taken, so there has been a collision")
		assert.EqualValues(t, 1, *kubetest.Get(c, d).Status.CollisionCount)
	})
}

// Two with its template can exist after an adoption. The older is the
// new one, at every look.
func TestOfTwoReplicaSetsOfTheTemplateTheOlderIsTheNewOne(t *testing.T) {
	setup := deployments
	setup.Invariants = nil // the test makes Pods behind its back
	in(t, setup, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 2))
		c.Settle()
		older := sets(c)[0]
		c.Advance(time.Second)
		younger := controlloop.Copy(older)
		younger.ObjectMeta = metav1.ObjectMeta{Name: "a-web", Labels: older.Labels}
		younger.Status = appsv1.ReplicaSetStatus{}
		younger.Spec.Selector.MatchLabels["pod-template-hash"] = "by-hand"
		younger.Spec.Template.Labels["pod-template-hash"] = "by-hand"
		kubetest.Create(c, younger)
		c.Settle()
		assert.True(t, metav1.IsControlledBy(kubetest.Get(c, younger), d))
		assert.EqualValues(t, 2, *kubetest.Get(c, older).Spec.Replicas)
		assert.EqualValues(t, 0, *kubetest.Get(c, younger).Spec.Replicas)
	})
}

// We made it a moment ago, and our cache does not have it yet.
func TestAReplicaSetThatTheCacheDoesNotKnowYetIsNoCollision(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 2))
		meanwhile(c, "create", "ReplicaSet", func() {
			hash := hashOf(d, nil)
			rs := replicaSet("web", 2)
			rs.Name = "web-" + hash
			rs.Spec.Template = *d.Spec.Template.DeepCopy()
			for _, labels := range []map[string]string{
				rs.Spec.Template.Labels, rs.Spec.Selector.MatchLabels,
			} {
				labels["pod-template-hash"] = hash
			}
			rs.Labels = rs.Spec.Template.Labels
			rs.OwnerReferences = []metav1.OwnerReference{
				*metav1.NewControllerRef(d, deployment.DeploymentKind),
			}
			kubetest.Create(c, rs)
		})
		c.Settle()
		require.Len(t, sets(c), 1)
		assert.Nil(t, kubetest.Get(c, d).Status.CollisionCount)
		assert.Empty(t, scalings(c), "somebody else told of it")
		first := c.WritesOf(d)[1].Object.(*appsv1.Deployment).Status
		assert.EqualValues(t, 2, first.UnavailableReplicas, "its Pods are wanted at once")
		assert.Len(t, c.Pods(), 2)
	})
}

func TestStatusSaysWhatTheReplicaSetsSay(t *testing.T) {
	in(t, slowly(), func(c *kubetest.Cluster) {
		d := kubetest.Create(c, slow("web", 3))
		c.Advance(5 * time.Second)
		status := kubetest.Get(c, d).Status
		status.Conditions = nil
		assert.Equal(t, appsv1.DeploymentStatus{
			ObservedGeneration: 1, Replicas: 3, UpdatedReplicas: 3, ReadyReplicas: 3,
			AvailableReplicas: 3, TerminatingReplicas: new(int32(0)),
		}, status)
		setImage(c, d, "slow:2")
		c.Advance(10 * time.Second)
		status = kubetest.Get(c, d).Status
		status.Conditions = nil
		assert.Equal(t, appsv1.DeploymentStatus{
			ObservedGeneration: 2, TerminatingReplicas: new(int32(3)),
		}, status, "nobody serves, and nobody is missed: none is wanted yet")
	})
}

// Each of two has Pods of every sort, though no rollout leaves them so for long.
func TestStatusIsTheSumOfAllReplicaSets(t *testing.T) {
	in(t, onlyDeployments, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 3))
		c.Settle()
		setImage(c, d, "nginx:1.28")
		c.Settle()
		require.Len(t, sets(c), 2)
		for _, rs := range sets(c) {
			n := int32(1)
			if rs.Spec.Template.Spec.Containers[0].Image == "nginx:1.28" {
				n = 10
			}
			setStatus(t, c, rs, func(rs *appsv1.ReplicaSet) {
				rs.Status.Replicas, rs.Status.ReadyReplicas = 4*n, 3*n
				rs.Status.AvailableReplicas, rs.Status.TerminatingReplicas = 2*n, new(n)
			})
		}
		c.Settle()
		status := kubetest.Get(c, d).Status
		status.Conditions = nil
		assert.Equal(t, appsv1.DeploymentStatus{
			ObservedGeneration: 2, Replicas: 44, UpdatedReplicas: 40, ReadyReplicas: 33,
			AvailableReplicas: 22, TerminatingReplicas: new(int32(11)),
		}, status)
	})
}

// said lists the conditions that each write of a Deployment sets anew.
func said(c *kubetest.Cluster, d *appsv1.Deployment) (all []string) {
	was := map[string]bool{}
	for _, w := range c.WritesOf(d) {
		is := map[string]bool{}
		for _, cond := range w.Object.(*appsv1.Deployment).Status.Conditions {
			line := fmt.Sprintf("%s=%s %s", cond.Type, cond.Status, cond.Reason)
			if is[line] = true; !was[line] {
				all = append(all, line)
			}
		}
		was = is
	}
	return all
}

// Its controller passes annotations on, so a client that waits until it has
// observed the last edit waits for these too. The number that it notes itself
// comes with the status, and is not counted.
func TestTheGenerationOfADeploymentCountsItsAnnotations(t *testing.T) {
	in(t, everything, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 1))
		annotate := func(d *appsv1.Deployment, why string) {
			metav1.SetMetaDataAnnotation(&d.ObjectMeta, "kubernetes.io/change-cause", why)
		}
		kubetest.Edit(c, d, func(d *appsv1.Deployment) { annotate(d, "once") })
		assert.EqualValues(t, 2, kubetest.Get(c, d).Generation)
		kubetest.Edit(c, d, func(d *appsv1.Deployment) { d.Labels = map[string]string{"team": "a"} })
		assert.EqualValues(t, 2, kubetest.Get(c, d).Generation, "labels are not counted")
		setStatus(t, c, d, func(d *appsv1.Deployment) { annotate(d, "twice") })
		assert.EqualValues(t, 2, kubetest.Get(c, d).Generation, "nor is what comes with a status")
		assert.Equal(t, "twice", kubetest.Get(c, d).Annotations["kubernetes.io/change-cause"])
		c.Settle()
		assert.EqualValues(t, 2, kubetest.Get(c, d).Status.ObservedGeneration)
	})
}

func TestConditionsTellHowARolloutGoes(t *testing.T) {
	in(t, everything, func(c *kubetest.Cluster) {
		d := kubetest.Create(c, recreated("web", 1))
		c.Advance(5 * time.Second)
		assert.Equal(t, []string{
			"Progressing=True NewReplicaSetCreated",
			"Available=False MinimumReplicasUnavailable",
			"Progressing=True ReplicaSetUpdated",
			"Available=True MinimumReplicasAvailable",
			"Progressing=True NewReplicaSetAvailable",
		}, said(c, d))
		conditions := kubetest.Get(c, d).Status.Conditions
		require.Len(t, conditions, 2)
		assert.Equal(t, "Deployment has minimum availability.", conditions[0].Message)
		assert.Equal(t, fmt.Sprintf(`ReplicaSet "%s" has successfully progressed.`, sets(c)[0].Name),
			conditions[1].Message)
		assert.Equal(t, d.CreationTimestamp, conditions[1].LastTransitionTime,
			"it has been true all the while")
		assert.True(t, conditions[1].LastUpdateTime.After(d.CreationTimestamp.Time))
	})
}

func TestADeploymentWithoutADeadlineDoesNotSayWhetherItProgresses(t *testing.T) {
	in(t, everything, func(c *kubetest.Cluster) {
		d := recreated("web", 1)
		d.Spec.ProgressDeadlineSeconds = new(int32(2147483647))
		d = kubetest.Create(c, d)
		c.Advance(5 * time.Second)
		assert.Nil(t, deployment.FindCondition(
			new(kubetest.Get(c, d).Status), appsv1.DeploymentProgressing))
		kubetest.Edit(c, d, func(d *appsv1.Deployment) { d.Spec.ProgressDeadlineSeconds = new(int32(60)) })
		c.Settle()
		found := deployment.FindCondition(new(kubetest.Get(c, d).Status), appsv1.DeploymentProgressing)
		require.NotNil(t, found)
		assert.Equal(t, "NewReplicaSetAvailable", found.Reason)
	})
}

func TestWhatKeepsAReplicaSetFromItsPodsIsSaidOnTheDeployment(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "create" && call.Kind.Kind == "Pod" {
				return forbidden()
			}
			return nil
		})
		d := kubetest.Create(c, recreated("web", 2))
		c.Settle()
		failure := deployment.FindCondition(
			new(kubetest.Get(c, d).Status), appsv1.DeploymentReplicaFailure)
		require.NotNil(t, failure)
		assert.Equal(t, "FailedCreate", failure.Reason)
		assert.Equal(t, `pods "web-x" is forbidden: exceeded quota`, failure.Message)
		assert.EqualValues(t, 2, kubetest.Get(c, d).Status.UnavailableReplicas,
			"what is wanted and not there is missed")
		c.Client.Fail(nil)
		c.Advance(time.Second)
		assert.Nil(t, deployment.FindCondition(
			new(kubetest.Get(c, d).Status), appsv1.DeploymentReplicaFailure))
		assert.Len(t, c.Pods(), 2)
	})
}

func TestAReplicaSetThatCannotBeMadeIsToldOf(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "create" {
				return errors.New("no")
			}
			return nil
		})
		d := kubetest.Create(c, recreated("web", 1))
		c.Settle()
		message := fmt.Sprintf(`Failed to create new replica set "web-%s": no`, hashOf(d, nil))
		progressing := deployment.FindCondition(
			new(kubetest.Get(c, d).Status), appsv1.DeploymentProgressing)
		require.NotNil(t, progressing)
		assert.Equal(t, corev1.ConditionFalse, progressing.Status)
		assert.Equal(t, "ReplicaSetCreateError", progressing.Reason)
		assert.Equal(t, message, progressing.Message)
		assert.Contains(t, c.Events(),
			"Warning ReplicaSetCreateError deployment-controller: "+message)
		c.Client.Fail(nil)
		c.Advance(time.Second)
		assert.Len(t, c.Pods(), 1)
	})
}

func TestInANamespaceThatIsBeingDeletedADeploymentStops(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		tries := 0
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb != "create" {
				return nil
			}
			tries++
			return terminating()
		})
		d := kubetest.Create(c, recreated("web", 1))
		c.Advance(time.Minute)
		assert.Equal(t, 1, tries)
		assert.Empty(t, c.Events())
		assert.Empty(t, kubetest.Get(c, d).Status.Conditions)
	})
}

func TestADeploymentThatIsBeingDeletedCountsWhatIsLeftAndDoesNothing(t *testing.T) {
	in(t, everything, func(c *kubetest.Cluster) {
		d := recreated("web", 2)
		d.Finalizers = []string{"example.com/hold"}
		d = kubetest.Create(c, d)
		c.Advance(5 * time.Second)
		remove(t, c, d)
		setImage(c, d, "nginx:1.28")
		c.Advance(5 * time.Second)
		require.Len(t, sets(c), 1)
		scale(c, sets(c)[0], 1)
		c.Advance(5 * time.Second)
		is := kubetest.Get(c, d)
		assert.EqualValues(t, 1, is.Status.Replicas)
		assert.Equal(t, is.Generation, is.Status.ObservedGeneration)
		progressing := deployment.FindCondition(&is.Status, appsv1.DeploymentProgressing)
		assert.Equal(t, "NewReplicaSetAvailable", progressing.Reason, "fewer Pods are no progress now")
	})
}

func TestSetConditionKeepsTheTimeOfTheLastTransition(t *testing.T) {
	in(t, kubetest.Setup{}, func(c *kubetest.Cluster) {
		var status appsv1.DeploymentStatus
		set := func(value corev1.ConditionStatus, reason string) appsv1.DeploymentCondition {
			c.Advance(time.Minute)
			deployment.SetCondition(&status, "Available", value, reason, c.Elapsed().String())
			return *deployment.FindCondition(&status, "Available")
		}
		first := set("True", "Enough")
		assert.Equal(t, first.LastTransitionTime, first.LastUpdateTime)
		assert.Equal(t, first, set("True", "Enough"), "it says the same, so it stays, message and all")
		second := set("True", "MoreThanEnough")
		assert.Equal(t, first.LastTransitionTime, second.LastTransitionTime)
		assert.NotEqual(t, first.LastUpdateTime, second.LastUpdateTime)
		third := set("False", "MoreThanEnough")
		assert.NotEqual(t, first.LastTransitionTime, third.LastTransitionTime)
		deployment.SetCondition(&status, "Progressing", "True", "Moving", "")
		set("True", "Enough")
		require.Len(t, status.Conditions, 2)
		assert.EqualValues(t, "Available", status.Conditions[1].Type, "what is news stands last")
	})
}

func TestWhatIsProgressAndWhatIsNot(t *testing.T) {
	status := func(replicas, updated, ready, available int32) appsv1.DeploymentStatus {
		return appsv1.DeploymentStatus{
			Replicas: replicas, UpdatedReplicas: updated,
			ReadyReplicas: ready, AvailableReplicas: available,
		}
	}
	was := status(8, 3, 6, 4)
	for name, test := range map[string]struct {
		is   appsv1.DeploymentStatus
		want bool
	}{
		"nothing":                   {was, false},
		"a new Pod":                 {status(9, 4, 6, 4), true},
		"an old Pod fewer":          {status(7, 3, 6, 4), true},
		"one more is ready":         {status(8, 3, 7, 4), true},
		"one more is available":     {status(8, 3, 6, 5), true},
		"a new Pod fewer":           {status(7, 2, 6, 4), false},
		"an old Pod more":           {status(9, 3, 6, 4), false},
		"one less is ready":         {status(8, 3, 5, 4), false},
		"one less is available":     {status(8, 3, 6, 3), false},
		"a new one, and all broken": {status(9, 4, 0, 0), true},
	} {
		assert.Equal(t, test.want, deployment.Moved(was, test.is), name)
	}
}
