package greeting_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	greeting "reconcile/chapters/07-mysql-cluster/exercises/7m"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// all returns the kinds of the chapters up to the one that updates Deployments.
func all() controlloop.Kinds {
	return controlloop.CoreKinds().With(deployment.Kinds()...).With(rollingupdate.Kinds()...)
}

// in runs a test in a cluster that fills in and refuses what Kubernetes does,
// with the controllers of Deployments and ReplicaSets and the collector beside
// the one of Greetings.
func in(t *testing.T, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(kubetest.New(t, kubetest.Setup{
			Kinds: all(), Namespace: "shop", DetectMutations: true,
			Controllers: []kubetest.Controller{
				greeting.New, rollingupdate.NewDeployments, deployment.NewReplicaSets,
				func(s *controlloop.System) *controlloop.Controller {
					return deployment.NewCollector(s, controlloop.CoreKinds().With(deployment.Kinds()...))
				},
			},
		}))
	})
}

// alone runs a test on the controller of Greetings and no other: what a Deployment
// says becomes no Pods.
func alone(t *testing.T, test func(c *kubetest.Cluster)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		test(kubetest.New(t, kubetest.Setup{
			Kinds: all(), Namespace: "shop", DetectMutations: true,
			Controllers: []kubetest.Controller{greeting.New},
		}))
	})
}

func hello(replicas, text string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Name:   "hello",
			Labels: map[string]string{greeting.KindLabel: "Greeting"},
		},
		Data: map[string]string{"replicas": replicas, "text": text},
	}
}

// made returns the Deployment of that name, or nil.
func made(c *kubetest.Cluster) *appsv1.Deployment {
	for _, d := range kubetest.All[*appsv1.Deployment](c, deployment.DeploymentKind) {
		if d.Name == "hello" {
			return d
		}
	}
	return nil
}

// said is what a Deployment says, and how many of it.
func said(t *testing.T, c *kubetest.Cluster) (string, int32) {
	t.Helper()
	d := made(c)
	require.NotNil(t, d, "there is no Deployment hello")
	return d.Spec.Template.Annotations[greeting.TextAnnotation], *d.Spec.Replicas
}

func saysNow(t *testing.T, c *kubetest.Cluster, text string, replicas int32, why string) {
	t.Helper()
	isText, are := said(t, c)
	assert.Equal(t, text, isText, why)
	assert.Equal(t, replicas, are, why)
}

// keeper returns the controller of the Deployment, or nil.
func keeper(t *testing.T, c *kubetest.Cluster) *metav1.OwnerReference {
	t.Helper()
	d := made(c)
	require.NotNil(t, d, "there is no Deployment hello")
	return metav1.GetControllerOf(d)
}

func edit(c *kubetest.Cluster, change func(cm *corev1.ConfigMap)) {
	kubetest.Edit(c, hello("", ""), change)
}

func editMade(c *kubetest.Cluster, change func(d *appsv1.Deployment)) {
	kubetest.Edit(c, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Name: "hello"}}, change)
}

// warned returns the warnings about Greetings.
func warned(c *kubetest.Cluster) []string {
	return slices.DeleteFunc(c.Events(), func(e string) bool {
		return !strings.HasPrefix(e, "Warning ") || !strings.Contains(e, "greeting-controller")
	})
}

// strangers is a Deployment of the same name that has nothing to do with it.
func strangers() *appsv1.Deployment {
	says := map[string]string{"app": "shop"}
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Name: "hello", Labels: says}}
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: says}
	d.Spec.Template.Labels = says
	d.Spec.Template.Spec = kubetest.Pod("", kubetest.Container("shop", "shop:1")).Spec
	d.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyAlways
	return d
}

//book:exercise 7m
func TestAGreetingHasADeployment(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		cm := kubetest.Create(c, hello("3", "hi"))
		other := hello("1", "not meant")
		other.Name, other.Labels = "other", nil
		kubetest.Create(c, other)
		c.Settle()
		saysNow(t, c, "hi", 3, "")
		assert.True(t, metav1.IsControlledBy(made(c), cm), "the ConfigMap owns it")
		assert.Equal(t, greeting.Image, made(c).Spec.Template.Spec.Containers[0].Image)
		assert.Len(t, c.Pods(), 3)
		assert.Len(t, kubetest.All[*appsv1.Deployment](c, deployment.DeploymentKind), 1,
			"a ConfigMap without the label is none of ours")
	})
}

//book:exercise 7m
func TestTheDeploymentFollowsEachChange(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, hello("3", "hi"))
		c.Settle()
		require.NotNil(t, made(c), "there is no Deployment hello")
		edit(c, func(cm *corev1.ConfigMap) { cm.Data["replicas"] = "0" })
		c.Settle()
		saysNow(t, c, "hi", 0, "0 is a number of replicas")
		edit(c, func(cm *corev1.ConfigMap) { cm.Data["text"], cm.Data["replicas"] = "ahoy", "2" })
		c.Settle()
		saysNow(t, c, "ahoy", 2, "")
		editMade(c, func(d *appsv1.Deployment) {
			d.Spec.Replicas = new(int32(7))
			d.Spec.Template.Spec.Containers[0].Image = "nginx:0.1"
		})
		c.Settle()
		saysNow(t, c, "ahoy", 2, "what people change in the Deployment is changed back")
		assert.Equal(t, greeting.Image, made(c).Spec.Template.Spec.Containers[0].Image)
	})
}

// A collector and the owner reference do this.
//
//book:exercise 7m
func TestTheDeploymentGoesWithItsGreeting(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, hello("3", "hi"))
		c.Settle()
		require.NotNil(t, made(c), "there is no Deployment hello")
		background := metav1.DeletePropagationBackground
		require.NoError(t, c.Store.Delete(t.Context(), greeting.ConfigMapKind, c.Named("hello"),
			metav1.DeleteOptions{PropagationPolicy: &background}))
		c.Settle()
		assert.Nil(t, made(c))
	})
}

// What others write into the Deployment is theirs: the server's defaults, the
// other controller's revision, a colleague's pause.
//
//book:exercise 7m
func TestWhatOthersHaveWrittenStays(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, hello("3", "hi"))
		c.Settle()
		require.NotNil(t, made(c), "there is no Deployment hello")
		editMade(c, func(d *appsv1.Deployment) {
			d.Spec.Paused = true
			d.Labels["team"] = "ada"
			d.Spec.Template.Spec.Containers[0].ImagePullPolicy = corev1.PullAlways
			d.Spec.Template.Annotations["team"] = "ada"
			d.Spec.Template.Spec.Containers = append([]corev1.Container{
				kubetest.Container("beside", "busybox:1.36")}, d.Spec.Template.Spec.Containers...)
		})
		c.Settle()
		edit(c, func(cm *corev1.ConfigMap) { cm.Data["replicas"] = "4" })
		c.Settle()
		saysNow(t, c, "hi", 4, "")
		d := made(c)
		assert.True(t, d.Spec.Paused)
		assert.Equal(t, "ada", d.Labels["team"])
		assert.NotEmpty(t, d.Annotations["deployment.kubernetes.io/revision"])
		assert.Equal(t, "ada", d.Spec.Template.Annotations["team"])
		require.Len(t, d.Spec.Template.Spec.Containers, 2, "the first container is another's")
		assert.Equal(t, "busybox:1.36", d.Spec.Template.Spec.Containers[0].Image)
		assert.Equal(t, greeting.Image, d.Spec.Template.Spec.Containers[1].Image)
		assert.Equal(t, corev1.PullAlways, d.Spec.Template.Spec.Containers[1].ImagePullPolicy)
		editMade(c, func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[1].Image = "nginx:0.1" })
		c.Settle()
		assert.Equal(t, greeting.Image, made(c).Spec.Template.Spec.Containers[1].Image,
			"the container counts that has the name, wherever it stands")
	})
}

// The server has filled in what it fills in, and a look at that is no reason to
// write.
//
//book:exercise 7m
func TestOnceAllIsWellNothingIsWritten(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, hello("3", "hi"))
		c.Settle()
		require.NotNil(t, made(c), "there is no Deployment hello")
		c.AssertQuiet(time.Minute)
	})
}

//book:exercise 7m
func TestADeploymentOfSomebodyElseIsLeftAlone(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		theirs := kubetest.Create(c, strangers())
		c.Settle()
		kubetest.Create(c, hello("3", "hi"))
		c.Settle()
		assert.Equal(t, theirs.Spec, made(c).Spec)
		assert.Nil(t, keeper(t, c), "a name is no claim")
		assert.NotEmpty(t, warned(c), "and nobody was told")
		tried := c.Client.Writes()
		c.Advance(time.Minute)
		assert.Equal(t, tried, c.Client.Writes(), "nothing that could be tried again would help")
		require.NoError(t, c.Store.Delete(t.Context(), deployment.DeploymentKind,
			c.Named("hello"), metav1.DeleteOptions{}))
		c.Settle()
		saysNow(t, c, "hi", 3, "the name is free now")
	})
}

//book:exercise 7m
func TestReplicasThatAreNoNumberWaitForAPerson(t *testing.T) {
	for _, replicas := range []string{"three", "-1", "99999999999", ""} {
		alone(t, func(c *kubetest.Cluster) {
			kubetest.Create(c, hello("3", "hi"))
			c.Settle()
			edit(c, func(cm *corev1.ConfigMap) { cm.Data["replicas"], cm.Data["text"] = replicas, "ahoy" })
			c.Settle()
			saysNow(t, c, "hi", 3, fmt.Sprintf("data.replicas is %q: what was right before stays as it is", replicas))
			assert.NotEmpty(t, warned(c), "and nobody was told")
			told := len(warned(c))
			c.Advance(time.Minute)
			assert.Len(t, warned(c), told, "it is not looked at again until it changes")
			_, retried := c.Controller("greeting").Queue.NextDue()
			assert.False(t, retried, "an error that no retry will mend is retried for ever")
			edit(c, func(cm *corev1.ConfigMap) { cm.Data["replicas"] = "2" })
			c.Settle()
			saysNow(t, c, "ahoy", 2, "it was mended")
		})
	}
}

// Without its label the ConfigMap is no Greeting. Its Deployment runs on, and
// is nobody's; with the label back it is adopted.
//
//book:exercise 7m
func TestADeploymentIsReleasedWithTheLabelAndAdoptedWithIt(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		cm := kubetest.Create(c, hello("3", "hi"))
		c.Settle()
		require.NotNil(t, made(c), "there is no Deployment hello")
		edit(c, func(cm *corev1.ConfigMap) {
			delete(cm.Labels, greeting.KindLabel)
			cm.Data["replicas"] = "whatever" // which is nobody's business now
		})
		c.Settle()
		assert.Empty(t, warned(c))
		require.NotNil(t, made(c), "what people use is not deleted for a label's sake")
		assert.Nil(t, keeper(t, c), "it is released")
		edit(c, func(cm *corev1.ConfigMap) { cm.Data["text"], cm.Data["replicas"] = "ahoy", "3" })
		c.Settle()
		saysNow(t, c, "hi", 3, "it is not ours any more")
		edit(c, func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{greeting.KindLabel: "Greeting"} })
		c.Settle()
		assert.True(t, metav1.IsControlledBy(made(c), cm), "it is adopted")
		saysNow(t, c, "ahoy", 3, "")
	})
}

// The owner lets go of it on purpose. A controller whose cache is late takes it
// back in the owner's name, and the collector deletes it with the owner.
//
//book:exercise 7m
func TestADeploymentThatIsOrphanedSurvives(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, hello("3", "hi"))
		c.Settle()
		require.NotNil(t, made(c), "there is no Deployment hello")
		late := &greeting.Greetings{
			Client: c.Client, ConfigMaps: controlloop.NewIndexer(), Deployments: controlloop.NewIndexer(),
			Recorder: c.System.RecorderFor("greeting-controller", ""),
		}
		late.ConfigMaps.Put(kubetest.Get(c, hello("", "")))
		orphan := metav1.DeletePropagationOrphan
		require.NoError(t, c.Store.Delete(t.Context(), greeting.ConfigMapKind, c.Named("hello"),
			metav1.DeleteOptions{PropagationPolicy: &orphan}))
		c.Settle()
		late.Deployments.Put(made(c))
		_, _ = late.Reconcile(t.Context(), c.Named("hello"))
		c.Settle()
		require.NotNil(t, made(c), "it was adopted in the name of the dead")
		assert.Nil(t, keeper(t, c), "it was let go")
	})
}

// The server is full for a moment.
//
//book:exercise 7m
func TestACreateThatIsRefusedIsTriedAgain(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		refused := false
		c.Client.Fail(func(call kubetest.Call) error {
			if refused || call.Verb != "create" || call.Kind != deployment.DeploymentKind {
				return nil
			}
			refused = true
			return apierrors.NewTooManyRequests("later", 1)
		})
		kubetest.Create(c, hello("3", "hi"))
		c.Advance(time.Minute)
		require.True(t, refused, "nothing was created")
		saysNow(t, c, "hi", 3, "the next try goes through")
	})
}

// Whichever call is refused, once, and nothing else happens: a minute later all is
// well.
//
//book:exercise 7m
func TestACallThatIsRefusedOnceIsMadeGoodWithinAMinute(t *testing.T) {
	for _, verb := range []string{"get", "create", "update"} {
		for n, refused := 1, true; refused && n < 20; n++ {
			alone(t, func(c *kubetest.Cluster) {
				call := c.Client.FailNth(verb, n)
				why := fmt.Sprintf("a minute after it, with %s number %d refused", verb, n)
				cm := kubetest.Create(c, hello("3", "hi"))
				c.Advance(time.Minute)
				saysNow(t, c, "hi", 3, why)
				edit(c, func(cm *corev1.ConfigMap) { cm.Data["text"], cm.Data["replicas"] = "ahoy", "2" })
				c.Advance(time.Minute)
				saysNow(t, c, "ahoy", 2, why)
				editMade(c, func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(7)) })
				c.Advance(time.Minute)
				saysNow(t, c, "ahoy", 2, why)
				edit(c, func(cm *corev1.ConfigMap) { delete(cm.Labels, greeting.KindLabel) })
				c.Advance(time.Minute)
				assert.Nil(t, keeper(t, c), "released, "+why)
				edit(c, func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{greeting.KindLabel: "Greeting"} })
				c.Advance(time.Minute)
				assert.True(t, metav1.IsControlledBy(made(c), cm), "adopted, "+why)
				assert.Empty(t, warned(c), why)
				_, refused = call()
			})
		}
	}
}

// Letting go and taking in are writes, and may be refused.
//
//book:exercise 7m
func TestAReleaseThatIsRefusedIsTriedAgain(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		cm := kubetest.Create(c, hello("3", "hi"))
		c.Settle()
		require.NotNil(t, made(c), "there is no Deployment hello")
		refuse := func() {
			refused := false
			c.Client.Fail(func(call kubetest.Call) error {
				if refused || call.Verb != "update" || call.Kind != deployment.DeploymentKind {
					return nil
				}
				refused = true
				return apierrors.NewTooManyRequests("later", 1)
			})
		}
		refuse()
		edit(c, func(cm *corev1.ConfigMap) { delete(cm.Labels, greeting.KindLabel) })
		c.Advance(time.Minute)
		require.Nil(t, keeper(t, c), "it is released")
		refuse()
		edit(c, func(cm *corev1.ConfigMap) { cm.Labels = map[string]string{greeting.KindLabel: "Greeting"} })
		c.Advance(time.Minute)
		assert.True(t, metav1.IsControlledBy(made(c), cm), "it is adopted")
	})
}

// A finalizer holds the ConfigMap, which is on its way out.
//
//book:exercise 7m
func TestAGreetingThatIsBeingDeletedGetsNoDeployment(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		cm := hello("3", "hi")
		cm.Finalizers = []string{"example.com/hold"}
		kubetest.Create(c, cm)
		c.Settle()
		require.NotNil(t, made(c), "there is no Deployment hello")
		require.NoError(t, c.Store.Delete(t.Context(), greeting.ConfigMapKind,
			c.Named("hello"), metav1.DeleteOptions{}))
		c.Settle()
		require.NoError(t, c.Store.Delete(t.Context(), deployment.DeploymentKind,
			c.Named("hello"), metav1.DeleteOptions{}))
		c.Settle()
		assert.Nil(t, made(c), "what leaves needs nothing new")
	})
}

// The Deployment is made, and the answer says 500. The cache has not heard.
//
//book:exercise 7m
func TestAnAnswerThatIsLostMakesNoStranger(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		c.Client.Late(time.Second)
		first := true
		c.Client.LoseAnswers(func(call kubetest.Call) bool {
			lost := first && call.Verb == "create" && call.Kind == deployment.DeploymentKind
			first = first && !lost
			return lost
		})
		cm := kubetest.Create(c, hello("3", "hi"))
		c.Advance(time.Minute)
		saysNow(t, c, "hi", 3, "")
		assert.True(t, metav1.IsControlledBy(made(c), cm))
		assert.Empty(t, warned(c), "it is ours; the cache was late")
		edit(c, func(cm *corev1.ConfigMap) { cm.Data["text"] = "ahoy" })
		c.Advance(time.Minute)
		saysNow(t, c, "ahoy", 3, "")
	})
}

// Two changes within the time that an event takes, and a server that refuses
// what is made of an old copy.
//
//book:exercise 7m
func TestWhatIsRefusedOrLateIsMadeGood(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Create(c, hello("3", "hi"))
		c.Settle()
		require.NotNil(t, made(c), "there is no Deployment hello")
		c.Client.Late(time.Second)
		for _, text := range []string{"ahoy", "moin", "servus"} {
			edit(c, func(cm *corev1.ConfigMap) { cm.Data["text"] = text })
			editMade(c, func(d *appsv1.Deployment) { d.Labels["touched"] = text })
			c.Advance(900 * time.Millisecond)
		}
		c.Advance(time.Minute)
		saysNow(t, c, "servus", 3, "")
		assert.Equal(t, "servus", made(c).Labels["touched"], "an old copy was written over it")
		assert.Empty(t, warned(c))
	})
}
