package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// state describes what controllers have made of a namespace, a line an object:
// all that they decide, and nothing that differs from one run to the next, as
// times, addresses, uids, nodes and generated names do.
func state(ctx context.Context, client kubernetes.Interface, namespace string) (string, error) {
	s := &look{}
	apps, core, all := client.AppsV1(), client.CoreV1(), metav1.ListOptions{}
	deployments, err := apps.Deployments(namespace).List(ctx, all)
	s.failed(err)
	sets, err := apps.ReplicaSets(namespace).List(ctx, all)
	s.failed(err)
	controllers, err := core.ReplicationControllers(namespace).List(ctx, all)
	s.failed(err)
	stateful, err := apps.StatefulSets(namespace).List(ctx, all)
	s.failed(err)
	daemons, err := apps.DaemonSets(namespace).List(ctx, all)
	s.failed(err)
	revisions, err := apps.ControllerRevisions(namespace).List(ctx, all)
	s.failed(err)
	pods, err := core.Pods(namespace).List(ctx, all)
	s.failed(err)
	claims, err := core.PersistentVolumeClaims(namespace).List(ctx, all)
	s.failed(err)
	volumes, err := core.PersistentVolumes().List(ctx, all)
	s.failed(err)
	endpoints, err := client.DiscoveryV1().EndpointSlices(namespace).List(ctx, all)
	s.failed(err)
	budgets, err := client.PolicyV1().PodDisruptionBudgets(namespace).List(ctx, all)
	s.failed(err)
	if s.err != nil {
		return "", s.err
	}
	for _, o := range deployments.Items {
		s.deployment(&o)
	}
	for _, o := range sets.Items {
		s.say("ReplicaSet", &o, "wants %d, has %d, ready %d, available %d, observed %t", *o.Spec.Replicas,
			o.Status.Replicas, o.Status.ReadyReplicas, o.Status.AvailableReplicas, o.Status.ObservedGeneration == o.Generation)
	}
	for _, o := range controllers.Items {
		s.say("ReplicationController", &o, "wants %d, has %d, ready %d, available %d, observed %t", *o.Spec.Replicas,
			o.Status.Replicas, o.Status.ReadyReplicas, o.Status.AvailableReplicas, o.Status.ObservedGeneration == o.Generation)
	}
	for _, o := range stateful.Items {
		t := o.Status
		s.say("StatefulSet", &o, "wants %d, has %d, ready %d, available %d, current %d of %s, updated %d of %s, observed %t", *o.Spec.Replicas,
			t.Replicas, t.ReadyReplicas, t.AvailableReplicas, t.CurrentReplicas, t.CurrentRevision, t.UpdatedReplicas, t.UpdateRevision, t.ObservedGeneration == o.Generation)
	}
	for _, o := range daemons.Items {
		t := o.Status
		s.say("DaemonSet", &o, "wants %d, scheduled %d, misscheduled %d, ready %d, available %d, updated %d, observed %t", t.DesiredNumberScheduled,
			t.CurrentNumberScheduled, t.NumberMisscheduled, t.NumberReady, t.NumberAvailable, t.UpdatedNumberScheduled, t.ObservedGeneration == o.Generation)
	}
	for _, o := range revisions.Items {
		s.say("ControllerRevision", &o, "%d", o.Revision)
	}
	for _, o := range pods.Items {
		s.pod(&o)
	}
	for _, o := range claims.Items {
		s.say("PersistentVolumeClaim", &o, "%s to %s, finalizers %v", o.Status.Phase, o.Spec.VolumeName, o.Finalizers)
	}
	for _, o := range volumes.Items {
		if ref := o.Spec.ClaimRef; ref != nil && ref.Namespace == namespace {
			s.say("PersistentVolume", &o, "%s to %s, finalizers %v", o.Status.Phase, ref.Name, o.Finalizers)
		}
	}
	for _, o := range endpoints.Items {
		s.endpoints(&o)
	}
	for _, o := range budgets.Items {
		t := o.Status
		s.say("PodDisruptionBudget", &o, "allowed %d, healthy %d of %d, expected %d", t.DisruptionsAllowed, t.CurrentHealthy, t.DesiredHealthy, t.ExpectedPods)
	}
	return s.text(), nil
}

// look is a state that is being described.
type look struct {
	lines []string
	err   error
}

func (s *look) failed(err error) {
	if s.err == nil {
		s.err = err
	}
}

// text returns the lines in an order that does not depend on generated names.
func (s *look) text() string {
	slices.Sort(s.lines)
	return strings.Join(s.lines, "\n")
}

// say adds a line: what an object is called, whose it is, and what is known.
func (s *look) say(kind string, obj metav1.Object, format string, args ...any) {
	name := obj.GetName()
	if generated := obj.GetGenerateName(); generated != "" {
		name = generated + "*"
	}
	var owners []string
	for _, o := range obj.GetOwnerReferences() {
		owners = append(owners, o.Kind+" "+o.Name)
	}
	line := kind + " " + name
	if len(owners) > 0 {
		line += " of " + strings.Join(owners, ", ")
	}
	if revision := obj.GetAnnotations()["deployment.kubernetes.io/revision"]; revision != "" {
		line += ", revision " + revision
	}
	if obj.GetDeletionTimestamp() != nil {
		line += ", ends"
	}
	s.lines = append(s.lines, line+": "+fmt.Sprintf(format, args...))
}

func (s *look) deployment(d *appsv1.Deployment) {
	t := d.Status
	var conditions []string
	for _, c := range t.Conditions {
		conditions = append(conditions, fmt.Sprintf("%s=%s %s", c.Type, c.Status, c.Reason))
	}
	slices.Sort(conditions)
	s.say("Deployment", d, "wants %d, has %d, ready %d, available %d, updated %d, observed %t, %s", *d.Spec.Replicas,
		t.Replicas, t.ReadyReplicas, t.AvailableReplicas, t.UpdatedReplicas, t.ObservedGeneration == d.Generation, strings.Join(conditions, ", "))
}

func (s *look) pod(p *corev1.Pod) {
	var labels []string
	for _, key := range slices.Sorted(maps.Keys(p.Labels)) {
		labels = append(labels, key+"="+p.Labels[key])
	}
	ready := corev1.ConditionUnknown
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			ready = c.Status
		}
	}
	s.say("Pod", p, "%s, ready %s, %s, %s", p.Status.Phase, ready, p.Spec.Containers[0].Image, strings.Join(labels, " "))
}

func (s *look) endpoints(e *discoveryv1.EndpointSlice) {
	ready := 0
	var ports []string
	for _, at := range e.Endpoints {
		if at.Conditions.Ready == nil || *at.Conditions.Ready {
			ready++
		}
	}
	for _, port := range e.Ports {
		ports = append(ports, fmt.Sprint(*port.Port))
	}
	s.say("EndpointSlice", e, "%d addresses, %d ready, ports %v, of %s", len(e.Endpoints), ready, ports, e.Labels[discoveryv1.LabelManagedBy])
}
