package lab

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// KubeletVersion is what the nodes say they run.
const KubeletVersion = "v1.37.2"

// leavesAttaching is the annotation by which a kubelet says that it leaves attaching
// to a controller (Kubernetes: pkg/volume/util, ControllerManagedAttachAnnotation).
const leavesAttaching = "volumes.kubernetes.io/controller-managed-attach-detach"

var nodeKind = corev1.SchemeGroupVersion.WithKind("Node")

func nodeName(n int) string { return fmt.Sprintf("node-%d", n) }

func nodeAddress(n int) string { return fmt.Sprintf("172.18.0.%d", n+1) }

// register stores a machine's Node as its kubelet does when it starts: whole if
// it is new, else its state alone, so that labels, taints and a cordon last.
func (l *Lab) register(ctx context.Context, n *node) error {
	node := l.newNode(n)
	_, err := l.Store.Create(ctx, node)
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	return l.changeStatus(ctx, node.Name, func(status *corev1.NodeStatus) {
		*status = node.Status
	})
}

func (l *Lab) changeStatus(
	ctx context.Context, name string, change func(*corev1.NodeStatus),
) error {
	obj, err := l.Store.Get(ctx, nodeKind, controlloop.Key{Name: name})
	if err != nil {
		return err
	}
	next := controlloop.Copy(obj.(*corev1.Node))
	next.Status.Conditions = slices.Clone(next.Status.Conditions)
	change(&next.Status)
	_, err = l.Store.UpdateStatus(ctx, next)
	return err
}

// bootID returns an id that changes with each start.
func (n *node) bootID() string {
	return fmt.Sprintf("%08x-0000-0000-0000-%012x", n.boots, n.number)
}

// newNode returns the Node of a machine of 4 CPUs and 8 GiB.
func (l *Lab) newNode(machine *node) *corev1.Node {
	node := nodeOf(machine.number, machine.name, l.hardware.Plate())
	node.Spec.PodCIDR = fmt.Sprintf("10.244.%d.0/24", machine.number)
	node.Spec.PodCIDRs = []string{node.Spec.PodCIDR}
	node.Status.Addresses = []corev1.NodeAddress{
		{Type: corev1.NodeInternalIP, Address: nodeAddress(machine.number)},
		{Type: corev1.NodeHostName, Address: machine.name},
	}
	node.Status.Conditions = l.conditions(machine.name, controlloop.Now())
	node.Status.NodeInfo.BootID = machine.bootID()
	if l.parts.attach {
		node.Annotations = map[string]string{leavesAttaching: "true"}
	}
	return node
}

// nodeOf returns what is the same of such a machine wherever it is.
func nodeOf(n int, name string, plate Plate) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name: name,
			Labels: map[string]string{
				corev1.LabelHostname:      name,
				corev1.LabelOSStable:      "linux",
				corev1.LabelArchStable:    plate.Architecture,
				"beta.kubernetes.io/os":   "linux",
				"beta.kubernetes.io/arch": plate.Architecture,
			},
		},
		Status: corev1.NodeStatus{
			Capacity:    capacity(),
			Allocatable: capacity(),
			NodeInfo: corev1.NodeSystemInfo{
				MachineID:               fmt.Sprintf("%032x", n),
				SystemUUID:              fmt.Sprintf("00000000-0000-0000-0000-%012x", n),
				KernelVersion:           plate.Kernel,
				OSImage:                 plate.System,
				ContainerRuntimeVersion: plate.Runtime,
				KubeletVersion:          KubeletVersion,
				OperatingSystem:         "linux",
				Architecture:            plate.Architecture,
			},
		},
	}
}

func capacity() corev1.ResourceList {
	return corev1.ResourceList{
		corev1.ResourceCPU:              resource.MustParse("4"),
		corev1.ResourceMemory:           resource.MustParse("8Gi"),
		corev1.ResourceEphemeralStorage: resource.MustParse("100Gi"),
		corev1.ResourcePods:             resource.MustParse("110"),
	}
}

// conditions returns those of a node without complaints, except perhaps that it
// has no network (Kubernetes: pkg/kubelet/nodestatus/setters.go).
func (l *Lab) conditions(node string, since metav1.Time) []corev1.NodeCondition {
	condition := func(
		t corev1.NodeConditionType, is bool, reason, message string,
	) corev1.NodeCondition {
		c := corev1.NodeCondition{
			Type: t, Status: corev1.ConditionFalse, Reason: reason, Message: message,
			LastHeartbeatTime: since, LastTransitionTime: since,
		}
		if is {
			c.Status = corev1.ConditionTrue
		}
		return c
	}
	ok, reason, message := l.ready(node)
	return []corev1.NodeCondition{
		condition(corev1.NodeMemoryPressure, false,
			"KubeletHasSufficientMemory", "kubelet has sufficient memory available"),
		condition(corev1.NodeDiskPressure, false,
			"KubeletHasNoDiskPressure", "kubelet has no disk pressure"),
		condition(corev1.NodePIDPressure, false,
			"KubeletHasSufficientPID", "kubelet has sufficient PID available"),
		condition(corev1.NodeReady, ok, reason, message),
	}
}
