package rules_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
)

// causes are what the API says is wrong with a manifest, field by field.
func causes(t *testing.T, err error) []string {
	t.Helper()
	var status apierrors.APIStatus
	require.ErrorAs(t, err, &status, "nobody refused it")
	require.True(t, apierrors.IsInvalid(err), err)
	var all []string
	for _, cause := range status.Status().Details.Causes {
		all = append(all, cause.Field+": "+cause.Message)
	}
	return all
}

func create(t *testing.T, manifest string) error {
	t.Helper()
	store := controlloop.NewStore(kinds.Store(kinds.All()))
	_, err := store.Create(t.Context(), decode(t, manifest))
	return err
}

const pods = `template: {metadata: {labels: {app: web}}, ` +
	`spec: {containers: [{name: web, image: nginx}]}}`

func workload(kind, spec string) string {
	return "{apiVersion: apps/v1, kind: " + kind + ", metadata: {name: web}, spec: {" +
		spec + "}}"
}

func core(kind, rest string) string {
	return "{apiVersion: v1, kind: " + kind + ", metadata: {name: web}, " + rest + "}"
}

// The messages are those of Kubernetes 1.37, which was given the same objects.
func TestWhatKubernetesRefusesIsRefusedInItsWords(t *testing.T) {
	const web = "selector: {matchLabels: {app: web}}, " + pods
	const db = "selector: {matchLabels: {app: db}}, " + pods
	const mismatch = "spec.template.metadata.labels: Invalid value: {\"app\":\"web\"}: " +
		"`selector` does not match template `labels`"
	for name, test := range map[string]struct {
		manifest string
		want     []string
	}{
		"bounds that leave no room": {
			workload("Deployment", "strategy: {rollingUpdate: "+
				"{maxSurge: 0, maxUnavailable: 0%}}, "+web),
			[]string{"spec.strategy.rollingUpdate.maxUnavailable: Invalid value: " +
				"\"0%\": may not be 0 when `maxSurge` is 0"},
		},
		"more unavailable than there are": {
			workload("Deployment", "strategy: {rollingUpdate: {maxUnavailable: 101%}}, "+web),
			[]string{"spec.strategy.rollingUpdate.maxUnavailable: Invalid value: " +
				`"101%": must not be greater than 100%`},
		},
		"a bound that is no percentage": {
			workload("Deployment", "strategy: {rollingUpdate: {maxSurge: half}}, "+web),
			[]string{"spec.strategy.rollingUpdate.maxSurge: Invalid value: " +
				`"half": a valid percent string must be a numeric string followed by ` +
				`an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`},
		},
		"a negative bound": {
			workload("Deployment", "strategy: {rollingUpdate: {maxSurge: -1}}, "+web),
			[]string{"spec.strategy.rollingUpdate.maxSurge: Invalid value: -1: " +
				"must be greater than or equal to 0"},
		},
		"a set without a selector": {
			workload("StatefulSet", pods),
			[]string{"spec.selector: Required value", mismatch},
		},
		"a set that selects everything": {
			workload("StatefulSet", "selector: {}, "+pods),
			[]string{"spec.selector: Invalid value: {}: " +
				"empty selector is invalid for statefulset"},
		},
		"a set whose Pods are not its own": {
			workload("StatefulSet", db), []string{mismatch},
		},
		"a set of unknown manners": {
			workload("StatefulSet", "podManagementPolicy: Any, updateStrategy: "+
				"{type: Recreate}, persistentVolumeClaimRetentionPolicy: "+
				"{whenScaled: Keep}, "+web),
			[]string{
				`spec.podManagementPolicy: Invalid value: "Any": ` +
					"must be 'OrderedReady' or 'Parallel'",
				`spec.updateStrategy: Invalid value: {"Type":"Recreate",` +
					`"RollingUpdate":null}: must be 'RollingUpdate' or 'OnDelete'`,
				"spec.persistentVolumeClaimRetentionPolicy.whenScaled: " +
					`Unsupported value: "Keep": supported values: "Retain", "Delete"`,
			},
		},
		"a partition without a rolling update": {
			workload("StatefulSet", "updateStrategy: {type: OnDelete, rollingUpdate: "+
				"{partition: 1}}, "+web),
			[]string{`spec.updateStrategy.rollingUpdate: Invalid value: {"Partition":1,` +
				`"MaxUnavailable":null}: only allowed for updateStrategy 'RollingUpdate'`},
		},
		"a set of which nothing may be missing": {
			workload("StatefulSet", "updateStrategy: {rollingUpdate: "+
				"{maxUnavailable: 0, partition: -1}, type: RollingUpdate}, "+web),
			[]string{
				"spec.updateStrategy.rollingUpdate.partition: Invalid value: -1: " +
					"must be greater than or equal to 0",
				"spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: 0: " +
					"cannot be 0",
			},
		},
		"a set whose claim asks for nothing": {
			workload("StatefulSet", "volumeClaimTemplates: "+
				"[{metadata: {name: data}, spec: {}}], "+web),
			[]string{
				"spec.volumeClaimTemplates[0].spec.accessModes: Required value: " +
					"at least 1 access mode is required",
				"spec.volumeClaimTemplates[0].spec.resources[storage]: Required value",
			},
		},
		"a set with fewer than none": {
			workload("StatefulSet", "replicas: -1, minReadySeconds: -1, "+
				"ordinals: {start: -1}, serviceName: A.b, "+web),
			[]string{
				"spec.replicas: Invalid value: -1: must be greater than or equal to 0",
				"spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0",
				"spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0",
				`spec.serviceName: Invalid value: "A.b": a lowercase RFC 1123 label must ` +
					"consist of lower case alphanumeric characters or '-', and must start " +
					"and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', " +
					"regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
			},
		},
		"a daemon of which both or none come first": {
			workload("DaemonSet", "updateStrategy: {rollingUpdate: "+
				"{maxSurge: 1}}, "+web),
			[]string{"spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: " +
				"may not be set when maxUnavailable is non-zero"},
		},
		"a daemon that cannot move": {
			workload("DaemonSet", "updateStrategy: {rollingUpdate: "+
				"{maxUnavailable: 0}}, "+web),
			[]string{"spec.updateStrategy.rollingUpdate.maxUnavailable: " +
				"Required value: cannot be 0 when maxSurge is 0"},
		},
		"a daemon of an unknown strategy": {
			workload("DaemonSet", "updateStrategy: {type: Recreate}, "+web),
			[]string{`spec.updateStrategy: Unsupported value: {"Type":"Recreate",` +
				`"RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"`},
		},
		"a daemon that would end": {
			workload("DaemonSet", "selector: {matchLabels: {app: web}}, template: "+
				"{metadata: {labels: {app: web}}, spec: {restartPolicy: OnFailure, "+
				"activeDeadlineSeconds: 1, containers: [{name: web, image: nginx}]}}"),
			[]string{
				`spec.template.spec.restartPolicy: Unsupported value: "OnFailure": ` +
					`supported values: "Always"`,
				"spec.template.spec.activeDeadlineSeconds: Forbidden: " +
					"activeDeadlineSeconds in DaemonSet is not Supported",
			},
		},
		"a daemon whose Pods are not its own": {
			workload("DaemonSet", db), []string{mismatch},
		},
		"a revision of nothing": {
			"{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: web}, " +
				"revision: -1}",
			[]string{
				"revision: Invalid value: -1: must be greater than or equal to 0",
				"data: Required value: data is mandatory",
			},
		},
		"a Service without ports": {
			core("Service", "spec: {selector: {app: web}}"),
			[]string{"spec.ports: Required value"},
		},
		"a Service with two ports of no name": {
			core("Service", "spec: {ports: [{port: 80}, {port: 80}]}"),
			[]string{
				"spec.ports[0].name: Required value",
				"spec.ports[1].name: Required value",
				`spec.ports[1]: Duplicate value: {"Name":"","Protocol":"TCP",` +
					`"AppProtocol":null,"Port":80,"TargetPort":0,"NodePort":0}`,
			},
		},
		"a Service with a node's port for itself": {
			core("Service", "spec: {ports: [{port: 80, nodePort: 30080}]}"),
			[]string{"spec.ports[0].nodePort: Forbidden: " +
				"may not be used when `type` is 'ClusterIP'"},
		},
		"a headless Service of nodes": {
			core("Service", "spec: {type: NodePort, clusterIP: None, ports: [{port: 80}]}"),
			[]string{"spec.clusterIPs[0]: Invalid value: \"None\": " +
				"may not be set to 'None' for NodePort services"},
		},
		"an external name that is none": {
			core("Service", "spec: {type: ExternalName}"),
			[]string{"spec.externalName: Required value"},
		},
		"a Service of an unknown type": {
			core("Service", "spec: {type: Any, ports: [{port: 0, targetPort: 70000}]}"),
			[]string{
				"spec.ports[0].port: Invalid value: 0: must be between 1 and 65535, inclusive",
				"spec.ports[0].targetPort: Invalid value: 70000: " +
					"must be between 1 and 65535, inclusive",
				`spec.type: Unsupported value: "Any": supported values: "ClusterIP", ` +
					`"ExternalName", "LoadBalancer", "NodePort"`,
			},
		},
		"a claim for nothing": {
			core("PersistentVolumeClaim", "spec: {accessModes: [Any, ReadWriteOncePod, "+
				"ReadWriteOnce], volumeMode: Any, resources: {requests: {storage: 0}}}"),
			[]string{
				`spec.accessModes: Unsupported value: "Any": supported values: ` +
					`"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"`,
				"spec.accessModes: Forbidden: may not use ReadWriteOncePod with other " +
					"access modes",
				`spec.resources[storage]: Invalid value: "0": must be greater than zero`,
				`spec.volumeMode: Unsupported value: "Any": supported values: "Block", ` +
					`"Filesystem"`,
			},
		},
		"a volume of nothing": {
			core("PersistentVolume", "spec: {persistentVolumeReclaimPolicy: Keep}"),
			[]string{
				"spec.accessModes: Required value",
				"spec.capacity: Required value",
				`spec.capacity: Unsupported value: null: supported values: "storage"`,
				`spec.persistentVolumeReclaimPolicy: Unsupported value: "Keep": supported ` +
					`values: "Delete", "Recycle", "Retain"`,
				"spec: Required value: must specify a volume type",
			},
		},
		"a local volume that may be anywhere": {
			core("PersistentVolume", "spec: {accessModes: [ReadWriteOnce], "+
				"capacity: {storage: 1Gi}, local: {path: /data}}"),
			[]string{"spec.nodeAffinity: Required value: Local volume requires node affinity"},
		},
		"a class of nobody's": {
			"{apiVersion: storage.k8s.io/v1, kind: StorageClass, metadata: {name: fast}, " +
				"reclaimPolicy: Recycle, volumeBindingMode: Later}",
			[]string{
				"provisioner: Required value",
				`reclaimPolicy: Unsupported value: "Recycle": supported values: ` +
					`"Delete", "Retain"`,
				`volumeBindingMode: Unsupported value: "Later": supported values: ` +
					`"Immediate", "WaitForFirstConsumer"`,
			},
		},
		"keys that no file can be called": {
			core("ConfigMap", `data: {"a/b": x, both: x}, binaryData: {both: eA==}`),
			[]string{
				`data[a/b]: Invalid value: "a/b": a valid config key must consist of ` +
					"alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or " +
					"'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')",
				`data[both]: Invalid value: "both": duplicate of key present in binaryData`,
			},
		},
		"a certificate without its key": {
			core("Secret", "type: kubernetes.io/tls, stringData: {tls.crt: x}"),
			[]string{"data[tls.key]: Required value"},
		},
		"a registry's password that is no JSON": {
			core("Secret", "type: kubernetes.io/dockerconfigjson, stringData: "+
				"{.dockerconfigjson: secret}"),
			[]string{"data[.dockerconfigjson]: Invalid value: \"<secret contents redacted>\"" +
				": invalid character 's' looking for beginning of value"},
		},
		"endpoints that are nowhere": {
			core("Endpoints", "subsets: [{addresses: [{ip: here}]}, {}]"),
			[]string{
				`subsets[0].addresses[0].ip: Invalid value: "here": must be a valid IP ` +
					"address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
				`subsets[0].addresses[0].ip: Invalid value: "here": must be a valid IP address`,
				"subsets[1]: Required value: must specify `addresses` or `notReadyAddresses`",
			},
		},
		"endpoints that mean another host to each": {
			core("Endpoints", "subsets: [{addresses: [{ip: 127.0.0.1}, {ip: 0.0.0.0}], "+
				"notReadyAddresses: [{ip: 169.254.0.1}, {ip: 224.0.0.1}]}]"),
			[]string{
				`subsets[0].addresses[0].ip: Invalid value: "127.0.0.1": ` +
					"may not be in the loopback range (127.0.0.0/8, ::1/128)",
				`subsets[0].addresses[1].ip: Invalid value: "0.0.0.0": ` +
					"may not be unspecified (0.0.0.0)",
				`subsets[0].notReadyAddresses[0].ip: Invalid value: "169.254.0.1": ` +
					"may not be in the link-local range (169.254.0.0/16, fe80::/10)",
				`subsets[0].notReadyAddresses[1].ip: Invalid value: "224.0.0.1": ` +
					"may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)",
			},
		},
		"a slice of another family": {
			"{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web}, " +
				"addressType: IPv6, endpoints: [{addresses: [10.0.0.1]}, {addresses: []}], " +
				"ports: [{name: a}, {name: a}]}",
			[]string{
				`ports[1].name: Duplicate value: "a"`,
				`endpoints[0].addresses: Invalid value: "10.0.0.1": must be an IPv6 address`,
				"endpoints[1].addresses: Required value: must contain at least 1 address",
			},
		},
		"a lease for no time": {
			"{apiVersion: coordination.k8s.io/v1, kind: Lease, metadata: {name: web}, " +
				"spec: {leaseDurationSeconds: 0, leaseTransitions: -1}}",
			[]string{
				"spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0",
				"spec.leaseTransitions: Invalid value: -1: " +
					"must be greater than or equal to 0",
			},
		},
		"an event in another namespace": {
			core("Event", "involvedObject: {kind: Pod, namespace: elsewhere, name: web}"),
			[]string{`involvedObject.namespace: Invalid value: "elsewhere": ` +
				"does not match event.namespace"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			assert.Equal(t, test.want, causes(t, create(t, test.manifest)))
		})
	}
}
