package columns

import (
	"cmp"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
)

// Node is what a table shows of Nodes.
var Node = of(nodeCells,
	name,
	text("Status", "The status of the node"),
	text("Roles", "The roles of the node"),
	created,
	text("Version", corev1.NodeSystemInfo{}.SwaggerDoc()["kubeletVersion"]),
	wide(text("Internal-IP", corev1.NodeStatus{}.SwaggerDoc()["addresses"])),
	wide(text("External-IP", corev1.NodeStatus{}.SwaggerDoc()["addresses"])),
	wide(text("OS-Image", corev1.NodeSystemInfo{}.SwaggerDoc()["osImage"])),
	wide(text("Kernel-Version", corev1.NodeSystemInfo{}.SwaggerDoc()["kernelVersion"])),
	wide(text("Container-Runtime",
		corev1.NodeSystemInfo{}.SwaggerDoc()["containerRuntimeVersion"])),
)

func nodeCells(node *corev1.Node, now time.Time) []any {
	info := node.Status.NodeInfo
	kernel := cmp.Or(info.KernelVersion, "<unknown>")
	if info.Architecture != "" {
		kernel += " (" + info.Architecture + ")"
	}
	return []any{
		node.Name,
		nodeStatus(node),
		cmp.Or(strings.Join(roles(node), ","), "<none>"),
		age(node.CreationTimestamp, now),
		info.KubeletVersion,
		address(node, corev1.NodeInternalIP),
		address(node, corev1.NodeExternalIP),
		cmp.Or(info.OSImage, "<unknown>"),
		kernel,
		cmp.Or(info.ContainerRuntimeVersion, "<unknown>"),
	}
}

func nodeStatus(node *corev1.Node) string {
	status := "Unknown"
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			status = "Ready"
			if c.Status != corev1.ConditionTrue {
				status = "NotReady"
			}
		}
	}
	if node.Spec.Unschedulable {
		status += ",SchedulingDisabled"
	}
	return status
}

// roles returns what labels say that a node is for.
func roles(node *corev1.Node) []string {
	found := sets.Set[string]{}
	for key, value := range node.Labels {
		role, ok := strings.CutPrefix(key, "node-role.kubernetes.io/")
		if !ok && key == "kubernetes.io/role" {
			role = value
			ok = true
		}
		if ok && role != "" {
			found.Insert(role)
		}
	}
	return sets.List(found)
}

func address(node *corev1.Node, of corev1.NodeAddressType) string {
	for _, a := range node.Status.Addresses {
		if a.Type == of {
			return a.Address
		}
	}
	return "<none>"
}
