package canary_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	canary "reconcile/chapters/03-rolling-update/exercises/3k"
	"reconcile/internal/kubetest"
)

func TestMain(m *testing.M) { kubetest.Main(m) }

// canaries returns the controller of Deployments with the Strategy in its
// place.
func canaries(s *controlloop.System) *controlloop.Controller {
	return rollingupdate.NewDeploymentsBy(s, canary.Strategy{Next: rollingupdate.RollingUpdate{}})
}

// up runs a test in a cluster in which a Deployment of three has come up. These
// invariants hold from then on.
func up(t *testing.T, test func(c *kubetest.Cluster), invariants ...kubetest.Invariant) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		images := simulated.Images{}
		for v := range 4 {
			images[fmt.Sprintf("web:v%d", v+1)] = kubetest.Sleeps(0)
		}
		up := false
		c := kubetest.New(t, kubetest.Setup{
			Kinds:       controlloop.CoreKinds().With(deployment.Kinds()...).With(rollingupdate.Kinds()...),
			Controllers: []kubetest.Controller{canaries, deployment.NewReplicaSets},
			Nodes:       1, Images: images, Namespace: "shop", DetectMutations: true,
			Invariants: []kubetest.Invariant{func(w kubetest.Write, before []kubetest.Write) (err error) {
				for _, invariant := range invariants {
					if up {
						err = errors.Join(err, invariant(w, before))
					}
				}
				return err
			}},
		})
		kubetest.Create(c, web())
		c.Advance(10 * time.Second)
		require.Equal(t, "v1:3", sizes(c), "the first of all templates has nobody to wait for")
		up = true
		test(c)
	})
}

// in runs a test in such a cluster, in which as many are available as are wanted.
func in(t *testing.T, test func(c *kubetest.Cluster)) {
	t.Helper()
	up(t, test, func(w kubetest.Write, before []kubetest.Write) error {
		writes := append(slices.Clip(before), w)
		if is, least := available(writes), wanted(writes); is < least {
			return fmt.Errorf("%d are available, and %d are wanted", is, least)
		}
		return nil
	})
}

// available counts the Pods that are ready, and not told to go, after some
// writes.
func available(writes []kubetest.Write) (n int) {
	newest := map[string]*corev1.Pod{}
	for _, w := range writes {
		if pod, ok := w.Object.(*corev1.Pod); ok {
			newest[pod.Name] = pod
			if w.Type == watch.Deleted {
				delete(newest, pod.Name)
			}
		}
	}
	for _, pod := range newest {
		if kubetest.Ready(pod) && pod.DeletionTimestamp == nil {
			n++
		}
	}
	return n
}

// wanted returns how many Pods the Deployment has wanted all the time.
func wanted(writes []kubetest.Write) int {
	least := int32(3)
	for _, w := range writes {
		if d, ok := w.Object.(*appsv1.Deployment); ok {
			least = min(least, *d.Spec.Replicas)
		}
	}
	return int(least)
}

func web() *appsv1.Deployment {
	pod := kubetest.Pod("web", kubetest.Container("web", "web:v1"))
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(3)),
			Selector: &metav1.LabelSelector{MatchLabels: pod.Labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: pod.Labels}, Spec: pod.Spec,
			},
		},
	}
}

func image(name string) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = name }
}

func sized(replicas int32) func(*appsv1.Deployment) {
	return func(d *appsv1.Deployment) { d.Spec.Replicas = new(replicas) }
}

// approve says yes to the template of an image.
func approve(c *kubetest.Cluster, image string) {
	for _, rs := range sets(c) {
		if rs.Spec.Template.Spec.Containers[0].Image == image {
			kubetest.Edit(c, web(), func(d *appsv1.Deployment) {
				metav1.SetMetaDataAnnotation(&d.ObjectMeta, canary.ApprovedAnnotation, rs.Name)
			})
		}
	}
}

func sets(c *kubetest.Cluster) []*appsv1.ReplicaSet {
	return kubetest.All[*appsv1.ReplicaSet](c, deployment.ReplicaSetKind)
}

// sizes returns those of the ReplicaSets that want Pods: "v1:3 v2:1".
func sizes(c *kubetest.Cluster) string {
	var all []string
	for _, rs := range sets(c) {
		if *rs.Spec.Replicas > 0 {
			version := strings.TrimPrefix(rs.Spec.Template.Spec.Containers[0].Image, "web:")
			all = append(all, fmt.Sprintf("%s:%d", version, *rs.Spec.Replicas))
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

//book:exercise 3k
func TestANewTemplateHasOnePodUntilSomebodySaysYes(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Edit(c, web(), image("web:v2"))
		c.Advance(time.Hour)
		require.Equal(t, "v1:3 v2:1", sizes(c))
		made := map[string]int32{}
		for _, rs := range sets(c) {
			first := c.WritesOf(rs)[0].Object.(*appsv1.ReplicaSet)
			made[rs.Spec.Template.Spec.Containers[0].Image] = *first.Spec.Replicas
		}
		assert.Equal(t, map[string]int32{"web:v1": 3, "web:v2": 1}, made,
			"they are made with their size, and not brought to it")
		kubetest.Edit(c, web(), func(d *appsv1.Deployment) {
			for _, rs := range sets(c) {
				if rs.Spec.Template.Spec.Containers[0].Image == "web:v2" {
					metav1.SetMetaDataAnnotation(&d.ObjectMeta, canary.ApprovedAnnotation, rs.Name[:len(rs.Name)-1])
				}
			}
		})
		c.Advance(time.Minute)
		require.Equal(t, "v1:3 v2:1", sizes(c), "a name is approved when it is written in full")
		approve(c, "web:v2")
		c.Advance(time.Minute)
		assert.Equal(t, "v2:3", sizes(c))
	})
}

//book:exercise 3k
func TestAYesIsToOneTemplateAndNotToTheNext(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Edit(c, web(), image("web:v2"))
		c.Advance(time.Minute)
		approve(c, "web:v2")
		c.Advance(time.Minute)
		kubetest.Edit(c, web(), image("web:v3"))
		c.Advance(time.Minute)
		assert.Equal(t, "v2:3 v3:1", sizes(c))
	})
}

//book:exercise 3k
func TestACanaryThatNobodyWaitsForAnyMoreGoes(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Edit(c, web(), image("web:v2"))
		c.Advance(time.Minute)
		kubetest.Edit(c, web(), image("web:v3"))
		c.Advance(time.Minute)
		require.Equal(t, "v1:3 v3:1", sizes(c))
		kubetest.Edit(c, web(), image("web:v2"))
		c.Advance(time.Minute)
		require.Equal(t, "v1:3 v2:1", sizes(c), "a ReplicaSet that is there already")

		kubetest.Edit(c, web(), image("web:v4"))
		c.Advance(time.Minute)
		for _, rs := range sets(c) { // a user means well
			if *rs.Spec.Replicas == 0 {
				kubetest.Edit(c, rs, func(rs *appsv1.ReplicaSet) { rs.Spec.Replicas = new(int32(1)) })
			}
		}
		require.Equal(t, "v1:3 v2:1 v3:1 v4:1", sizes(c))
		c.Advance(time.Minute)
		assert.Equal(t, "v1:3 v4:1", sizes(c), "both go, not only one")
	})
}

// Without a Pod that serves, there is nothing to compare a canary with.
//
//book:exercise 3k
func TestADeploymentOfNoneHasNobodyToWaitFor(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Edit(c, web(), image("web:v2"))
		c.Advance(time.Minute)
		approve(c, "web:v2")
		c.Advance(time.Minute)
		require.Equal(t, "v2:3", sizes(c))
		kubetest.Edit(c, web(), sized(0))
		c.Advance(time.Minute)
		require.Equal(t, "", sizes(c))
		kubetest.Edit(c, web(), image("web:v3"))
		kubetest.Edit(c, web(), sized(3))
		c.Advance(time.Minute)
		assert.Equal(t, "v3:3", sizes(c), "what was approved has no Pods")
	})
}

// The template that serves needs no yes: it has had one.
//
//book:exercise 3k
func TestWhoTakesATemplateBackWaitsForNobody(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Edit(c, web(), image("web:v2"))
		c.Advance(time.Minute)
		require.Equal(t, "v1:3 v2:1", sizes(c))
		kubetest.Edit(c, web(), image("web:v1"))
		c.Advance(time.Minute)
		assert.Equal(t, "v1:3", sizes(c))
	})
}

// A canary of a Deployment of one is as large as what serves.
//
//book:exercise 3k
func TestACanaryOfADeploymentOfOneWaitsAsWell(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Edit(c, web(), sized(1))
		c.Advance(10 * time.Second)
		kubetest.Edit(c, web(), image("web:v2"))
		c.Advance(time.Minute)
		assert.Equal(t, "v1:1 v2:1", sizes(c))
		approve(c, "web:v2")
		c.Advance(time.Minute)
		assert.Equal(t, "v2:1", sizes(c))
	})
}

// What serves goes on serving in a bad minute, in which none of its Pods is
// available and the canary is.
//
//book:exercise 3k
func TestABadMinuteIsNoYes(t *testing.T) {
	up(t, func(c *kubetest.Cluster) {
		kubetest.Edit(c, web(), image("web:v2"))
		c.Advance(time.Minute)
		for _, pod := range c.Pods() {
			if pod.Spec.Containers[0].Image == "web:v1" {
				c.DeletePod(pod.Name, kubetest.Grace(0))
			}
		}
		c.Advance(time.Minute)
		assert.Equal(t, "v1:3 v2:1", sizes(c), "nobody has said yes")
	})
}

// A user who scales meanwhile scales the template that serves.
//
//book:exercise 3k
func TestACanaryStaysOneWhenTheDeploymentGrows(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		kubetest.Edit(c, web(), image("web:v2"))
		c.Advance(time.Minute)
		kubetest.Edit(c, web(), sized(9))
		c.Advance(time.Minute)
		require.Contains(t, sizes(c), " v2:1")
		approve(c, "web:v2")
		c.Advance(time.Minute)
		assert.Equal(t, "v2:9", sizes(c))
	})
}

// Every refusal is reported, and tried again.
//
//book:exercise 3k
func TestACanaryThatIsRefusedIsTriedAgain(t *testing.T) {
	in(t, func(c *kubetest.Cluster) {
		c.Client.Fail(func(call kubetest.Call) error {
			if call.Verb == "create" && call.Kind == deployment.ReplicaSetKind {
				return io.ErrUnexpectedEOF
			}
			return nil
		})
		kubetest.Edit(c, web(), image("web:v2"))
		c.Advance(time.Second)
		require.True(t, c.Told(io.ErrUnexpectedEOF))
		c.Client.Fail(nil)
		c.Advance(time.Minute)
		require.Equal(t, "v1:3 v2:1", sizes(c))

		for _, next := range []struct{ image, want string }{
			{"web:v3", "v1:3 v3:1"}, // the canary of yesterday is to go
			{"web:v2", "v1:3 v2:1"}, // a ReplicaSet that exists already
		} {
			refused := fmt.Errorf("%s was refused", next.image)
			c.Client.Fail(func(call kubetest.Call) error {
				if call.Verb == "update" && call.Kind == deployment.ReplicaSetKind {
					return refused
				}
				return nil
			})
			kubetest.Edit(c, web(), image(next.image))
			c.Advance(time.Second)
			require.True(t, c.Told(refused), "nobody was told that %s", refused)
			c.Client.Fail(nil)
			c.Advance(time.Minute)
			require.Equal(t, next.want, sizes(c))
		}
	})
}
