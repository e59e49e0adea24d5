package trace

import (
	"cmp"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Summary is an object in a few words: what a drawing needs of it.
type Summary struct {
	Owner string `json:"owner,omitempty"` // that controls it: "ReplicaSet default/web-1"
	Word  string `json:"word,omitempty"`  // its state, as kubectl get has it
	Mark  string `json:"mark,omitempty"`  // waits, starts, ready, ends, failed, done
	Has   facts  `json:"has,omitempty"`   // what that word doesn't say: "2 available", "Ready"

	Node   string            `json:"node,omitempty"`
	IP     string            `json:"ip,omitempty"`
	Image  string            `json:"image,omitempty"`
	Labels map[string]string `json:"labels,omitempty"`
	Claims []string          `json:"claims,omitempty"`

	Selector map[string]string `json:"selector,omitempty"` // a Service's
	Volume   string            `json:"volume,omitempty"`   // a claim's

	About string `json:"about,omitempty"` // an Event's: "Pod default/web-1"
	Text  string `json:"text,omitempty"`
	Warns bool   `json:"warns,omitempty"`
}

// summary returns an object in a few words.
func summary(obj controlloop.Object) *Summary {
	s := &Summary{Has: has(obj)}
	if owner := metav1.GetControllerOfNoCopy(obj); owner != nil {
		s.Owner = owner.Kind + " " + nameOf(controlloop.Key{Namespace: obj.GetNamespace(), Name: owner.Name})
	}
	switch obj := obj.(type) {
	case *corev1.Pod:
		ofPod(s, obj)
	case *corev1.Node:
		ofNode(s, obj)
	case *corev1.Service:
		s.Selector, s.IP = obj.Spec.Selector, obj.Spec.ClusterIP
	case *corev1.PersistentVolumeClaim:
		s.Volume, s.Word = obj.Spec.VolumeName, string(obj.Status.Phase)
	case *corev1.PersistentVolume:
		s.Word = string(obj.Status.Phase)
	case *corev1.Event:
		about := obj.InvolvedObject
		s.About = about.Kind + " " + nameOf(controlloop.Key{Namespace: about.Namespace, Name: about.Name})
		s.Word, s.Text, s.Warns = obj.Reason, obj.Message, obj.Type == corev1.EventTypeWarning
	case *appsv1.Deployment:
		s.Word = share(obj.Status.ReadyReplicas, obj.Spec.Replicas)
	case *appsv1.ReplicaSet:
		s.Word = share(obj.Status.ReadyReplicas, obj.Spec.Replicas)
	case *appsv1.StatefulSet:
		s.Word = share(obj.Status.ReadyReplicas, obj.Spec.Replicas)
	case *appsv1.DaemonSet:
		s.Word = share(obj.Status.NumberReady, &obj.Status.DesiredNumberScheduled)
	}
	if obj.GetDeletionTimestamp() != nil {
		s.Word, s.Mark = "Terminating", "ends"
	}
	return s
}

// share is how many of those that are wished for are ready.
func share(ready int32, of *int32) string {
	wished := int32(1)
	if of != nil {
		wished = *of
	}
	return fmt.Sprintf("%d/%d", ready, wished)
}

// ofPod says of a Pod what kubectl get pods does, in short (Kubernetes: printPod in
// pkg/printers/internalversion/printers.go).
func ofPod(s *Summary, pod *corev1.Pod) {
	s.Node, s.IP, s.Labels = pod.Spec.NodeName, pod.Status.PodIP, pod.Labels
	if len(pod.Spec.Containers) > 0 {
		s.Image = pod.Spec.Containers[0].Image
	}
	for _, v := range pod.Spec.Volumes {
		if v.PersistentVolumeClaim != nil {
			s.Claims = append(s.Claims, pod.Namespace+"/"+v.PersistentVolumeClaim.ClaimName)
		}
	}
	s.Word = cmp.Or(pod.Status.Reason, string(pod.Status.Phase))
	s.Mark = map[corev1.PodPhase]string{
		corev1.PodRunning: "starts", corev1.PodSucceeded: "done", corev1.PodFailed: "failed",
	}[pod.Status.Phase]
	for _, all := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, c := range all {
			if waits := c.State.Waiting; waits != nil && waits.Reason != "" {
				s.Word, s.Mark = waits.Reason, markOf(waits.Reason)
			}
		}
	}
	switch {
	case isReady(pod):
		s.Mark = "ready"
	case s.Mark == "":
		s.Mark = "waits"
	}
}

// markOf returns the mark of a container's reason to wait.
func markOf(reason string) string {
	switch reason {
	case "ContainerCreating", "PodInitializing":
		return "starts"
	}
	return "failed"
}

func isReady(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func ofNode(s *Summary, node *corev1.Node) {
	s.Word, s.Mark = "NotReady", "failed"
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue {
			s.Word, s.Mark = "Ready", "ready"
		}
	}
	if node.Spec.Unschedulable {
		s.Word += ",SchedulingDisabled"
	}
}
