package kubetest

import (
	"context"
	"fmt"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
)

// FirstCome places Pods on a node as chapter 1 does.
func FirstCome(
	s *controlloop.System, machine kubelet.Machine,
) *controlloop.Controller {
	return kubelet.NewFirstCome(s, machine.Node)
}

// machine returns a node as its kubelet finds it.
func (c *Cluster) machine(node *Node) kubelet.Machine {
	volumes := kubelet.Volumes(kubelet.NoVolumes{})
	if c.setup.Volumes != nil {
		volumes = c.setup.Volumes(c.System, node.Name)
	}
	return kubelet.Machine{
		Node: node.Name, Runtime: watched{node.Runtime, c},
		Volumes: watchedVolumes{volumes, c},
	}
}

// watched is a runtime that wakes the cluster when a container ends, and shows
// its containers when they are still.
type watched struct {
	*simulated.Runtime
	cluster *Cluster
}

// Containers implements kubelet.Runtime. When controllers step, a kubelet
// looks only when the containers that it has started or stopped have come as
// far as they come at this instant: else it might see a container before its
// end or after it, and one seed would have two outcomes.
func (w watched) Containers(pod types.UID) map[string]corev1.ContainerStatus {
	if w.cluster.stop == nil {
		synctest.Wait()
	}
	return w.Runtime.Containers(pod)
}

// OnExit implements kubelet.Runtime.
func (w watched) OnExit(f func(controlloop.Key)) {
	w.Runtime.OnExit(w.cluster.waking(f))
}

// watchedVolumes wake the cluster when one of them is ready.
type watchedVolumes struct {
	kubelet.Volumes
	cluster *Cluster
}

// OnReady implements kubelet.Volumes.
func (w watchedVolumes) OnReady(f func(controlloop.Key)) {
	w.Volumes.OnReady(w.cluster.waking(f))
}

func (c *Cluster) waking(f func(controlloop.Key)) func(controlloop.Key) {
	return func(key controlloop.Key) {
		f(key)
		c.wake.Send()
	}
}

// register stores a Node for each node, ready and without limits.
func (c *Cluster) register() {
	for n, node := range c.Nodes {
		_, err := c.Store.Create(context.Background(), &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{
				Name:   node.Name,
				Labels: map[string]string{corev1.LabelHostname: node.Name},
			},
			Status: corev1.NodeStatus{
				Addresses: []corev1.NodeAddress{{
					Type:    corev1.NodeInternalIP,
					Address: fmt.Sprintf("172.18.0.%d", n+2),
				}},
				Conditions: []corev1.NodeCondition{
					{Type: corev1.NodeReady, Status: corev1.ConditionTrue},
				},
			},
		})
		require.NoError(c.t, err)
	}
}
