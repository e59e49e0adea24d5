package rules_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/kubetest"
)

// decode returns the one object of a manifest.
func decode(t *testing.T, manifest string) controlloop.Object {
	t.Helper()
	objs := kubetest.Objects(t, kinds.Store(kinds.All()), manifest)
	require.Len(t, objs, 1)
	return objs[0]
}

// newStore returns a store that holds one object.
func newStore(t *testing.T, obj controlloop.Object) (*controlloop.Store, controlloop.Object) {
	t.Helper()
	store := controlloop.NewStore(kinds.Store(kinds.All()))
	stored, err := store.Create(t.Context(), obj)
	require.NoError(t, err)
	return store, stored
}

// stored returns the object of a manifest, as a store keeps it.
func stored(t *testing.T, manifest string) controlloop.Object {
	t.Helper()
	_, obj := newStore(t, decode(t, manifest))
	return obj
}

// assertHolds compares the parts of obj that want, in YAML, speaks of.
func assertHolds(t *testing.T, want string, obj controlloop.Object) {
	t.Helper()
	var expected map[string]any
	require.NoError(t, yaml.Unmarshal([]byte(want), &expected))
	actual, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	require.NoError(t, err)
	got, err := yaml.Marshal(only(expected, actual))
	require.NoError(t, err)
	assert.YAMLEq(t, want, string(got))
}

// only returns the part of actual that is in expected too.
func only(expected, actual any) any {
	switch expected := expected.(type) {
	case map[string]any:
		actual, _ := actual.(map[string]any)
		part := map[string]any{}
		for key := range expected {
			if value, ok := actual[key]; ok {
				part[key] = only(expected[key], value)
			}
		}
		return part
	case []any:
		actual, _ := actual.([]any)
		var part []any
		for i := range actual {
			if i < len(expected) {
				part = append(part, only(expected[i], actual[i]))
			} else {
				part = append(part, actual[i])
			}
		}
		return part
	}
	return actual
}

// causes returns what the API says is wrong with an object, field by field.
func causes(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	var status apierrors.APIStatus
	require.ErrorAs(t, err, &status)
	require.True(t, apierrors.IsInvalid(err), err)
	var all []string
	for _, cause := range status.Status().Details.Causes {
		all = append(all, cause.Field+": "+cause.Message)
	}
	return all
}

// manifests has an object of each kind that a chapter defines, and a few more.
var manifests = map[string]string{
	"Pod": `{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [{name: web,
		image: nginx, ports: [{containerPort: 80}], env: [{name: A, value: b}],
		resources: {limits: {cpu: 1}}, volumeMounts: [{name: data, mountPath: /data}],
		readinessProbe: {httpGet: {port: 80}}}], volumes: [{name: data, emptyDir: {}}]}}`,
	"ReplicationController": `{apiVersion: v1, kind: ReplicationController, metadata: {name: web},
		spec: {selector: {app: web}, ` + template + `}}`,
	"Namespace": `{apiVersion: v1, kind: Namespace, metadata: {name: web}}`,
	"Node": `{apiVersion: v1, kind: Node, metadata: {name: web}, spec: {podCIDR: 10.244.1.0/24,
		taints: [{key: a, effect: NoSchedule}]}, status: {capacity: {cpu: 1}}}`,
	"ConfigMap": `{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: b}}`,
	"Secret":    `{apiVersion: v1, kind: Secret, metadata: {name: web}, data: {a: YWI=}}`,
	"Service": `{apiVersion: v1, kind: Service, metadata: {name: web},
		spec: {selector: {app: web}, ports: [{name: http, port: 80}]}}`,
	"EndpointSlice": `{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web},
		addressType: IPv4, endpoints: [{addresses: [10.0.0.1]}], ports: [{port: 80}]}`,
	"ReplicaSet":  workload("ReplicaSet", "replicas: 2"),
	"Deployment":  workload("Deployment", "replicas: 2, strategy: {rollingUpdate: {maxSurge: 1}}"),
	"StatefulSet": workload("StatefulSet", "serviceName: web, "+claims),
	"DaemonSet":   workload("DaemonSet", "updateStrategy: {rollingUpdate: {maxUnavailable: 1}}"),
	"ControllerRevision": `{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: web},
		data: {a: b}, revision: 1}`,
	"PersistentVolumeClaim": `{apiVersion: v1, kind: PersistentVolumeClaim, metadata: {name: web},
		spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}}`,
	"PersistentVolume": `{apiVersion: v1, kind: PersistentVolume, metadata: {name: web},
		spec: {accessModes: [ReadWriteOnce], capacity: {storage: 1Gi}, hostPath: {path: /data}}}`,
	"StorageClass": `{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: web},
		provisioner: example.com/fast}`,
	"Lease": `{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: web},
		spec: {leaseDurationSeconds: 40, holderIdentity: a}}`,
	"PodDisruptionBudget": `{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web},
		spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}}`,
	"PriorityClass": `{apiVersion: scheduling.k8s.io/v1, kind: PriorityClass, metadata: {name: web},
		value: 7}`,
	"Job": `{apiVersion: batch/v1, kind: Job, metadata: {name: web},
		spec: {template: {spec: {restartPolicy: Never, containers: [{name: web, image: nginx}]}}}}`,
	"CronJob": `{apiVersion: batch/v1, kind: CronJob, metadata: {name: web}, spec: {schedule: "* * * * *",
		jobTemplate: {spec: {template: {spec: {restartPolicy: Never,
		containers: [{name: web, image: nginx}]}}}}}}`,
}

const (
	template = `template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}`
	claims   = `volumeClaimTemplates: [{metadata: {name: data}, spec: {accessModes: [ReadWriteOnce],
		resources: {requests: {storage: 1Gi}}}}]`
)

func workload(kind, spec string) string {
	return "{apiVersion: apps/v1, kind: " + kind + ", metadata: {name: web}, spec: {" +
		spec + ", selector: {matchLabels: {app: web}}, " + template + "}}"
}
