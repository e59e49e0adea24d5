package home_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	statefulset "reconcile/chapters/04-statefulset"
	home "reconcile/chapters/04-statefulset/exercises/4g"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// next keeps the other belongings of the set's Pods.
type next struct {
	kept  []string // the Pods it was asked about
	wrong error
}

func (n *next) Equip(_ context.Context, _ *appsv1.StatefulSet, pod *corev1.Pod) error {
	metav1.SetMetaDataAnnotation(&pod.ObjectMeta, "next.example/equipped", "yes")
	return n.wrong
}

func (n *next) Keep(_ context.Context, _ *appsv1.StatefulSet, pod *corev1.Pod) error {
	n.kept = append(n.kept, pod.Name)
	return n.wrong
}

// in runs a test in a cluster in which a set of two has come up on node-1.
func in(t *testing.T, set *appsv1.StatefulSet, test func(c *kubetest.Cluster, n *next)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var rest next
		c := kubetest.New(t, kubetest.Setup{
			Kinds: controlloop.CoreKinds().With(statefulset.Kinds()...), Namespace: "shop", DetectMutations: true,
			Controllers: []kubetest.Controller{func(s *controlloop.System) *controlloop.Controller {
				return statefulset.NewStatefulSetsWith(s, home.Claims{Client: s.Client, Next: &rest}, statefulset.OnDelete{})
			}},
		})
		kubetest.Create(c, set)
		settle(c, "node-1")
		test(c, &rest)
	})
}

func web() *appsv1.StatefulSet {
	pod := kubetest.Pod("web", kubetest.Container("nginx", kubetest.Nginx))
	return &appsv1.StatefulSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.StatefulSetSpec{
			Replicas: new(int32(2)), ServiceName: "web",
			Selector: &metav1.LabelSelector{MatchLabels: pod.Labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec,
			},
		},
	}
}

// settle does the scheduler's and the kubelet's work: a Pod that may
// be anywhere comes to a node, one that may not to its own, and each
// that is on a node runs.
func settle(c *kubetest.Cluster, node string) {
	for range 10 {
		c.Advance(time.Second)
		for _, pod := range c.Pods() {
			switch {
			case pod.DeletionTimestamp != nil:
				c.DeletePod(pod.Name, kubetest.Grace(0))
			case pod.Spec.NodeName == "":
				place(c, pod, node)
			}
		}
	}
}

func place(c *kubetest.Cluster, pod *corev1.Pod, node string) {
	if own, ok := pod.Spec.NodeSelector[corev1.LabelHostname]; ok {
		node = own
	}
	pod = controlloop.Copy(c.Bind(pod, node))
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{{
		Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: controlloop.Now(),
	}}
	if _, err := c.Store.UpdateStatus(context.Background(), pod); err != nil {
		panic(err)
	}
}

// where says on which node each Pod is.
func where(c *kubetest.Cluster) map[string]string {
	all := map[string]string{}
	for _, pod := range c.Pods() {
		all[pod.Name] = pod.Spec.NodeName
	}
	return all
}

var configMapKind = corev1.SchemeGroupVersion.WithKind("ConfigMap")

// homes returns the notes.
func homes(c *kubetest.Cluster) map[string]string {
	all := map[string]string{}
	for _, note := range kubetest.All[*corev1.ConfigMap](c, configMapKind) {
		all[note.Name] = note.Data["node"]
	}
	return all
}

func note(name string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}}
}

func scale(c *kubetest.Cluster, replicas int32) {
	kubetest.Edit(c, web(), func(set *appsv1.StatefulSet) { set.Spec.Replicas = &replicas })
}

//book:exercise 4g
func TestAPodComesBackToTheNodeThatItHadFirst(t *testing.T) {
	in(t, web(), func(c *kubetest.Cluster, _ *next) {
		c.DeletePod("web-0")
		settle(c, "node-2")
		assert.Equal(t, map[string]string{"web-0": "node-1", "web-1": "node-1"}, where(c))
		scale(c, 1)
		settle(c, "node-2")
		require.Equal(t, map[string]string{"web-0": "node-1"}, where(c))
		scale(c, 3)
		settle(c, "node-3")
		assert.Equal(t, map[string]string{"web-0": "node-1", "web-1": "node-1", "web-2": "node-3"}, where(c),
			"the third has been nowhere before")
	})
}

// The scheduler knows whether there is room, and the author what else the Pod
// needs.
//
//book:exercise 4g
func TestAHomeIsAWishAmongOthers(t *testing.T) {
	set := web()
	set.Spec.Template.Spec.NodeSelector = map[string]string{"disk": "ssd"}
	in(t, set, func(c *kubetest.Cluster, _ *next) {
		c.DeletePod("web-0", kubetest.Grace(0))
		c.Settle()
		spec := c.Pod("web-0").Spec
		assert.Equal(t, map[string]string{"disk": "ssd", corev1.LabelHostname: "node-1"}, spec.NodeSelector)
		assert.Empty(t, spec.NodeName, "nobody has asked the scheduler")
	})
}

//book:exercise 4g
func TestAHomeIsStrongerThanTheTemplate(t *testing.T) {
	set := web()
	set.Spec.Template.Spec.NodeSelector = map[string]string{corev1.LabelHostname: "node-1"}
	in(t, set, func(c *kubetest.Cluster, _ *next) {
		require.Equal(t, "node-1", homes(c)["web-0-home"])
		kubetest.Edit(c, note("web-0-home"), func(n *corev1.ConfigMap) { n.Data["node"] = "node-3" })
		c.DeletePod("web-0", kubetest.Grace(0))
		c.Settle()
		assert.Equal(t, map[string]string{corev1.LabelHostname: "node-3"}, c.Pod("web-0").Spec.NodeSelector)
	})
}

// Its image may take an hour. It is killed meanwhile.
//
//book:exercise 4g
func TestAPodIsAtHomeBeforeItRuns(t *testing.T) {
	in(t, web(), func(c *kubetest.Cluster, _ *next) {
		scale(c, 3)
		c.Advance(time.Second)
		c.Bind(c.Pod("web-2"), "node-2")
		c.Settle()
		assert.Equal(t, "node-2", homes(c)["web-2-home"], "the first node that it gets")
		c.DeletePod("web-2", kubetest.Grace(0))
		settle(c, "node-3")
		assert.Equal(t, "node-2", where(c)["web-2"])
	})
}

// A user who wants a Pod to choose again takes the node out of its note.
//
//book:exercise 4g
func TestANoteWithoutANodeIsFilledIn(t *testing.T) {
	in(t, web(), func(c *kubetest.Cluster, _ *next) {
		require.Equal(t, "node-1", homes(c)["web-0-home"])
		c.DeletePod("web-0", kubetest.Grace(0))
		kubetest.Edit(c, note("web-0-home"), func(n *corev1.ConfigMap) { n.Data = nil })
		settle(c, "node-2")
		assert.Equal(t, "node-2", where(c)["web-0"])
		assert.Equal(t, "node-2", homes(c)["web-0-home"])
	})
}

// A user who wants a Pod elsewhere writes it down.
//
//book:exercise 4g
func TestWhatAPersonWritesIsTheHome(t *testing.T) {
	in(t, web(), func(c *kubetest.Cluster, _ *next) {
		require.Equal(t, map[string]string{"web-0-home": "node-1", "web-1-home": "node-1"}, homes(c))
		kubetest.Edit(c, note("web-0-home"), func(n *corev1.ConfigMap) { n.Data["node"] = "node-3" })
		kubetest.Edit(c, web(), func(set *appsv1.StatefulSet) { set.Annotations = map[string]string{"look": "again"} })
		c.DeletePod("web-0")
		settle(c, "node-2")
		assert.Equal(t, map[string]string{"web-0": "node-3", "web-1": "node-1"}, where(c))
		assert.Equal(t, map[string]string{"web-0-home": "node-3", "web-1-home": "node-1"}, homes(c))
	})
}

//book:exercise 4g
func TestAPodThatIsNowhereYetHasNoHome(t *testing.T) {
	in(t, web(), func(c *kubetest.Cluster, _ *next) {
		scale(c, 3)
		c.Advance(time.Minute)
		require.Equal(t, "", where(c)["web-2"])
		assert.Equal(t, map[string]string{"web-0-home": "node-1", "web-1-home": "node-1"}, homes(c))
		settle(c, "node-2")
		assert.Equal(t, "node-2", homes(c)["web-2-home"])
	})
}

//book:exercise 4g
func TestASetThatIsAtHomeWritesNothing(t *testing.T) {
	in(t, web(), func(c *kubetest.Cluster, _ *next) {
		require.Len(t, homes(c), 2)
		kubetest.Edit(c, web(), func(set *appsv1.StatefulSet) { set.Annotations = map[string]string{"look": "again"} })
		c.Settle()
		assert.Len(t, c.WritesOf(note("web-0-home")), 1)
		c.AssertQuiet(time.Hour)
	})
}

// Chapter 2's collector takes away the belongings of a set that is gone.
//
//book:exercise 4g
func TestAHomeBelongsToItsSet(t *testing.T) {
	in(t, web(), func(c *kubetest.Cluster, _ *next) {
		require.Len(t, homes(c), 2)
		assert.True(t, metav1.IsControlledBy(kubetest.Get(c, note("web-1-home")), kubetest.Get(c, web())))
	})
}

// A note that cannot be read may exist all the same.
//
//book:exercise 4g
func TestAHomeThatCannotBeReadIsWaitedFor(t *testing.T) {
	in(t, web(), func(c *kubetest.Cluster, _ *next) {
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "get" && call.Kind == configMapKind && call.Key.Name == "web-0-home" {
				return io.ErrUnexpectedEOF
			}
			return nil
		})
		c.DeletePod("web-0", kubetest.Grace(0))
		settle(c, "node-2")
		require.Equal(t, map[string]string{"web-1": "node-1"}, where(c), "who knows where it belongs?")
		assert.True(t, c.Told(io.ErrUnexpectedEOF))
		c.Client.Fail(nil)
		c.Advance(20 * time.Minute)
		settle(c, "node-2")
		assert.Equal(t, map[string]string{"web-0": "node-1", "web-1": "node-1"}, where(c))
	})
}

// A Pod whose home is not known, or cannot be noted, waits for
// that, and the set with it.
//
//book:exercise 4g
func TestWhatCannotBeNotedIsToldAndTriedAgain(t *testing.T) {
	for _, verb := range []string{"get", "create"} {
		in(t, web(), func(c *kubetest.Cluster, _ *next) {
			refused := errors.New("refused")
			c.Client.Fail(func(call kubetest.Call) error {
				if call.Verb == verb && call.Kind == configMapKind && call.Key.Name == "web-2-home" && len(c.Pods()) > 2 {
					return refused
				}
				return nil
			})
			scale(c, 4)
			settle(c, "node-2")
			assert.Equal(t, map[string]string{"web-0": "node-1", "web-1": "node-1", "web-2": "node-2"}, where(c), verb)
			assert.True(t, c.Told(refused), verb)
			c.Client.Fail(nil)
			c.Advance(20 * time.Minute)
			settle(c, "node-2")
			assert.Equal(t, "node-2", homes(c)["web-2-home"], verb)
			assert.Len(t, where(c), 4, verb)
		})
	}
}

//book:exercise 4g
func TestTheRestIsLeftToTheNext(t *testing.T) {
	in(t, web(), func(c *kubetest.Cluster, n *next) {
		assert.Contains(t, n.kept, "web-1")
		n.kept = nil
		fresh := controlloop.Copy(c.Pod("web-0"))
		fresh.Name, fresh.DeletionTimestamp = "web-7", new(metav1.Now())
		require.NoError(t, home.Claims{Client: c.Store, Next: n}.Keep(t.Context(), kubetest.Get(c, web()), fresh))
		require.Equal(t, []string{"web-7"}, n.kept, "a new home is no reason to forget")
		assert.Equal(t, "node-1", homes(c)["web-7-home"], "it is on its node, though it was told to end")
		assert.Equal(t, "yes", c.Pod("web-0").Annotations["next.example/equipped"])
		n.wrong = errors.New("no disk")
		assert.ErrorIs(t, home.Claims{Client: c.Store, Next: n}.Equip(
			t.Context(), kubetest.Get(c, web()), controlloop.Copy(fresh)), n.wrong)
		assert.ErrorIs(t, home.Claims{Client: c.Store, Next: n}.Keep(
			t.Context(), kubetest.Get(c, web()), fresh), n.wrong, "what the next could not keep")
		c.DeletePod("web-1", kubetest.Grace(0))
		settle(c, "node-2")
		assert.Equal(t, map[string]string{"web-0": "node-1"}, where(c))
		assert.True(t, c.Told(n.wrong))
		n.wrong = nil
		c.Advance(20 * time.Minute)
		settle(c, "node-2")
		c.DeletePod("web-1", kubetest.Grace(0))
		settle(c, "node-2")
		assert.Equal(t, map[string]string{"web-0": "node-1", "web-1": "node-1"}, where(c))
		assert.Equal(t, "yes", c.Pod("web-1").Annotations["next.example/equipped"], "that it has a home is no reason to forget")
	})
}
