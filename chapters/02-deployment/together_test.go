package deployment_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	deployment "reconcile/chapters/02-deployment"
	"reconcile/internal/kubetest"
)

// crowded returns a cluster of two nodes, two versions of nginx, and
// everything.
func crowded() kubetest.Setup {
	setup := everything
	setup.Namespace = metav1.NamespaceDefault
	setup.Nodes, setup.Invariants = 2, []kubetest.Invariant{neverBoth}
	setup.Images = simulated.Images{"nginx:1.28": simulated.Nginx}
	return setup
}

// wish is what a user wants of a Deployment; no replicas and no
// image: that it is gone.
type wish struct {
	replicas int32
	image    string
}

// decide changes one of a user's four wishes.
func decide(t *testing.T, c *kubetest.Cluster, r *rand.Rand, wishes map[string]wish) {
	t.Helper()
	name := fmt.Sprintf("web-%d", r.IntN(4))
	d := recreated(name, int32(r.IntN(6)))
	if wishes[name].image == "" {
		_, err := c.Store.Create(t.Context(), d)
		if apierrors.IsAlreadyExists(err) {
			return // it is still on its way out
		}
		require.NoError(t, err)
		wishes[name] = wish{*d.Spec.Replicas, kubetest.Nginx}
		return
	}
	is := wishes[name]
	switch r.IntN(4) {
	case 0:
		remove(t, c, d, []metav1.DeletionPropagation{background, foreground}[r.IntN(2)])
		is = wish{}
	case 1:
		is.image = []string{kubetest.Nginx, "nginx:1.28"}[r.IntN(2)]
		setImage(c, d, is.image)
	default:
		is.replicas = *d.Spec.Replicas
		scale(c, d, is.replicas)
	}
	wishes[name] = is
}

// Everything at once, for the race detector: two nodes, seven controllers, a
// user who cannot decide, Pods that are killed, connections that break.
func TestManyControllersRunningAtOnceEndInTheRightState(t *testing.T) {
	t.Parallel()
	in(t, crowded(), func(c *kubetest.Cluster) {
		r := rand.New(rand.NewPCG(7, 0))
		c.Run()
		wishes := map[string]wish{}
		for range 40 {
			decide(t, c, r, wishes)
			if pods := c.Pods(); len(pods) > 0 && r.IntN(4) == 0 {
				err := c.Store.Delete(t.Context(), controlloop.PodKind,
					controlloop.KeyOf(pods[r.IntN(len(pods))]), kubetest.Grace(int64(r.IntN(2))))
				require.True(t, err == nil || apierrors.IsNotFound(err), "%v", err)
			}
			if r.IntN(10) == 0 {
				c.Client.BreakWatches(io.ErrUnexpectedEOF)
			}
			c.Advance(time.Duration(r.IntN(2000)) * time.Millisecond)
		}
		c.Advance(6 * time.Minute) // longer than any event is waited for
		assertGranted(t, c, wishes)
		c.Stop()
		synctest.Wait()
		c.AssertQuiet(0)
	})
}

// assertGranted asserts that the cluster holds what was wished for, and nothing
// else.
func assertGranted(t *testing.T, c *kubetest.Cluster, wishes map[string]wish) {
	t.Helper()
	have := map[string]map[string]int32{}
	for _, pod := range c.Pods() {
		assert.True(t, kubetest.Ready(pod), pod.Name)
		app := pod.Labels["app"]
		if have[app] == nil {
			have[app] = map[string]int32{}
		}
		have[app][pod.Spec.Containers[0].Image]++
	}
	want := map[string]map[string]int32{}
	there := 0
	for name, w := range wishes {
		if w.image == "" {
			continue
		}
		there++
		if w.replicas > 0 {
			want[name] = map[string]int32{w.image: w.replicas}
		}
		d := kubetest.Get(c, recreated(name, 0))
		assert.Equal(t, w.replicas, d.Status.AvailableReplicas, name)
		assert.Equal(t, d.Generation, d.Status.ObservedGeneration, name)
	}
	assert.Equal(t, want, have)
	assert.Len(t, kubetest.All[*appsv1.Deployment](c, deployment.DeploymentKind), there)
	for _, rs := range sets(c) {
		assert.NotEmpty(t, rs.OwnerReferences)
	}
}

// As many as kube-controller-manager has (Kubernetes: defaults.go of each
// controller in pkg/controller, config/v1alpha1).
func TestAsManyWorkersAsInKubernetes(t *testing.T) {
	in(t, everything, func(c *kubetest.Cluster) {
		for name, workers := range map[string]int{
			"deployment": 5, "replicaset": 5, "garbage collector": 20,
		} {
			assert.Equal(t, workers, c.Controller(name).Workers, name)
		}
	})
}
