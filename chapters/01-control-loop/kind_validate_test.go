package controlloop_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
)

func validateCreate(t *testing.T, obj controlloop.Object) error {
	t.Helper()
	kind, err := controlloop.CoreKinds().Of(obj)
	require.NoError(t, err)
	return kind.ValidateCreate(obj)
}

func validateUpdate(t *testing.T, obj, old controlloop.Object) error {
	t.Helper()
	kind, err := controlloop.CoreKinds().Of(obj)
	require.NoError(t, err)
	return kind.ValidateUpdate(obj, old)
}

func TestValidatePodRefusesWithTheWordsOfKubernetes(t *testing.T) {
	const ok = "containers: [{name: c, image: c}]"
	container := func(fields string) string {
		return "containers: [{name: c, image: c, " + fields + "}]"
	}
	for name, test := range map[string]struct{ spec, want string }{
		"no container": {
			"containers: []",
			`spec.containers: Required value`,
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
		"all that is wrong, at once": {
			"restartPolicy: Sometimes, containers: [{name: c}, {name: c, image: c}]",
			`[spec.containers[0].image: Required value, ` +
				`spec.containers[1].name: Duplicate value: "c", ` +
				`spec.restartPolicy: Unsupported value: "Sometimes": supported values: "Always", "OnFailure", "Never"]`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := validateCreate(t, pod(t, test.spec))
			require.Error(t, err)
			assert.True(t, apierrors.IsInvalid(err), "a refusal is a 422")
			assert.EqualError(t, err, `Pod "web" is invalid: `+test.want)
		})
	}
}

func TestValidatePodAcceptsWhatIsOnlyUnusual(t *testing.T) {
	for name, spec := range map[string]string{
		"a readiness probe that must succeed twice": "containers: [{name: c, image: c, " +
			"readinessProbe: {tcpSocket: {port: http}, successThreshold: 2}}]",
		"init containers on one port of the host": "containers: [{name: c, image: c}], " +
			"initContainers: [{name: a, image: a, ports: [{containerPort: 1, hostPort: 1}]}, " +
			"{name: b, image: b, ports: [{containerPort: 1, hostPort: 1}]}]",
		"one host port for two protocols": "containers: [{name: c, image: c, ports: [" +
			"{containerPort: 53, hostPort: 53}, {containerPort: 53, hostPort: 53, protocol: UDP}]}]",
		"no time to stop": "containers: [{name: c, image: c}], terminationGracePeriodSeconds: 0",
	} {
		t.Run(name, func(t *testing.T) {
			assert.NoError(t, validateCreate(t, pod(t, spec)))
		})
	}
}

func TestValidateCreateChecksTheMetadata(t *testing.T) {
	for name, test := range map[string]struct{ metadata, want string }{
		"no name": {
			"generateName: web-",
			`Pod "" is invalid: metadata.name: Required value: name or generateName is required`,
		},
		"a label that cannot be": {
			"name: web, labels: {app: 'a b'}",
			`Pod "web" is invalid: metadata.labels: Invalid value: "a b": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
		},
		"two controllers": {
			"name: web, ownerReferences: [" +
				"{apiVersion: v1, kind: A, name: a, uid: a, controller: true}, " +
				"{apiVersion: v1, kind: B, name: b, uid: b, controller: true}]",
			`Only one reference can have Controller set to true. Found "true" in references for A/a and B/b`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := validateCreate(t, defaulted(t, "{apiVersion: v1, kind: Pod, metadata: {"+
				test.metadata+"}, spec: {containers: [{name: c, image: c}]}}"))
			assert.ErrorContains(t, err, test.want)
		})
	}
	err := validateCreate(t, defaulted(t,
		"{apiVersion: v1, kind: Node, metadata: {name: a, namespace: default}}"))
	assert.EqualError(t, err,
		`Node "a" is invalid: metadata.namespace: Forbidden: not allowed on this type`)
	err = validateCreate(t, defaulted(t,
		"{apiVersion: v1, kind: Namespace, metadata: {name: a.b}}"))
	assert.EqualError(t, err,
		`Namespace "a.b" is invalid: metadata.name: Invalid value: "a.b": must not contain dots`,
		"a Namespace becomes a part of host names, so it has no dots")
}

func TestValidateReplicationControllerRefusesWithTheWordsOfKubernetes(t *testing.T) {
	const labelled = "metadata: {labels: {app: nginx}}"
	const containers = "containers: [{name: c, image: c}]"
	for name, test := range map[string]struct{ spec, want string }{
		"fewer than none": {
			"replicas: -1, template: {" + labelled + ", spec: {" + containers + "}}",
			`spec.replicas: Invalid value: -1: must be greater than or equal to 0`,
		},
		"ready before the beginning": {
			"minReadySeconds: -1, template: {" + labelled + ", spec: {" + containers + "}}",
			`spec.minReadySeconds: Invalid value: -1: must be greater than or equal to 0`,
		},
		"labels and annotations that cannot be": {
			"selector: {app: a}, template: {metadata: {labels: {app: a, b: '?'}, " +
				"annotations: {'?': b}}, spec: {" + containers + "}}",
			`[spec.template.labels: Invalid value: "?": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?'), ` +
				`spec.template.annotations: Invalid value: "?": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')]`,
		},
		"nothing to select by": {
			"template: {spec: {" + containers + "}}",
			`spec.selector: Required value`,
		},
		"nothing to make": {
			"selector: {app: nginx}",
			`spec.template: Required value`,
		},
		"a selector that its own Pods do not match": {
			"selector: {app: apache}, template: {" + labelled + ", spec: {" + containers + "}}",
			`spec.template.metadata.labels: Invalid value: {"app":"nginx"}: ` + "`selector` does not match template `labels`",
		},
		"Pods that may end": {
			"template: {" + labelled + ", spec: {restartPolicy: OnFailure, " + containers + "}}",
			`spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"`,
		},
		"Pods that must end": {
			"template: {" + labelled + ", spec: {activeDeadlineSeconds: 5, " + containers + "}}",
			`spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported`,
		},
		"Pods that would be refused": {
			"template: {" + labelled + ", spec: {containers: [{name: c}]}}",
			`spec.template.spec.containers[0].image: Required value`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := validateCreate(t, defaulted(t, "{apiVersion: v1, "+
				"kind: ReplicationController, metadata: {name: web, labels: {a: b}}, spec: {"+test.spec+"}}"))
			assert.EqualError(t, err, `ReplicationController "web" is invalid: `+test.want)
		})
	}
}

// updated returns a stored Pod, and a copy of it that change has been at.
func updated(t *testing.T, change func(*corev1.Pod)) (next, old *corev1.Pod) {
	t.Helper()
	old = pod(t, `
containers: [{name: c, image: c:1}], initContainers: [{name: i, image: i:1}],
activeDeadlineSeconds: 60,
tolerations: [{key: k, operator: Exists, effect: NoExecute, tolerationSeconds: 5}]`)
	old.ResourceVersion = "1"
	next = old.DeepCopy()
	change(next)
	return next, old
}

func TestValidateUpdateLetsFewFieldsOfAPodChange(t *testing.T) {
	for name, change := range map[string]func(*corev1.Pod){
		"nothing":           func(*corev1.Pod) {},
		"labels":            func(p *corev1.Pod) { p.Labels = map[string]string{"app": "b"} },
		"an image":          func(p *corev1.Pod) { p.Spec.Containers[0].Image = "c:2" },
		"an init image":     func(p *corev1.Pod) { p.Spec.InitContainers[0].Image = "i:2" },
		"an earlier end":    func(p *corev1.Pod) { p.Spec.ActiveDeadlineSeconds = new(int64(30)) },
		"the node, at last": func(p *corev1.Pod) { p.Spec.NodeName = "node-1" },
		"a toleration more": func(p *corev1.Pod) {
			p.Spec.Tolerations = append(p.Spec.Tolerations, corev1.Toleration{Key: "l"})
		},
		"how long one tolerates": func(p *corev1.Pod) {
			p.Spec.Tolerations[0].TolerationSeconds = new(int64(9))
		},
	} {
		t.Run(name, func(t *testing.T) {
			next, old := updated(t, change)
			before := next.DeepCopy()
			assert.NoError(t, validateUpdate(t, next, old))
			assert.Equal(t, before, next, "who validates does not change what it judges")
		})
	}
}

func TestValidateUpdateKeepsTheRestOfAPod(t *testing.T) {
	const fields = "spec: Forbidden: pod updates may not change fields other than " +
		"`spec.containers[*].image`,`spec.initContainers[*].image`," +
		"`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing " +
		"tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if " +
		"it was previously negative)"
	for name, test := range map[string]struct {
		change func(*corev1.Pod)
		want   string
	}{
		"the restart policy": {
			func(p *corev1.Pod) { p.Spec.RestartPolicy = corev1.RestartPolicyNever },
			fields,
		},
		"a container's command": {
			func(p *corev1.Pod) { p.Spec.Containers[0].Command = []string{"sh"} },
			fields,
		},
		"the grace period": {
			func(p *corev1.Pod) { p.Spec.TerminationGracePeriodSeconds = new(int64(1)) },
			fields,
		},
		"one container more": {
			func(p *corev1.Pod) {
				p.Spec.Containers = append(p.Spec.Containers, p.Spec.Containers[0])
				p.Spec.Containers[1].Name = "d"
			},
			`spec.containers: Forbidden: pod updates may not add or remove containers`,
		},
		"one init container fewer": {
			func(p *corev1.Pod) { p.Spec.InitContainers = nil },
			`spec.initContainers: Forbidden: pod updates may not add or remove containers`,
		},
		"a later end": {
			func(p *corev1.Pod) { p.Spec.ActiveDeadlineSeconds = new(int64(90)) },
			`spec.activeDeadlineSeconds: Invalid value: 90: must be less than or equal to previous value`,
		},
		"no end": {
			func(p *corev1.Pod) { p.Spec.ActiveDeadlineSeconds = nil },
			`spec.activeDeadlineSeconds: Invalid value: null: must not update from a positive integer to nil value`,
		},
		"another toleration instead": {
			func(p *corev1.Pod) { p.Spec.Tolerations[0].Key = "l" },
			`spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds`,
		},
		"an image that is none": {
			func(p *corev1.Pod) { p.Spec.Containers[0].Image = "" },
			`spec.containers[0].image: Required value`,
		},
		"the name": {
			func(p *corev1.Pod) { p.Name = "web2" },
			`metadata.name: Invalid value: "web2": field is immutable`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			next, old := updated(t, test.change)
			err := validateUpdate(t, next, old)
			require.Error(t, err)
			assert.True(t, apierrors.IsInvalid(err))
			_, message, _ := strings.Cut(err.Error(), " is invalid: ")
			assert.Equal(t, test.want, message)
		})
	}
}

func TestValidateUpdateBindsAPodOnce(t *testing.T) {
	bound, old := updated(t, func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} })
	bound.Spec.NodeName, old.Spec.NodeName = "node-1", "node-1"
	assert.NoError(t, validateUpdate(t, bound, old), "what is not the node may change")
	next, old := updated(t, func(p *corev1.Pod) { p.Spec.NodeName = "node-2" })
	old.Spec.NodeName = "node-1"
	assert.ErrorContains(t, validateUpdate(t, next, old),
		"spec: Forbidden: pod updates may not change fields",
		"a Pod that is bound never leaves its node")
}
