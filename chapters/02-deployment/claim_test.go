package deployment_test

import (
	"errors"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// object returns a Pod with all that a verdict depends on: its owner, its
// labels, and whether it is on its way out.
func object(owner types.UID, app string, leaving bool) *corev1.Pod {
	pod := kubetest.Pod("web-0")
	pod.Labels = map[string]string{"app": app}
	if owner != "" {
		pod.OwnerReferences = []metav1.OwnerReference{{
			Kind: "ReplicaSet", Name: "web", UID: owner, Controller: new(true),
		}}
	}
	if leaving {
		pod.DeletionTimestamp = new(metav1.Now())
	}
	return pod
}

// judge returns the verdict of the ReplicaSet web, whose uid is "ours", on obj.
func judge(obj *corev1.Pod, leaving bool) string {
	owner := replicaSet("web", 1)
	owner.UID = "ours"
	if leaving {
		owner.DeletionTimestamp = new(metav1.Now())
	}
	return deployment.Judge(owner, *owner.Spec.Selector, obj)
}

// Every combination of the owner, the labels, and what is on the way
// out.
//
//book:exercise 2a
func TestJudge(t *testing.T) {
	for _, c := range []struct {
		name           string
		owner          types.UID
		app            string
		leaving, dying bool // the object, the owner
		want           string
	}{
		{"nobody's and selected is adopted", "", "web", false, false, "adopt"},
		{"nobody's and of other labels is ignored", "", "db", false, false, "ignore"},
		{"ours and selected is kept", "ours", "web", false, false, "keep"},
		{"ours and selected no more is released", "ours", "db", false, false, "release"},
		{"another's and selected is ignored", "theirs", "web", false, false, "ignore"},
		{"what leaves is not adopted", "", "web", true, false, "ignore"},
		{"what leaves is kept while it is selected", "ours", "web", true, false, "keep"},
		{"what leaves is released like any other", "ours", "db", true, false, "release"},
		{"who leaves adopts nothing", "", "web", false, true, "ignore"},
		{"who leaves releases nothing", "ours", "db", false, true, "ignore"},
		{"who leaves keeps what it has", "ours", "web", false, true, "keep"},
	} {
		t.Run(c.name, func(t *testing.T) {
			assert.Equal(t, c.want, judge(object(c.owner, c.app, c.leaving), c.dying))
		})
	}
}

// However well the labels fit.
//
//book:exercise 2a
func TestJudgeIgnoresWhatAnotherControls(t *testing.T) {
	require.Equal(t, "keep", judge(object("ours", "web", false), false))
	for _, app := range []string{"web", "db"} {
		for _, leaving := range []bool{false, true} {
			for _, dying := range []bool{false, true} {
				assert.Equal(t, "ignore", judge(object("theirs", app, leaving), dying),
					"app=%s, leaving %t, owner leaving %t", app, leaving, dying)
			}
		}
	}
}

// A uid is an identity. Another object may have the name now.
//
//book:exercise 2a
func TestJudgeKnowsAnOwnerByUIDAndNotByName(t *testing.T) {
	predecessor := object("an older web", "web", false)
	require.Equal(t, "web", metav1.GetControllerOf(predecessor).Name)
	require.Equal(t, "keep", judge(object("ours", "web", false), false))
	assert.Equal(t, "ignore", judge(predecessor, false))
}

// Of several owners, one controls.
//
//book:exercise 2a
func TestJudgeAsksWhoControlsAndNotWhoOwns(t *testing.T) {
	pod := object("", "web", false)
	pod.OwnerReferences = []metav1.OwnerReference{
		{Kind: "ConfigMap", Name: "web", UID: "another"},
		{Kind: "ReplicaSet", Name: "web", UID: "ours", Controller: new(false)},
	}
	assert.Equal(t, "adopt", judge(pod, false), "nobody controls it")
	pod.OwnerReferences = append(pod.OwnerReferences, metav1.OwnerReference{
		Kind: "ReplicaSet", Name: "db", UID: "theirs", Controller: new(true),
	})
	assert.Equal(t, "ignore", judge(pod, false), "the last of its owners controls it")
}

func TestAPodThatNobodyOwnsIsAdopted(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		bare := kubetest.Pod("bare")
		bare.Labels["app"] = "web"
		kubetest.Create(c, bare)
		rs := kubetest.Create(c, replicaSet("web", 3))
		c.Settle()
		require.Len(t, c.Pods(), 3, "one of three was there already")
		assert.Equal(t, []metav1.OwnerReference{{
			APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: rs.UID,
			Controller: new(true), BlockOwnerDeletion: new(true),
		}}, c.Pod("bare").OwnerReferences)
		assert.EqualValues(t, 3, kubetest.Get(c, rs).Status.Replicas)
		c.AssertQuiet(0)
	})
}

// One owner has one reference, whether or not it controlled before.
func TestWhoOwnsAndAdoptsHasOneReference(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		rs := kubetest.Create(c, replicaSet("web", 1))
		c.Settle()
		require.Len(t, c.Pods(), 1)
		kubetest.Edit(c, c.Pods()[0], func(p *corev1.Pod) {
			p.OwnerReferences[0].Controller = new(false)
		})
		c.Settle()
		require.Len(t, c.Pods(), 1, "there were two where one is wanted")
		assert.Equal(t, []metav1.OwnerReference{{
			APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: rs.UID,
			Controller: new(true), BlockOwnerDeletion: new(true),
		}}, c.Pods()[0].OwnerReferences)
	})
}

func TestAnOrphanThatComesToBeSelectedIsAdopted(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		kubetest.Create(c, replicaSet("web", 1))
		bare := kubetest.Create(c, kubetest.Pod("bare"))
		c.Settle()
		require.Empty(t, c.Pod("bare").OwnerReferences)
		kubetest.Edit(c, bare, func(p *corev1.Pod) { p.Labels["app"] = "web" })
		c.Settle()
		require.Len(t, c.Pods(), 1, "there were two where one is wanted")
	})
}

// Of three that select an orphan two are on their way out, and adopt nothing.
func TestAllWhoMightAdoptAnOrphanAreWoken(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		middle := kubetest.Create(c, replicaSet("m", 1))
		for _, name := range []string{"a", "z"} {
			rs := replicaSet(name, 0)
			rs.Spec.Selector, rs.Spec.Template = middle.Spec.Selector, middle.Spec.Template
			rs.Finalizers = []string{"example.com/hold"}
			remove(t, c, kubetest.Create(c, rs))
		}
		c.Settle()
		bare := kubetest.Pod("bare")
		bare.Labels = middle.Spec.Template.Labels
		kubetest.Create(c, bare)
		c.Settle()
		require.Len(t, c.Pods(), 1, "there were two where one is wanted")
	})
}

func TestAPodWhoseLabelsNoLongerFitIsReleasedAndReplaced(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		rs := kubetest.Create(c, replicaSet("web", 3))
		c.Settle()
		strange := c.Pods()[0]
		kubetest.Edit(c, strange, func(p *corev1.Pod) { p.Labels["app"] = "suspect" })
		c.Settle()
		require.Len(t, c.Pods(), 4)
		assert.Empty(t, c.Pod(strange.Name).OwnerReferences)
		assert.EqualValues(t, 3, kubetest.Get(c, rs).Status.Replicas)
		assert.Equal(t, strange.UID, c.Pod(strange.Name).UID, "it runs on, alone")
		c.AssertQuiet(0)
	})
}

func TestAPodThatCannotBeReleasedIsTriedAgainAndNotReplaced(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		kubetest.Create(c, replicaSet("web", 3))
		c.Settle()
		strange := c.Pods()[0]
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "update" {
				return io.ErrUnexpectedEOF
			}
			return nil
		})
		var told error
		c.Controller("replicaset").OnError = func(_ key, err error) { told = err }
		kubetest.Edit(c, strange, func(p *corev1.Pod) { p.Labels["app"] = "suspect" })
		c.Settle()
		require.EqualError(t, told, "release shop/"+strange.Name+": unexpected EOF")
		require.ErrorIs(t, told, io.ErrUnexpectedEOF)
		require.Len(t, c.Pods(), 3)
		c.Client.Fail(nil)
		c.Advance(time.Second)
		assert.Empty(t, c.Pod(strange.Name).OwnerReferences)
		assert.Len(t, c.Pods(), 4)
	})
}

func TestAPodThatGoesWhileItIsReleasedIsForgiven(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		kubetest.Create(c, replicaSet("web", 3))
		c.Settle()
		strange := c.Pods()[0]
		c.Controller("replicaset").OnError = func(_ key, err error) { assert.NoError(t, err) }
		kubetest.Edit(c, strange, func(p *corev1.Pod) { p.Labels["app"] = "suspect" })
		meanwhile(c, "update", "Pod", func() { remove(t, c, strange) })
		c.Settle()
		assert.Len(t, c.Pods(), 3)
	})
}

// Two ReplicaSets of the same selector: a mistake that people make.
func TestTwoReplicaSetsOfOneSelectorLeaveEachOthersPodsAlone(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		a := kubetest.Create(c, replicaSet("web", 3))
		twin := replicaSet("twin", 2)
		twin.Spec.Selector, twin.Spec.Template = a.Spec.Selector, a.Spec.Template
		b := kubetest.Create(c, twin)
		c.Settle()
		require.Len(t, c.Pods(), 5)
		scale(c, a, 0)
		c.Settle()
		require.Len(t, c.Pods(), 2)
		for _, pod := range c.Pods() {
			assert.True(t, metav1.IsControlledBy(pod, b), pod.Name)
		}
	})
}

func TestTheSecondOfTwoThatWouldAdoptFindsItTaken(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		bare := kubetest.Pod("bare")
		bare.Labels["app"] = "web"
		kubetest.Create(c, bare)
		a := kubetest.Create(c, replicaSet("web", 1))
		twin := replicaSet("twin", 1)
		twin.Spec.Selector, twin.Spec.Template = a.Spec.Selector, a.Spec.Template
		kubetest.Create(c, twin)
		c.Settle()
		require.Len(t, c.Pods(), 2)
		assert.Len(t, c.Pod("bare").OwnerReferences, 1)
	})
}

// A cache's word about the owner is not enough to adopt by.
func TestNothingIsAdoptedInTheNameOfTheDead(t *testing.T) {
	bare := kubetest.Pod("bare")
	bare.Labels["app"] = "web"
	holding := replicaSet("web", 1)
	holding.Finalizers = []string{"example.com/hold"}
	for _, owner := range []*appsv1.ReplicaSet{replicaSet("web", 1), holding} {
		in(t, replicaSets, func(c *kubetest.Cluster) {
			kubetest.Create(c, bare)
			rs := kubetest.Create(c, owner)
			meanwhile(c, "get", "ReplicaSet", func() { remove(t, c, rs) })
			c.Settle()
			assert.Empty(t, c.Pod("bare").OwnerReferences)
			assert.Len(t, c.Pods(), 1)
		})
	}
}

func TestNothingIsAdoptedInTheNameOfAPredecessor(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		bare := kubetest.Pod("bare")
		bare.Labels["app"] = "web"
		kubetest.Create(c, bare)
		old := kubetest.Create(c, replicaSet("web", 1))
		var young *appsv1.ReplicaSet
		var told []error
		c.Controller("replicaset").OnError = func(_ key, err error) { told = append(told, err) }
		meanwhile(c, "get", "ReplicaSet", func() {
			remove(t, c, old)
			young = kubetest.Create(c, replicaSet("web", 1))
		})
		c.Settle()
		require.NotNil(t, young)
		assert.True(t, metav1.IsControlledBy(c.Pod("bare"), young))
		require.Len(t, told, 1)
		assert.ErrorContains(t, told[0], "original ReplicaSet shop/web is gone: got uid "+
			string(young.UID)+", wanted "+string(old.UID))
	})
}

func TestWhatIsAskedBeforeAdoptingIsAskedOnceALook(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		for _, name := range []string{"a", "b", "c"} {
			bare := kubetest.Pod(name)
			bare.Labels["app"] = "web"
			kubetest.Create(c, bare)
		}
		kubetest.Create(c, replicaSet("web", 3))
		asked := 0
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "get" {
				asked++
			}
			return nil
		})
		c.Settle()
		assert.Len(t, c.Pods(), 3)
		assert.Equal(t, 1, asked)
	})
}

func TestAPodThatGoesWhileItIsAdoptedIsForgiven(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		bare := kubetest.Pod("bare")
		bare.Labels["app"] = "web"
		kubetest.Create(c, bare)
		kubetest.Create(c, replicaSet("web", 1))
		c.Controller("replicaset").OnError = func(_ key, err error) {
			t.Errorf("there is nothing wrong with that: %v", err)
		}
		meanwhile(c, "update", "Pod", func() { c.DeletePod("bare", kubetest.Grace(0)) })
		c.Settle()
		require.Len(t, c.Pods(), 1)
		assert.NotEqual(t, "bare", c.Pods()[0].Name)
	})
}

func TestAPodThatChangedSinceItWasReadIsJudgedAgain(t *testing.T) {
	in(t, replicaSets, func(c *kubetest.Cluster) {
		bare := kubetest.Pod("bare")
		bare.Labels["app"] = "web"
		stored := kubetest.Create(c, bare)
		kubetest.Create(c, replicaSet("web", 1))
		var told []error
		c.Controller("replicaset").OnError = func(_ key, err error) { told = append(told, err) }
		meanwhile(c, "update", "Pod", func() {
			kubetest.Edit(c, stored, func(p *corev1.Pod) { p.Labels["app"] = "mine" })
		})
		c.Settle()
		require.Len(t, told, 1)
		assert.True(t, apierrors.IsConflict(errors.Unwrap(told[0])), "%v", told[0])
		assert.Empty(t, c.Pod("bare").OwnerReferences)
		assert.Len(t, c.Pods(), 2)
	})
}

// A Deployment claims ReplicaSets by the same rules.
func TestADeploymentAdoptsAReplicaSetOfItsTemplateAndCallsItNew(t *testing.T) {
	in(t, deployments, func(c *kubetest.Cluster) {
		first := kubetest.Create(c, recreated("web", 2))
		c.Settle()
		require.NotEmpty(t, sets(c))
		left := sets(c)[0]
		pods := c.Pods()
		kubetest.Edit(c, left, func(rs *appsv1.ReplicaSet) { rs.OwnerReferences = nil })
		c.Settle()
		assert.True(t, metav1.IsControlledBy(kubetest.Get(c, left), first))
		assert.Len(t, sets(c), 1)
		assert.Equal(t, pods, c.Pods(), "not one of the Pods was touched")
	})
}
