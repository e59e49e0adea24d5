package kinds

import (
	"cmp"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"

	controlloop "reconcile/chapters/01-control-loop"
)

// A field selector may name the fields that Kubernetes lets it name: those of
// the function SelectableFields in pkg/registry/<group>/<kind>/strategy.go.

// podFields returns those beyond chapter 1's.
func podFields(obj controlloop.Object) fields.Set {
	pod := obj.(*corev1.Pod)
	return fields.Set{
		"spec.schedulerName":       pod.Spec.SchedulerName,
		"spec.serviceAccountName":  pod.Spec.ServiceAccountName,
		"spec.hostNetwork":         strconv.FormatBool(pod.Spec.HostNetwork),
		"status.podIP":             podIP(pod),
		"status.nominatedNodeName": pod.Status.NominatedNodeName,
	}
}

func podIP(pod *corev1.Pod) string {
	for _, ip := range pod.Status.PodIPs {
		return ip.IP
	}
	return pod.Status.PodIP
}

func nodeFields(obj controlloop.Object) fields.Set {
	return fields.Set{
		"spec.unschedulable": strconv.FormatBool(obj.(*corev1.Node).Spec.Unschedulable),
	}
}

func namespaceFields(obj controlloop.Object) fields.Set {
	return fields.Set{"status.phase": string(obj.(*corev1.Namespace).Status.Phase)}
}

func secretFields(obj controlloop.Object) fields.Set {
	return fields.Set{"type": string(obj.(*corev1.Secret).Type)}
}

func serviceFields(obj controlloop.Object) fields.Set {
	service := obj.(*corev1.Service)
	return fields.Set{
		"spec.clusterIP": service.Spec.ClusterIP,
		"spec.type":      string(service.Spec.Type),
	}
}

func replicationControllerFields(obj controlloop.Object) fields.Set {
	rc := obj.(*corev1.ReplicationController)
	return fields.Set{"status.replicas": strconv.Itoa(int(rc.Status.Replicas))}
}

func replicaSetFields(obj controlloop.Object) fields.Set {
	rs := obj.(*appsv1.ReplicaSet)
	return fields.Set{"status.replicas": strconv.Itoa(int(rs.Status.Replicas))}
}

func jobFields(obj controlloop.Object) fields.Set {
	return fields.Set{"status.successful": strconv.Itoa(int(obj.(*batchv1.Job).Status.Succeeded))}
}

func eventFields(obj controlloop.Object) fields.Set {
	event := obj.(*corev1.Event)
	about := event.InvolvedObject
	return fields.Set{
		"involvedObject.kind":            about.Kind,
		"involvedObject.namespace":       about.Namespace,
		"involvedObject.name":            about.Name,
		"involvedObject.uid":             string(about.UID),
		"involvedObject.apiVersion":      about.APIVersion,
		"involvedObject.resourceVersion": about.ResourceVersion,
		"involvedObject.fieldPath":       about.FieldPath,
		"reason":                         event.Reason,
		"reportingComponent":             event.ReportingController,
		"source":                         cmp.Or(event.Source.Component, event.ReportingController),
		"type":                           event.Type,
	}
}
