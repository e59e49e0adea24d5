package kinds_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
)

// find returns the entry of a resource of the table.
func find(t *testing.T, resource string) kinds.Kind {
	t.Helper()
	for _, kind := range kinds.All() {
		if kind.Resource == resource {
			return kind
		}
	}
	require.Fail(t, "no kind has this resource", resource)
	return kinds.Kind{}
}

func TestEveryKindThatTheBookNeedsIsServed(t *testing.T) {
	var served []string
	for _, kind := range kinds.All() {
		line := []string{kind.GroupVersion().String(), kind.GroupVersionKind.Kind,
			kind.Resource, strings.Join(kind.ShortNames, ",")}
		if kind.Namespaced {
			line = append(line, "namespaced")
		}
		if kind.HasStatus {
			line = append(line, "status")
		}
		if kind.HasGeneration {
			line = append(line, "generation")
		}
		if kind.Scale != nil {
			line = append(line, "scale")
		}
		if kind.CreateOnUpdate {
			line = append(line, "put-creates")
		}
		if kind.OneByOne {
			line = append(line, "one-by-one")
		}
		served = append(served, strings.Join(append(line, kind.Categories...), " "))
	}
	assert.ElementsMatch(t, []string{
		"v1 ConfigMap configmaps cm namespaced",
		"v1 Endpoints endpoints ep namespaced put-creates",
		"v1 Event events ev namespaced put-creates",
		"v1 Namespace namespaces ns status one-by-one",
		"v1 Node nodes no status",
		"v1 PersistentVolume persistentvolumes pv status",
		"v1 PersistentVolumeClaim persistentvolumeclaims pvc namespaced status",
		"v1 Pod pods po namespaced status generation all",
		"v1 ReplicationController replicationcontrollers rc namespaced status generation scale all",
		"v1 Secret secrets  namespaced",
		"v1 Service services svc namespaced status put-creates all",
		"v1 ServiceAccount serviceaccounts sa namespaced",
		"apps/v1 ControllerRevision controllerrevisions  namespaced",
		"apps/v1 DaemonSet daemonsets ds namespaced status generation all",
		"apps/v1 Deployment deployments deploy namespaced status generation scale all",
		"apps/v1 ReplicaSet replicasets rs namespaced status generation scale all",
		"apps/v1 StatefulSet statefulsets sts namespaced status generation scale all",
		"coordination.k8s.io/v1 Lease leases  namespaced put-creates",
		"discovery.k8s.io/v1 EndpointSlice endpointslices  namespaced generation",
		"storage.k8s.io/v1 StorageClass storageclasses sc",
		"v1 LimitRange limitranges limits namespaced",
		"v1 ResourceQuota resourcequotas quota namespaced status",
		"batch/v1 CronJob cronjobs cj namespaced status generation all",
		"batch/v1 Job jobs  namespaced status generation all",
		"networking.k8s.io/v1 Ingress ingresses ing namespaced status generation",
		"policy/v1 PodDisruptionBudget poddisruptionbudgets pdb namespaced status generation",
		"scheduling.k8s.io/v1 PriorityClass priorityclasses pc generation",
		"storage.k8s.io/v1 CSIDriver csidrivers ",
		"storage.k8s.io/v1 CSINode csinodes ",
		"storage.k8s.io/v1 CSIStorageCapacity csistoragecapacities  namespaced",
		"storage.k8s.io/v1 VolumeAttachment volumeattachments  status",
		"resource.k8s.io/v1 DeviceClass deviceclasses  generation",
		"resource.k8s.io/v1 ResourceClaim resourceclaims  namespaced status",
		"resource.k8s.io/v1 ResourceSlice resourceslices  generation",
	}, served)
}

func TestAKindMakesObjectsOfTheTypeThatKubernetesHasForIt(t *testing.T) {
	for _, kind := range kinds.All() {
		want, err := scheme.Scheme.New(kind.GroupVersionKind)
		require.NoError(t, err)
		assert.IsType(t, want, kind.New(), kind.Resource)
	}
}

func TestKindsOfOneGroupComeTogether(t *testing.T) {
	all := kinds.Store(kinds.All())
	assert.Len(t, all.All(), len(kinds.All()), "two entries of one kind")
	for _, kind := range kinds.All() {
		stored, err := all.For(kind.GroupVersionKind)
		require.NoError(t, err)
		assert.Equal(t, kind.Resource, stored.Resource)
	}
}

func TestAFieldSelectorMayNameWhatKubernetesLetsItName(t *testing.T) {
	for resource, want := range map[string][]string{
		"pods": {
			"spec.nodeName", "spec.restartPolicy", "spec.schedulerName",
			"spec.serviceAccountName", "spec.hostNetwork", "status.phase",
			"status.podIP", "status.nominatedNodeName",
		},
		"nodes":                  {"spec.unschedulable"},
		"namespaces":             {"status.phase"},
		"secrets":                {"type"},
		"services":               {"spec.clusterIP", "spec.type"},
		"replicationcontrollers": {"status.replicas"},
		"replicasets":            {"status.replicas"},
		"events": {
			"involvedObject.kind", "involvedObject.namespace", "involvedObject.name",
			"involvedObject.uid", "involvedObject.apiVersion",
			"involvedObject.resourceVersion", "involvedObject.fieldPath",
			"reason", "reportingComponent", "source", "type",
		},
	} {
		var names []string
		kind := find(t, resource)
		for name := range kind.Fields(kind.New()) {
			names = append(names, name)
		}
		assert.ElementsMatch(t, want, names, resource)
	}
	assert.Nil(t, find(t, "configmaps").Fields)
}

func TestFieldsAreThoseOfTheObject(t *testing.T) {
	for _, test := range []struct {
		resource string
		obj      controlloop.Object
		name     string
		want     string
	}{
		{"nodes", &corev1.Node{}, "spec.unschedulable", "false"},
		{"nodes", &corev1.Node{Spec: corev1.NodeSpec{Unschedulable: true}},
			"spec.unschedulable", "true"},
		{"pods", &corev1.Pod{Status: corev1.PodStatus{PodIPs: []corev1.PodIP{
			{IP: "10.244.1.1"}, {IP: "fd00::1"}}}}, "status.podIP", "10.244.1.1"},
		{"events", &corev1.Event{Source: corev1.EventSource{Component: "kubelet"}},
			"source", "kubelet"},
		{"events", &corev1.Event{ReportingController: "scheduler"}, "source", "scheduler"},
		{"replicasets", &appsv1.ReplicaSet{Status: appsv1.ReplicaSetStatus{Replicas: 3}},
			"status.replicas", "3"},
	} {
		got := find(t, test.resource).Fields(test.obj)[test.name]
		assert.Equal(t, test.want, got, "%s of %s", test.name, test.resource)
	}
}
