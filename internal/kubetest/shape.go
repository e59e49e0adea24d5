package kubetest

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Shape returns the state of the cluster without the details in which two runs
// to the same end may differ: generated names, uids, times, versions, and the
// node and the address of a Pod. One line an object, sorted.
func (c *Cluster) Shape() string {
	c.t.Helper()
	var lines []string
	for _, kind := range c.Store.Kinds().All() {
		for _, obj := range All[controlloop.Object](c, kind.GroupVersionKind) {
			text, err := json.Marshal(shapeOf(obj))
			require.NoError(c.t, err)
			lines = append(lines, kind.Kind+" "+string(text))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func shapeOf(obj controlloop.Object) controlloop.Object {
	obj = controlloop.Copy(obj)
	if obj.GetGenerateName() != "" {
		obj.SetName("")
	}
	obj.SetUID("")
	obj.SetResourceVersion("")
	obj.SetCreationTimestamp(metav1.Time{})
	owners := obj.GetOwnerReferences()
	for i := range owners {
		owners[i].UID = ""
	}
	obj.SetOwnerReferences(owners)
	switch obj := obj.(type) {
	case *corev1.Pod:
		shapePod(obj)
	case *appsv1.ReplicaSet:
		// The number of changes says how it came here, not where it is.
		obj.Status.ObservedGeneration -= obj.Generation
		obj.Generation = 0
		for i := range obj.Status.Conditions {
			obj.Status.Conditions[i].LastTransitionTime = metav1.Time{}
		}
	case *appsv1.Deployment:
		obj.Status.ObservedGeneration -= obj.Generation
		obj.Generation = 0
		shapeConditions(obj.Status.Conditions)
	}
	return obj
}

// shapeConditions forgets when a Deployment's conditions were written, and in
// which order.
func shapeConditions(conditions []appsv1.DeploymentCondition) {
	for i := range conditions {
		conditions[i].LastTransitionTime = metav1.Time{}
		conditions[i].LastUpdateTime = metav1.Time{}
	}
	slices.SortFunc(conditions, func(a, b appsv1.DeploymentCondition) int {
		return strings.Compare(string(a.Type), string(b.Type))
	})
}

func shapePod(pod *corev1.Pod) {
	if pod.Spec.NodeName != "" {
		pod.Spec.NodeName = "a node"
	}
	status := &pod.Status
	status.StartTime = nil
	if status.PodIP != "" {
		status.PodIP, status.PodIPs = "an address", nil
	}
	for i := range status.Conditions {
		status.Conditions[i].LastTransitionTime = metav1.Time{}
	}
	for _, list := range [][]corev1.ContainerStatus{
		status.InitContainerStatuses, status.ContainerStatuses,
	} {
		for i := range list {
			list[i].ContainerID = ""
			shapeState(&list[i].State)
			shapeState(&list[i].LastTerminationState)
		}
	}
}

func shapeState(state *corev1.ContainerState) {
	if running := state.Running; running != nil {
		running.StartedAt = metav1.Time{}
	}
	if end := state.Terminated; end != nil {
		end.StartedAt, end.FinishedAt = metav1.Time{}, metav1.Time{}
		end.ContainerID = ""
	}
}
