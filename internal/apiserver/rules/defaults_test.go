package rules_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
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

const template = `
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers: [{name: web, image: nginx}]
`

// The values are those that Kubernetes' own functions give: SetDefaults_… in
// pkg/apis/<group>/v1/defaults.go.
func TestWhatIsLeftOutIsFilledInAsKubernetesDoes(t *testing.T) {
	for name, test := range map[string]struct{ manifest, want string }{
		"Deployment": {
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:" + template, `
            spec:
              replicas: 1
              revisionHistoryLimit: 10
              progressDeadlineSeconds: 600
              strategy:
                type: RollingUpdate
                rollingUpdate: {maxUnavailable: 25%, maxSurge: 25%}
              template:
                spec:
                  restartPolicy: Always
                  dnsPolicy: ClusterFirst
                  schedulerName: default-scheduler
                  securityContext: {}
                  terminationGracePeriodSeconds: 30
                  containers:
                  - imagePullPolicy: Always
                    terminationMessagePath: /dev/termination-log
                    terminationMessagePolicy: File
                    resources: {}
            `,
		},
		"Deployment that recreates": {
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n" +
				"  strategy: {type: Recreate}" + template,
			`spec: {strategy: {type: Recreate}}`,
		},
		"Deployment with one bound": {
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n" +
				"  strategy: {rollingUpdate: {maxSurge: 2}}" + template, `
            spec:
              strategy:
                type: RollingUpdate
                rollingUpdate: {maxUnavailable: 25%, maxSurge: 2}
            `,
		},
		"ReplicaSet": {
			"apiVersion: apps/v1\nkind: ReplicaSet\nmetadata: {name: web}\nspec:" + template,
			`spec: {replicas: 1, template: {spec: {restartPolicy: Always}}}`,
		},
		"StatefulSet": {
			"apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: web}\nspec:\n" +
				"  volumeClaimTemplates:\n" +
				"  - metadata: {name: data}\n" +
				"    spec:\n" +
				"      accessModes: [ReadWriteOnce]\n" +
				"      resources: {requests: {storage: 1Gi}}" + template, `
            spec:
              replicas: 1
              revisionHistoryLimit: 10
              podManagementPolicy: OrderedReady
              updateStrategy:
                type: RollingUpdate
                rollingUpdate: {partition: 0, maxUnavailable: 1}
              persistentVolumeClaimRetentionPolicy:
                whenDeleted: Retain
                whenScaled: Retain
              template: {spec: {restartPolicy: Always}}
              volumeClaimTemplates:
              - apiVersion: v1
                kind: PersistentVolumeClaim
                spec: {volumeMode: Filesystem}
                status: {phase: Pending}
            `,
		},
		"StatefulSet that names its strategy": {
			"apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: web}\nspec:\n" +
				"  updateStrategy: {type: RollingUpdate}" + template,
			`spec: {updateStrategy: {type: RollingUpdate}}`,
		},
		"DaemonSet": {
			"apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: web}\nspec:" + template, `
            spec:
              revisionHistoryLimit: 10
              updateStrategy:
                type: RollingUpdate
                rollingUpdate: {maxUnavailable: 1, maxSurge: 0}
              template: {spec: {restartPolicy: Always}}
            `,
		},
		"PersistentVolumeClaim": {`
            apiVersion: v1
            kind: PersistentVolumeClaim
            metadata: {name: data}
            spec:
              accessModes: [ReadWriteOnce]
              resources: {requests: {storage: 1Gi}}
            `,
			`{spec: {volumeMode: Filesystem}, status: {phase: Pending}}`,
		},
		"PersistentVolume": {`
            apiVersion: v1
            kind: PersistentVolume
            metadata: {name: data}
            spec:
              accessModes: [ReadWriteOnce]
              capacity: {storage: 1Gi}
              hostPath: {path: /data}
            `, `
            spec:
              volumeMode: Filesystem
              persistentVolumeReclaimPolicy: Retain
              hostPath: {type: ""}
            status: {phase: Pending}
            `,
		},
		"StorageClass": {`
            apiVersion: storage.k8s.io/v1
            kind: StorageClass
            metadata: {name: fast}
            provisioner: example.com/fast
            `,
			`{reclaimPolicy: Delete, volumeBindingMode: Immediate}`,
		},
		"Secret": {`
            apiVersion: v1
            kind: Secret
            metadata: {name: key}
            data: {user: YWRtaW4=, password: b2xk}
            stringData: {password: new}
            `,
			`{type: Opaque, data: {user: YWRtaW4=, password: bmV3}}`,
		},
		"Endpoints": {`
            apiVersion: v1
            kind: Endpoints
            metadata: {name: web}
            subsets:
            - addresses: [{ip: 10.244.1.1}]
              ports: [{port: 80}]
            `,
			`subsets: [{ports: [{port: 80, protocol: TCP}]}]`,
		},
		"EndpointSlice": {`
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata: {name: web}
            addressType: IPv4
            endpoints: [{addresses: [10.244.1.1]}]
            ports: [{port: 80}]
            `,
			`ports: [{name: "", port: 80, protocol: TCP}]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, obj := newStore(t, decode(t, strings.ReplaceAll(test.manifest, "\t", "")))
			assertHolds(t, test.want, obj)
		})
	}
}

func TestFillingInTwiceChangesNothingMore(t *testing.T) {
	for _, kind := range kinds.All() {
		obj := kind.New()
		kind.Default(obj)
		again := controlloop.Copy(obj)
		kind.Default(again)
		assert.Equal(t, obj, again, kind.Resource)
	}
}

func TestASecretShowsNoTextThatItWasMadeFrom(t *testing.T) {
	_, obj := newStore(t, decode(t,
		"apiVersion: v1\nkind: Secret\nmetadata: {name: key}\nstringData: {a: b}"))
	data, err := yaml.Marshal(obj)
	require.NoError(t, err)
	assert.NotContains(t, string(data), "stringData")
}
