package columns_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/apiserver/columns"
)

func node(ready corev1.ConditionStatus) *corev1.Node {
	n := &corev1.Node{ObjectMeta: web}
	if ready != "" {
		n.Status.Conditions = []corev1.NodeCondition{
			{Type: corev1.NodeDiskPressure, Status: corev1.ConditionTrue},
			{Type: corev1.NodeReady, Status: ready},
		}
	}
	return n
}

func TestANodeIsReadyOrNotOrNobodyKnows(t *testing.T) {
	for ready, want := range map[corev1.ConditionStatus]string{
		corev1.ConditionTrue:    "Ready",
		corev1.ConditionFalse:   "NotReady",
		corev1.ConditionUnknown: "NotReady",
		"":                      "Unknown",
	} {
		assert.Equal(t, want, cells(columns.Node, node(ready))[1])
	}
}

func TestACordonedNodeSaysSo(t *testing.T) {
	n := node(corev1.ConditionTrue)
	n.Spec.Unschedulable = true
	assert.Equal(t, "Ready,SchedulingDisabled", cells(columns.Node, n)[1])
	n = node("")
	n.Spec.Unschedulable = true
	assert.Equal(t, "Unknown,SchedulingDisabled", cells(columns.Node, n)[1])
}

func TestRolesOfANodeAreInItsLabels(t *testing.T) {
	for name, test := range map[string]struct {
		labels map[string]string
		want   string
	}{
		"none":       {nil, "<none>"},
		"of nothing": {map[string]string{"node-role.kubernetes.io/": ""}, "<none>"},
		"two ways to say it": {map[string]string{
			"node-role.kubernetes.io/control-plane": "", "kubernetes.io/role": "worker",
		}, "control-plane,worker"},
		"said twice": {map[string]string{
			"node-role.kubernetes.io/worker": "yes", "kubernetes.io/role": "worker",
			"node-role.kubernetes.io/": "", "zone": "a",
		}, "worker"},
		"said with nothing": {map[string]string{"kubernetes.io/role": ""}, "<none>"},
	} {
		n := node(corev1.ConditionTrue)
		n.Labels = test.labels
		assert.Equal(t, test.want, cells(columns.Node, n)[2], name)
	}
}

func TestAWideRowSaysWhatANodeIsMadeOf(t *testing.T) {
	n := node(corev1.ConditionTrue)
	assert.Equal(t, []any{"5m", "", "<none>", "<none>", "<unknown>", "<unknown>", "<unknown>"},
		cells(columns.Node, n)[3:])
	n.Status.Addresses = []corev1.NodeAddress{
		{Type: corev1.NodeHostName, Address: "web"},
		{Type: corev1.NodeExternalIP, Address: "203.0.113.1"},
		{Type: corev1.NodeInternalIP, Address: "192.168.0.1"},
	}
	n.Status.NodeInfo = corev1.NodeSystemInfo{
		KubeletVersion: "v1.37.2", OSImage: "Debian", KernelVersion: "6.12",
		Architecture: "arm64", ContainerRuntimeVersion: "simulated://1",
	}
	assert.Equal(t, []any{"5m", "v1.37.2", "192.168.0.1", "203.0.113.1", "Debian",
		"6.12 (arm64)", "simulated://1"}, cells(columns.Node, n)[3:])
}
