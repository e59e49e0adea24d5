package rules_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The messages are those of Kubernetes 1.37, which was given the same objects.
func TestWhatKubernetesRefusesElsewhereIsRefusedInItsWords(t *testing.T) {
	for name, test := range map[string]struct {
		manifest string
		want     []string
	}{
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
		"an external name with an address": {
			core("Service", "spec: {type: ExternalName, externalName: Example, "+
				"clusterIP: None}"),
			[]string{
				"spec.clusterIPs: Forbidden: may not be set for ExternalName services",
				`spec.externalName: Invalid value: "Example": a lowercase RFC 1123 subdomain ` +
					"must consist of lower case alphanumeric characters, '-' or '.', and must " +
					"start and end with an alphanumeric character (e.g. 'example.com', regex " +
					"used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?" +
					`(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
			},
		},
		"a Service with two ports of one name": {
			core("Service", "spec: {ports: [{name: a, port: 80}, {name: a, port: 81}]}"),
			[]string{`spec.ports[1].name: Duplicate value: "a"`},
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
		"a Service of two addresses": {
			core("Service", "spec: {clusterIP: 10.96.0.9, clusterIPs: [10.96.0.8], "+
				"ports: [{port: 80}]}"),
			[]string{`spec.clusterIPs: Invalid value: ["10.96.0.8"]: ` +
				"first value must match `clusterIP`"},
		},
		"a Service that remembers clients for two days": {
			core("Service", "spec: {sessionAffinity: ClientIP, "+
				"sessionAffinityConfig: {clientIP: {timeoutSeconds: 172800}}, ports: [{port: 80}]}"),
			[]string{"spec.sessionAffinityConfig.clientIP.timeoutSeconds: Invalid value: 172800: " +
				"must be greater than 0 and less than 86400"},
		},
		"a quota of scopes that exclude each other": {
			core("ResourceQuota", "spec: {hard: {pods: 1}, scopes: [BestEffort, NotBestEffort]}"),
			[]string{`spec.scopes: Invalid value: ["BestEffort","NotBestEffort"]: conflicting scopes`},
		},
		"a quota of a scope that is none of a resource": {
			core("ResourceQuota", "spec: {hard: {cpu: 1}, scopes: [BestEffort]}"),
			[]string{`spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource`},
		},
		"a quota of an unknown scope": {
			core("ResourceQuota", "spec: {hard: {pods: 1}, scopes: [Large]}"),
			[]string{`spec.scopes: Invalid value: ["Large"]: unsupported scope`},
		},
		"a quota of a class without a name": {
			core("ResourceQuota", "spec: {hard: {pods: 1}, scopeSelector: {matchExpressions: "+
				"[{scopeName: PriorityClass, operator: In}]}}"),
			[]string{"spec.scopeSelector.matchExpressions.values: Required value: must be at least one " +
				"value when `operator` is 'In' or 'NotIn' for scope selector"},
		},
		"a Service at no address": {
			core("Service", "spec: {clusterIP: here, sessionAffinity: Any, "+
				"ports: [{port: 80, protocol: ICMP, targetPort: web-}]}"),
			[]string{
				`spec.ports[0].protocol: Unsupported value: "ICMP": supported values: ` +
					`"SCTP", "TCP", "UDP"`,
				`spec.ports[0].targetPort: Invalid value: "web-": must not begin or end ` +
					"with a hyphen",
				`spec.sessionAffinity: Unsupported value: "Any": supported values: ` +
					`"ClientIP", "None"`,
				`spec.clusterIPs[0]: Invalid value: "here": must be a valid IP address, ` +
					"(e.g. 10.9.8.7 or 2001:db8::ffff)",
			},
		},
		"a claim that selects in no known way": {
			core("PersistentVolumeClaim", "spec: {accessModes: [ReadWriteOnce], "+
				"storageClassName: fast-, selector: {matchExpressions: "+
				"[{key: a, operator: Any}]}, resources: {requests: {storage: 1Gi}}}"),
			[]string{
				`spec.selector.matchExpressions[0].operator: Invalid value: "Any": ` +
					"not a valid selector operator",
				`spec.storageClassName: Invalid value: "fast-": a lowercase RFC 1123 ` +
					"subdomain must consist of lower case alphanumeric characters, '-' or " +
					"'.', and must start and end with an alphanumeric character (e.g. " +
					"'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*" +
					`[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
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
		"a volume that would rather be somewhere": {
			core("PersistentVolume", "spec: {accessModes: [ReadWriteOnce], "+
				"capacity: {storage: 1Gi}, hostPath: {path: /data}, nodeAffinity: {}}"),
			[]string{"spec.nodeAffinity.required: Required value: " +
				"must specify required node constraints"},
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
		"a token of nobody": {
			core("Secret", "type: kubernetes.io/service-account-token"),
			[]string{"metadata.annotations[kubernetes.io/service-account.name]: " +
				"Required value"},
		},
		"neither user nor password": {
			core("Secret", "type: kubernetes.io/basic-auth"),
			[]string{"data[username]: Required value", "data[password]: Required value"},
		},
		"a key to nothing": {
			core("Secret", "type: kubernetes.io/ssh-auth"),
			[]string{"data[ssh-privatekey]: Required value"},
		},
		"a registry without its password": {
			core("Secret", "type: kubernetes.io/dockercfg"),
			[]string{"data[.dockercfg]: Required value"},
		},
		"endpoints that are nowhere": {
			core("Endpoints", "subsets: [{addresses: [{ip: here}, {ip: 10.0.0.01}]}, {}]"),
			[]string{
				`subsets[0].addresses[0].ip: Invalid value: "here": must be a valid IP ` +
					"address, (e.g. 10.9.8.7 or 2001:db8::ffff)",
				`subsets[0].addresses[0].ip: Invalid value: "here": must be a valid IP address`,
				`subsets[0].addresses[1].ip: Invalid value: "10.0.0.01": ` +
					"must not have leading 0s",
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
				"ports: [{name: a}, {name: a}, {name: _, protocol: ICMP}]}",
			[]string{
				`ports[1].name: Duplicate value: "a"`,
				`ports[2].name: Invalid value: "_": a lowercase RFC 1123 label must ` +
					"consist of lower case alphanumeric characters or '-', and must start " +
					"and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', " +
					"regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')",
				`ports[2].protocol: Unsupported value: "ICMP": supported values: "SCTP", ` +
					`"TCP", "UDP"`,
				`endpoints[0].addresses: Invalid value: "10.0.0.1": must be an IPv6 address`,
				"endpoints[1].addresses: Required value: must contain at least 1 address",
			},
		},
		"a slice of odd addresses": {
			"{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, metadata: {name: web}, " +
				"addressType: IPv4, endpoints: [{addresses: [10.0.0.01]}]}",
			[]string{`endpoints[0].addresses[0]: Invalid value: "10.0.0.01": ` +
				"must not have leading 0s"},
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
		"an event of the newer form that says nothing": {
			core("Event", `eventTime: "2026-07-01T12:00:00.000000Z"`),
			[]string{
				"reportingComponent: Required value",
				`reportingComponent: Invalid value: "": name part must be non-empty`,
				`reportingComponent: Invalid value: "": name part must consist of ` +
					"alphanumeric characters, '-', '_' or '.', and must start and end with an " +
					"alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', " +
					"regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')",
				"reportingInstance: Required value",
				"action: Required value",
				"reason: Required value",
			},
		},
		"an event about the cluster in a namespace": {
			"{apiVersion: v1, kind: Event, metadata: {name: web, namespace: elsewhere}, " +
				"involvedObject: {kind: Node, name: node-1}}",
			[]string{`involvedObject.namespace: Invalid value: "": ` +
				"does not match event.namespace"},
		},
		"an event of the older form about the cluster in the system's": {
			"{apiVersion: v1, kind: Event, metadata: {name: web, namespace: kube-system}, " +
				"involvedObject: {kind: Node, name: node-1}}",
			[]string{`involvedObject.namespace: Invalid value: "": ` +
				"does not match event.namespace"},
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
