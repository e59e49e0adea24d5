package lab_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

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
	running(t, lab.Options{Nodes: 2, Choices: lab.Choices{Network: "plugin"}}, func(f fixture) {
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
		running(t, lab.Options{Nodes: 1, Choices: lab.Choices{Network: "plugin"}}, func(f fixture) {
			f.create(plugin("node-1", file))
			f.create(placed("web", "node-1"))
			pass(2 * time.Minute)
			assert.Equal(f.t, want, f.pod("web").Status.Phase, file)
		})
	}
}

func TestANetworkThatNobodyKnowsIsRefused(t *testing.T) {
	_, err := lab.New(lab.Options{Choices: lab.Choices{Network: "carrier pigeons"}})
	require.EqualError(t, err, `there is no network "carrier pigeons"; there are builtin and plugin`)
}
