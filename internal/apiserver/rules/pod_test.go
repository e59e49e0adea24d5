package rules_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// pod returns the manifest of a Pod with this spec.
func pod(spec string) string { return core("Pod", "spec: {"+spec+"}") }

func TestWhatKubernetesRefusesOfAPodIsRefusedInItsWords(t *testing.T) {
	const ok = "containers: [{name: c, image: c}]"
	container := func(fields string) string {
		return "containers: [{name: c, image: c, " + fields + "}]"
	}
	for name, test := range map[string]struct{ spec, want string }{
		"no container": {
			"containers: []",
			`spec.containers: Required value`,
		},
		"no names, and no server": {
			ok + ", dnsPolicy: None",
			"spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None",
		},
		"names by no server": {
			ok + ", dnsPolicy: None, dnsConfig: {searches: [a]}",
			"spec.dnsConfig.nameservers: Required value: must provide at least one DNS " +
				"nameserver when `dnsPolicy` is None",
		},
		"a server that is no address": {
			ok + ", dnsConfig: {nameservers: [here]}",
			`spec.dnsConfig.nameservers[0]: Invalid value: "here": must be a valid IP address, ` +
				"(e.g. 10.9.8.7 or 2001:db8::ffff)",
		},
		"too many servers": {
			ok + ", dnsConfig: {nameservers: [1.1.1.1, 1.1.1.2, 1.1.1.3, 1.1.1.4]}",
			`spec.dnsConfig.nameservers: Invalid value: ["1.1.1.1","1.1.1.2","1.1.1.3","1.1.1.4"]: ` +
				"must not have more than 3 nameservers",
		},
		"an option without a name": {
			ok + ", dnsConfig: {options: [{value: a}]}",
			"spec.dnsConfig.options[0]: Required value: must not be empty",
		},
		"no image": {
			"containers: [{name: c}]",
			`spec.containers[0].image: Required value`,
		},
		"no name": {
			"containers: [{image: c}]",
			`spec.containers[0].name: Required value`,
		},
		"a name that no host could have": {
			"containers: [{name: My_App, image: c}]",
			`spec.containers[0].name: Invalid value: "My_App": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`,
		},
		"two containers of one name": {
			"containers: [{name: c, image: c}, {name: c, image: d}]",
			`spec.containers[1].name: Duplicate value: "c"`,
		},
		"an init container with the name of a container": {
			ok + ", initContainers: [{name: c, image: c}]",
			`spec.initContainers[0].name: Duplicate value: "c"`,
		},
		"an init container without an image": {
			ok + ", initContainers: [{name: i}]",
			`spec.initContainers[0].image: Required value`,
		},
		"an init container that is probed": {
			ok + ", initContainers: [{name: i, image: i, readinessProbe: {exec: {command: [ls]}}}]",
			`spec.initContainers[0].readinessProbe: Forbidden: may not be set for init containers without restartPolicy=Always`,
		},
		"a restart policy that there is not": {
			ok + ", restartPolicy: Sometimes",
			`spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"`,
		},
		"a pull policy that there is not": {
			container("imagePullPolicy: Sometimes"),
			`spec.containers[0].imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"`,
		},
		"a negative grace period": {
			ok + ", terminationGracePeriodSeconds: -1",
			`spec.terminationGracePeriodSeconds: Invalid value: -1: must be greater than or equal to 0`,
		},
		"a deadline of no time": {
			ok + ", activeDeadlineSeconds: 0",
			`spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive`,
		},
		"a node that cannot be": {
			ok + ", nodeName: 'node 1'",
			`spec.nodeName: Invalid value: "node 1": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
		},
		"a port beyond the last": {
			container("ports: [{containerPort: 65536}]"),
			`spec.containers[0].ports[0].containerPort: Invalid value: 65536: must be between 1 and 65535, inclusive`,
		},
		"a port without a number": {
			container("ports: [{name: http}]"),
			`spec.containers[0].ports[0].containerPort: Required value`,
		},
		"a port of the host beyond the last": {
			container("ports: [{containerPort: 80, hostPort: 65536}]"),
			`spec.containers[0].ports[0].hostPort: Invalid value: 65536: must be between 1 and 65535, inclusive`,
		},
		"a port with too long a name": {
			container("ports: [{containerPort: 80, name: a-name-too-long-for-a-port}]"),
			`spec.containers[0].ports[0].name: Invalid value: "a-name-too-long-for-a-port": must be no more than 15 characters`,
		},
		"two ports of one name": {
			container("ports: [{name: http, containerPort: 80}, {name: http, containerPort: 81}]"),
			`spec.containers[0].ports[1].name: Duplicate value: "http"`,
		},
		"two containers on one port of the host": {
			"containers: [{name: a, image: a, ports: [{containerPort: 80, hostPort: 80}]}, " +
				"{name: b, image: b, ports: [{containerPort: 81, hostPort: 80}]}]",
			`spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//80"`,
		},
		"a protocol that there is not": {
			container("ports: [{containerPort: 80, protocol: HTTP}]"),
			`spec.containers[0].ports[0].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"`,
		},
		"a mount of no volume": {
			container("volumeMounts: [{name: data, mountPath: /data}]"),
			`spec.containers[0].volumeMounts[0].name: Not found: "data"`,
		},
		"two mounts in one place": {
			container("volumeMounts: [{name: v, mountPath: /d}, {name: v, mountPath: /d}]") +
				", volumes: [{name: v}]",
			`spec.containers[0].volumeMounts[1].mountPath: Invalid value: "/d": must be unique`,
		},
		"two volumes of one name": {
			ok + ", volumes: [{name: v}, {name: v}]",
			`spec.volumes[1].name: Duplicate value: "v"`,
		},
		"a probe of nothing": {
			container("livenessProbe: {periodSeconds: 5}"),
			`spec.containers[0].livenessProbe: Required value: must specify a handler type`,
		},
		"a probe of two things": {
			container("readinessProbe: {exec: {command: [ls]}, tcpSocket: {port: 80}}"),
			`spec.containers[0].readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`,
		},
		"a probe that runs no command": {
			container("livenessProbe: {exec: {}}"),
			`spec.containers[0].livenessProbe.exec.command: Required value`,
		},
		"a probe of port 0": {
			container("livenessProbe: {httpGet: {port: 0}}"),
			`spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive`,
		},
		"a probe by a scheme that there is not": {
			container("livenessProbe: {httpGet: {port: 80, scheme: FTP}}"),
			`spec.containers[0].livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS"`,
		},
		"a probe in the past": {
			container("readinessProbe: {tcpSocket: {port: 80}, initialDelaySeconds: -5}"),
			`spec.containers[0].readinessProbe.initialDelaySeconds: Invalid value: -5: must be greater than or equal to 0`,
		},
		"a probe whose numbers are all below zero": {
			container("readinessProbe: {tcpSocket: {port: 80}, timeoutSeconds: -1, " +
				"periodSeconds: -2, successThreshold: -3, failureThreshold: -4}"),
			`[spec.containers[0].readinessProbe.timeoutSeconds: Invalid value: -1: must be greater than or equal to 0, ` +
				`spec.containers[0].readinessProbe.periodSeconds: Invalid value: -2: must be greater than or equal to 0, ` +
				`spec.containers[0].readinessProbe.successThreshold: Invalid value: -3: must be greater than or equal to 0, ` +
				`spec.containers[0].readinessProbe.failureThreshold: Invalid value: -4: must be greater than or equal to 0]`,
		},
		"a probe of a port by a name that is none": {
			container("livenessProbe: {tcpSocket: {port: '80'}}"),
			`spec.containers[0].livenessProbe.tcpSocket.port: Invalid value: "80": must contain at least one letter (a-z)`,
		},
		"a probe by gRPC of a port beyond the last": {
			container("livenessProbe: {grpc: {port: 70000}}"),
			`spec.containers[0].livenessProbe.grpc.port: Invalid value: 70000: must be between 1 and 65535, inclusive`,
		},
		"a startup probe that must succeed twice": {
			container("startupProbe: {tcpSocket: {port: 80}, successThreshold: 2}"),
			`spec.containers[0].startupProbe.successThreshold: Invalid value: 2: must be 1`,
		},
		"a liveness probe that must succeed twice": {
			container("livenessProbe: {tcpSocket: {port: 80}, successThreshold: 2}"),
			`spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1`,
		},
		"an init container that stays, and is asked too late": {
			ok + ", initContainers: [{name: i, image: i, restartPolicy: Always, " +
				"readinessProbe: {exec: {command: [ls]}, periodSeconds: -1}}]",
			`spec.initContainers[0].readinessProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0`,
		},
		"an init container on two ports that are one": {
			ok + ", initContainers: [{name: i, image: i}, {name: j, image: j, ports: [" +
				"{containerPort: 80, hostPort: 80}, {containerPort: 81, hostPort: 80}]}]",
			// Kubernetes says this of the first init container, whichever it is.
			`spec.initContainers[0].ports[1].hostPort: Duplicate value: "TCP//80"`,
		},
		"a mount of no name": {
			container("volumeMounts: [{mountPath: /data}]"),
			`[spec.containers[0].volumeMounts[0].name: Required value, ` +
				`spec.containers[0].volumeMounts[0].name: Not found: ""]`,
		},
		"a mount nowhere": {
			container("volumeMounts: [{name: v}]") + ", volumes: [{name: v}]",
			`spec.containers[0].volumeMounts[0].mountPath: Required value`,
		},
		"a volume of no name": {
			ok + ", volumes: [{}]",
			`spec.volumes[0].name: Required value`,
		},
		"a probe of no command and of two things": {
			container("livenessProbe: {exec: {}, httpGet: {port: 0, path: ''}, tcpSocket: {port: 0}, grpc: {port: 0}}"),
			`[spec.containers[0].livenessProbe.exec.command: Required value, ` +
				`spec.containers[0].livenessProbe.httpGet: Forbidden: may not specify more than 1 handler type, ` +
				`spec.containers[0].livenessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type, ` +
				`spec.containers[0].livenessProbe.grpc: Forbidden: may not specify more than 1 handler type]`,
		},
		"a probe of a port and a scheme that there are not": {
			container("livenessProbe: {httpGet: {port: 0, scheme: FTP}, initialDelaySeconds: -1, " +
				"timeoutSeconds: -2, successThreshold: 2}"),
			`[spec.containers[0].livenessProbe.httpGet.port: Invalid value: 0: must be between 1 and 65535, inclusive, ` +
				`spec.containers[0].livenessProbe.httpGet.scheme: Unsupported value: "FTP": supported values: "HTTP", "HTTPS", ` +
				`spec.containers[0].livenessProbe.initialDelaySeconds: Invalid value: -1: must be greater than or equal to 0, ` +
				`spec.containers[0].livenessProbe.timeoutSeconds: Invalid value: -2: must be greater than or equal to 0, ` +
				`spec.containers[0].livenessProbe.successThreshold: Invalid value: 2: must be 1]`,
		},
		"three probes of nothing": {
			container("startupProbe: {}, readinessProbe: {}, livenessProbe: {}"),
			`[spec.containers[0].livenessProbe: Required value: must specify a handler type, ` +
				`spec.containers[0].readinessProbe: Required value: must specify a handler type, ` +
				`spec.containers[0].startupProbe: Required value: must specify a handler type]`,
		},
		"an init container that is probed twice": {
			ok + ", initContainers: [{name: i, image: i, livenessProbe: {exec: {command: [ls]}}, " +
				"startupProbe: {exec: {command: [ls]}}}]",
			`[spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always, ` +
				`spec.initContainers[0].startupProbe: Forbidden: may not be set for init containers without restartPolicy=Always]`,
		},
		"more than it may have": {
			container("resources: {limits: {cpu: 1, memory: 1Gi, example.com/gpu: 2, hugepages-2Mi: 2Mi}, " +
				"requests: {cpu: 1500m, memory: 2Gi, example.com/gpu: 1, hugepages-2Mi: 4Mi}}"),
			`[spec.containers[0].resources.requests: Invalid value: "1500m": must be less than or equal to cpu limit of 1, ` +
				`spec.containers[0].resources.requests: Invalid value: "1": must be equal to example.com/gpu limit of 2, ` +
				`spec.containers[0].resources.requests: Invalid value: "4Mi": must be equal to hugepages-2Mi limit of 2Mi, ` +
				`spec.containers[0].resources.requests: Invalid value: "2Gi": must be less than or equal to memory limit of 1Gi]`,
		},
		"a share of what is given whole": {
			container("resources: {requests: {cpu: 1, example.com/gpu: 1}}"),
			`spec.containers[0].resources.limits: Required value: Limit must be set for non overcommitable resources`,
		},
		"less than nothing": {
			container("resources: {limits: {cpu: -1}, requests: {cpu: -2}}"),
			`[spec.containers[0].resources.limits[cpu]: Invalid value: "-1": must be greater than or equal to 0, ` +
				`spec.containers[0].resources.requests[cpu]: Invalid value: "-2": must be greater than or equal to 0]`,
		},
		"all that is wrong, at once": {
			"restartPolicy: Sometimes, containers: [{name: c}, {name: c, image: c}]",
			`[spec.containers[0].image: Required value, ` +
				`spec.containers[1].name: Duplicate value: "c", ` +
				`spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := create(t, pod(test.spec))
			require.Error(t, err)
			assert.True(t, apierrors.IsInvalid(err), "a refusal is a 422")
			assert.EqualError(t, err, `Pod "web" is invalid: `+test.want)
		})
	}
}

func TestAPodThatIsOnlyUnusualIsTaken(t *testing.T) {
	for name, spec := range map[string]string{
		"a readiness probe that must succeed twice": "containers: [{name: c, image: c, " +
			"readinessProbe: {tcpSocket: {port: http}, successThreshold: 2}}]",
		"init containers on one port of the host": "containers: [{name: c, image: c}], " +
			"initContainers: [{name: a, image: a, ports: [{containerPort: 1, hostPort: 1}]}, " +
			"{name: b, image: b, ports: [{containerPort: 1, hostPort: 1}]}]",
		"one host port for two protocols": "containers: [{name: c, image: c, ports: [" +
			"{containerPort: 53, hostPort: 53}, {containerPort: 53, hostPort: 53, protocol: UDP}]}]",
		"as much as it may have": "containers: [{name: c, image: c, resources: {limits: " +
			"{cpu: 1, example.com/gpu: 2}, requests: {cpu: 1000m, example.com/gpu: 2, memory: 1Gi}}}]",
		"an init container that stays, and is asked": "containers: [{name: c, image: c}], initContainers: " +
			"[{name: i, image: i, restartPolicy: Always, readinessProbe: {exec: {command: [ls]}}}]",
		"no time to stop": "containers: [{name: c, image: c}], terminationGracePeriodSeconds: 0",
	} {
		t.Run(name, func(t *testing.T) {
			assert.NoError(t, create(t, pod(spec)))
		})
	}
}

// A text that is no number as Kubernetes writes one would cost a Pod nothing,
// silently.
func TestWhatLosingAPodCostsIsANumberInOneWay(t *testing.T) {
	costs := func(cost string) string {
		return "{apiVersion: v1, kind: Pod, metadata: {name: web, annotations: " +
			"{controller.kubernetes.io/pod-deletion-cost: '" + cost + "'}}, " +
			"spec: {containers: [{name: c, image: c}]}}"
	}
	for _, cost := range []string{"0", "-7", "100", "2147483647", "-2147483648"} {
		assert.NoError(t, create(t, costs(cost)), cost)
	}
	for _, cost := range []string{"", "+5", "05", "00", "1.5", "much", "2147483648"} {
		assert.Equal(t, []string{"metadata.annotations[controller.kubernetes.io/" +
			`pod-deletion-cost]: Invalid value: "` + cost + `": must be a 32bit integer`},
			causes(t, create(t, costs(cost))))
	}
}

// A template is refused if its Pods would be, whichever controller makes them.
func TestATemplateIsRefusedWhereItsPodsWouldBe(t *testing.T) {
	for name, test := range map[string]struct {
		metadata, spec string
		want           []string
	}{
		"no container": {
			"labels: {app: web}", "containers: []",
			[]string{"spec.template.spec.containers: Required value"},
		},
		"a restart policy that there is not": {
			"labels: {app: web}", "restartPolicy: Sometimes, containers: [{name: c, image: c}]",
			[]string{
				`spec.template.spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"`,
				`spec.template.spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always"`,
			},
		},
		"more than it may have": {
			"labels: {app: web}", "containers: [{name: c, image: c, resources: " +
				"{limits: {cpu: 1}, requests: {cpu: 2}}}]",
			[]string{`spec.template.spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`},
		},
		"containers to be added to Pods that run": {
			"labels: {app: web}", "containers: [{name: c, image: c}], " +
				"ephemeralContainers: [{name: e, image: e}]",
			[]string{"spec.template.spec.ephemeralContainers: Forbidden: ephemeral containers not allowed in pod template"},
		},
		"labels, annotations and a cost that cannot be": {
			"labels: {app: web, b: '?'}, annotations: {'?': b, " +
				"controller.kubernetes.io/pod-deletion-cost: '+1'}",
			"containers: [{name: c, image: c}]",
			[]string{
				`spec.template.labels: Invalid value: "?": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
				`spec.template.annotations: Invalid value: "?": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
				`spec.template.annotations[controller.kubernetes.io/pod-deletion-cost]: Invalid value: "+1": must be a 32bit integer`,
			},
		},
	} {
		spec := "template: {metadata: {" + test.metadata + "}, spec: {" + test.spec + "}}"
		manifests := map[string]string{
			"ReplicationController": "{apiVersion: v1, kind: ReplicationController, " +
				"metadata: {name: web, labels: {a: b}}, spec: {selector: {app: web}, " + spec + "}}",
		}
		for _, kind := range []string{"ReplicaSet", "Deployment", "StatefulSet", "DaemonSet"} {
			manifests[kind] = workload(kind, "selector: {matchLabels: {app: web}}, "+spec)
		}
		for kind, manifest := range manifests {
			t.Run(name+" of a "+kind, func(t *testing.T) {
				assert.ElementsMatch(t, test.want, causes(t, create(t, manifest)))
			})
		}
	}
}

// Kubernetes asks this of Pods, and not of templates.
func TestOnlyAPodIsAskedWhetherItsTimeToStopIsLessThanNone(t *testing.T) {
	assert.NoError(t, create(t, workload("ReplicaSet", "selector: {matchLabels: {app: web}}, "+
		"template: {metadata: {labels: {app: web}}, spec: {terminationGracePeriodSeconds: -1, "+
		"containers: [{name: c, image: c}]}}")))
}

func TestAReplicationControllerIsNotReadyBeforeTheBeginning(t *testing.T) {
	assert.Equal(t, []string{"spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0"},
		causes(t, create(t, core("ReplicationController", "spec: {minReadySeconds: -1, selector: {app: web}, "+pods+"}"))))
	assert.Equal(t, []string{"spec.template: Required value"},
		causes(t, create(t, core("ReplicationController", "spec: {selector: {app: web}}"))))
}

func TestAPodWhoseImageIsTakenAwayIsRefused(t *testing.T) {
	assert.Equal(t, []string{"spec.containers[0].image: Required value"},
		causes(t, change(t, pod("containers: [{name: c, image: c}]"), pod("containers: [{name: c}]"))))
}
