package lab_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"reconcile/internal/lab"
)

const noNetwork = "container runtime network not ready: NetworkReady=false " +
	"reason:NetworkPluginNotReady message:Network plugin returns error: cni plugin not initialized"

// plugin returns a Pod that brings a network to its node, if it can start
// without one.
func plugin(node, file string) *corev1.Pod {
	p := placed("plugin", node)
	p.Spec.HostNetwork = true
	p.Spec.Volumes = []corev1.Volume{{Name: "cni", VolumeSource: corev1.VolumeSource{
		HostPath: &corev1.HostPathVolumeSource{Path: "/etc/cni/net.d"}}}}
	p.Spec.Containers = []corev1.Container{{
		Name: "web", Image: "busybox:1.36",
		Command:      []string{"sh", "-c", "sleep 60; echo {} > /cni/" + file + "; sleep 3600"},
		VolumeMounts: []corev1.VolumeMount{{Name: "cni", MountPath: "/cni"}},
	}}
	return p
}

func TestWithoutANetworkOnlyPodsOfTheMachinesNetworkStart(t *testing.T) {
	running(t, lab.Options{Nodes: 2, With: []string{"no-network"}}, func(f fixture) {
		ready := readiness(f.node("node-1"))
		assert.Equal(f.t, corev1.ConditionFalse, ready.Status)
		assert.Equal(f.t, "KubeletNotReady", ready.Reason)
		assert.Equal(f.t, noNetwork, ready.Message)
		f.create(plugin("node-1", "10-net.conflist"))
		f.create(placed("web", "node-1"))
		f.create(placed("other", "node-2"))
		assert.Equal(f.t, corev1.PodRunning, f.pod("plugin").Status.Phase)
		pass(50 * time.Second)
		web := f.pod("web")
		assert.Equal(f.t, corev1.PodPending, web.Status.Phase)
		assert.Equal(f.t, "ContainerCreating", web.Status.ContainerStatuses[0].State.Waiting.Reason)
		event := f.list(eventKind, "default")[0].(*corev1.Event)
		for _, obj := range f.list(eventKind, "default") {
			if e := obj.(*corev1.Event); e.InvolvedObject.Name == "web" {
				event = e
			}
		}
		assert.Equal(f.t, "NetworkNotReady", event.Reason)
		assert.Equal(f.t, "network is not ready: "+noNetwork, event.Message)
		assert.NotContains(f.t, f.reasons("Pod"), "FailedCreatePodSandBox")

		assert.NotEmpty(f.t, f.node("node-1").Spec.Taints)

		pass(30 * time.Second)
		assert.Equal(f.t, corev1.PodRunning, f.pod("web").Status.Phase)
		assert.Equal(f.t, corev1.ConditionTrue, readiness(f.node("node-1")).Status)
		assert.Empty(f.t, f.node("node-1").Spec.Taints)
		assert.Equal(f.t, corev1.ConditionFalse, readiness(f.node("node-2")).Status)
		assert.Equal(f.t, corev1.PodPending, f.pod("other").Status.Phase, "the other machine has none")
	})
}

func TestOnlyAConfigurationIsANetwork(t *testing.T) {
	for file, want := range map[string]corev1.PodPhase{
		"10-net.conf": corev1.PodRunning, "README.txt": corev1.PodPending,
	} {
		running(t, lab.Options{Nodes: 1, With: []string{"no-network"}}, func(f fixture) {
			f.create(plugin("node-1", file))
			f.create(placed("web", "node-1"))
			pass(2 * time.Minute)
			assert.Equal(f.t, want, f.pod("web").Status.Phase, file)
		})
	}
}

func TestAPortOfAllNodesLeadsToAService(t *testing.T) {
	running(t, lab.Options{Nodes: 2}, func(f fixture) {
		f.create(&corev1.Service{
			ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"},
			Spec: corev1.ServiceSpec{
				Type: corev1.ServiceTypeNodePort, ClusterIP: "10.96.7.7",
				Selector: map[string]string{"app": "web"},
				Ports: []corev1.ServicePort{{
					Port: 81, TargetPort: intstr.FromInt32(80), NodePort: 30080,
					Protocol: corev1.ProtocolTCP}},
			},
		})
		web := placed("web", "node-1")
		web.Labels = map[string]string{"app": "web"}
		web.Spec.Containers[0].Image = "nginx:1.27"
		f.create(web)
		client := placed("client", "node-2")
		client.Spec.Containers[0].Image = "busybox:1.36"
		client.Spec.Containers[0].Command = []string{"sh", "-c", "sleep 30; " +
			"for node in 172.18.0.2 172.18.0.3; do wget -qO- $node:30080 | grep title; " +
			"wget -qO- $node:30081; done; sleep 3600"}
		f.create(client)
		pass(time.Minute)
		assert.Equal(f.t, "<title>Welcome to nginx!</title>\n"+
			"wget: can't connect to remote host (172.18.0.2): Connection refused\n"+
			"<title>Welcome to nginx!</title>\n"+
			"wget: can't connect to remote host (172.18.0.3): Connection refused\n", f.log("client"))
	})
}
