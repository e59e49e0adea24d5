package kubelet_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

func TestAKubeletTellsTheLifeOfAPod(t *testing.T) {
	in(t, oneNode(nil), func(c *kubetest.Cluster) {
		nginx := kubetest.Container("nginx", kubetest.Nginx)
		nginx.ReadinessProbe = kubetest.HTTPGet("/", intstr.FromInt32(81))
		nginx.ReadinessProbe.PeriodSeconds = 60
		kubetest.Create(c, kubetest.Pod("web", nginx))
		c.Advance(10 * time.Second)
		c.DeletePod("web")
		c.Advance(time.Minute)
		assert.Equal(t, []string{
			`Normal Scheduled default-scheduler: Successfully assigned default/web to node-1`,
			`Normal Pulling kubelet node-1 spec.containers{nginx}: Pulling image "nginx:1.27"`,
			`Normal Pulled kubelet node-1 spec.containers{nginx}: Successfully pulled image "nginx:1.27" in 0s (0s including waiting)`,
			`Normal Created kubelet node-1 spec.containers{nginx}: Container created`,
			`Normal Started kubelet node-1 spec.containers{nginx}: Container started`,
			`Warning Unhealthy kubelet node-1 spec.containers{nginx}: Readiness probe failed: ` +
				`Get "http://10.244.1.2:81/": dial tcp 10.244.1.2:81: connect: connection refused`,
			`Normal Killing kubelet node-1 spec.containers{nginx}: Stopping container nginx`,
		}, c.Events())
	})
}

func TestAKubeletSaysWhyAContainerIsNotStarted(t *testing.T) {
	images := simulated.Images{"crash": kubetest.Exits(time.Second, 1)}
	in(t, oneNode(images), func(c *kubetest.Cluster) {
		crash := kubetest.Container("a", "crash")
		crash.ImagePullPolicy = corev1.PullIfNotPresent
		pod := kubetest.Create(c, kubetest.Pod("web", crash, kubetest.Container("b", "none:1")))
		c.Advance(12500 * time.Millisecond)
		here := func(of, format string, args ...any) string {
			return fmt.Sprintf("%s spec.containers{%s}: %s", of[:len(of)-2],
				of[len(of)-1:], fmt.Sprintf(format, args...))
		}
		pulled := "Container image %q already present on machine and can be accessed by the pod"
		assert.Equal(t, []string{
			`Normal Scheduled default-scheduler: Successfully assigned default/web to node-1`,
			here("Normal Pulling kubelet node-1 a", "Pulling image %q", "crash"),
			here("Normal Pulled kubelet node-1 a", "Successfully pulled image %q in 0s (0s including waiting)", "crash"),
			here("Normal Created kubelet node-1 a", "Container created"),
			here("Normal Started kubelet node-1 a", "Container started"),
			here("Normal Pulling kubelet node-1 b", "Pulling image %q", "none:1"),
			here("Warning Failed kubelet node-1 b", "Failed to pull image %q: none:1: not found", "none:1"),
			here("Warning Failed kubelet node-1 b", "Error: ErrImagePull"),
			here("Normal BackOff kubelet node-1 b", "Back-off pulling image %q", "none:1"),
			here("Warning Failed kubelet node-1 b", "Error: ImagePullBackOff"),
			here("Normal Pulled kubelet node-1 a", pulled, "crash"),
			here("Normal Created kubelet node-1 a", "Container created"),
			here("Normal Started kubelet node-1 a", "Container started"),
			here("Warning BackOff kubelet node-1 a",
				"Back-off restarting failed container a in pod web_default(%s)", pod.UID),
			here("Normal Pulling kubelet node-1 b", "Pulling image %q", "none:1"),
			here("Warning Failed kubelet node-1 b", "Failed to pull image %q: none:1: not found", "none:1"),
			here("Warning Failed kubelet node-1 b", "Error: ErrImagePull"),
			here("Normal BackOff kubelet node-1 b", "Back-off pulling image %q", "none:1"),
			here("Warning Failed kubelet node-1 b", "Error: ImagePullBackOff"),
			here("Normal Pulled kubelet node-1 a", pulled, "crash"),
			here("Normal Created kubelet node-1 a", "Container created"),
			here("Normal Started kubelet node-1 a", "Container started"),
		}, c.Events())
	})
}

func TestAKubeletSaysWhichProbeKilled(t *testing.T) {
	for name, probe := range map[string]func(*corev1.Container, *corev1.Probe){
		"liveness": func(c *corev1.Container, p *corev1.Probe) { c.LivenessProbe = p },
		"startup":  func(c *corev1.Container, p *corev1.Probe) { c.StartupProbe = p },
	} {
		in(t, oneNode(nil), func(c *kubetest.Cluster) {
			nginx := kubetest.Container("nginx", kubetest.Nginx)
			wrong := kubetest.HTTPGet("/", intstr.FromInt32(81))
			wrong.FailureThreshold = 1
			probe(&nginx, wrong)
			kubetest.Create(c, kubetest.Pod("web", nginx))
			c.Advance(5 * time.Second)
			assert.Contains(t, c.Events(), "Normal Killing kubelet node-1 spec.containers{nginx}: "+
				"Container nginx failed "+name+" probe, will be restarted")
		})
	}
}

func TestAReplicationControllerTellsWhatItDid(t *testing.T) {
	in(t, kubetest.Setup{Controllers: []kubetest.Controller{controlloop.NewReplication}},
		func(c *kubetest.Cluster) {
			rc := kubetest.Create(c, kubetest.ReplicationController("web", 1))
			c.Settle()
			pod := c.Pods()[0].Name
			kubetest.Edit(c, rc, func(rc *corev1.ReplicationController) { rc.Spec.Replicas = new(int32) })
			c.Settle()
			assert.Equal(t, []string{
				"Normal SuccessfulCreate replication-controller: Created pod: " + pod,
				"Normal SuccessfulDelete replication-controller: Deleted pod: " + pod,
			}, c.Events())
		})
}

func TestASystemWithoutARecorderTellsNobody(t *testing.T) {
	recorder := (&controlloop.System{}).RecorderFor("kubelet", "node-1")
	assert.NotPanics(t, func() {
		recorder.Eventf(runtime.Object(&corev1.Pod{}), "Normal", "Started", "Container started")
	})
}

// about holds the objects that a recorder was told of, by reason.
type about map[string]*corev1.ObjectReference

// Eventf implements controlloop.Recorder.
func (a about) Eventf(obj runtime.Object, _, reason, _ string, _ ...any) {
	if ref, ok := obj.(*corev1.ObjectReference); ok {
		a[reason+" "+ref.FieldPath] = ref
	}
}

// A reader of an event finds the Pod by it, and the container.
func TestAnEventIsAboutOneContainerOfAPod(t *testing.T) {
	told := about{}
	setup := oneNode(simulated.Images{"quick": kubetest.Exits(0, 0)})
	setup.PerNode = []kubetest.OfNode{
		func(s *controlloop.System, m kubelet.Machine) *controlloop.Controller {
			return kubelet.NewFirstCome(s, m.Node)
		},
		func(s *controlloop.System, m kubelet.Machine) *controlloop.Controller {
			s.Recorder = func(corev1.EventSource) controlloop.Recorder { return told }
			return kubelet.New(s, m)
		},
	}
	in(t, setup, func(c *kubetest.Cluster) {
		pod := kubetest.Pod("web", kubetest.Container("nginx", kubetest.Nginx))
		pod.Spec.InitContainers = []corev1.Container{kubetest.Container("first", "quick")}
		pod = kubetest.Create(c, pod)
		c.Advance(10 * time.Second)
		for _, path := range []string{"spec.initContainers{first}", "spec.containers{nginx}"} {
			ref := told["Started "+path]
			require.NotNil(t, ref, path)
			require.NotEmpty(t, ref.ResourceVersion)
			ref.ResourceVersion = ""
			assert.Equal(t, &corev1.ObjectReference{
				APIVersion: "v1", Kind: "Pod", Namespace: "default", Name: "web",
				UID: pod.UID, FieldPath: path,
			}, ref)
		}
	})
}
