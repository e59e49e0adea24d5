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
		"all that is wrong, at once": {
			"replicas: -1, selector: {a: b}, template: {spec: {restartPolicy: Never, activeDeadlineSeconds: 5, " +
				containers + "}}",
			`[spec.replicas: Invalid value: -1: must be greater than or equal to 0, ` +
				"spec.template.metadata.labels: Invalid value: null: `selector` does not match template `labels`, " +
				`spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always", ` +
				`spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported]`,
		},
		"Pods that may end": {
			"template: {" + labelled + ", spec: {restartPolicy: OnFailure, " + containers + "}}",
			`spec.template.spec.restartPolicy: Unsupported value: "OnFailure": supported values: "Always"`,
		},
		"Pods that must end": {
			"template: {" + labelled + ", spec: {activeDeadlineSeconds: 5, " + containers + "}}",
			`spec.template.spec.activeDeadlineSeconds: Forbidden: activeDeadlineSeconds in ReplicationController is not Supported`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := validateCreate(t, defaulted(t, "{apiVersion: v1, "+
				"kind: ReplicationController, metadata: {name: web, labels: {a: b}}, spec: {"+test.spec+"}}"))
			assert.EqualError(t, err, `ReplicationController "web" is invalid: `+test.want)
		})
	}
}

// updated returns a stored Pod, and a copy that change has been at.
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
		"nothing":        func(*corev1.Pod) {},
		"labels":         func(p *corev1.Pod) { p.Labels = map[string]string{"app": "b"} },
		"an image":       func(p *corev1.Pod) { p.Spec.Containers[0].Image = "c:2" },
		"an init image":  func(p *corev1.Pod) { p.Spec.InitContainers[0].Image = "i:2" },
		"an earlier end": func(p *corev1.Pod) { p.Spec.ActiveDeadlineSeconds = new(int64(30)) },
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

func TestValidateUpdateLeavesThePodOnItsNode(t *testing.T) {
	bound, old := updated(t, func(p *corev1.Pod) { p.Labels = map[string]string{"a": "b"} })
	bound.Spec.NodeName, old.Spec.NodeName = "node-1", "node-1"
	assert.NoError(t, validateUpdate(t, bound, old), "what is not the node may change")
	for _, was := range []string{"", "node-1"} {
		next, old := updated(t, func(p *corev1.Pod) { p.Spec.NodeName = "node-2" })
		old.Spec.NodeName = was
		assert.ErrorContains(t, validateUpdate(t, next, old),
			"spec: Forbidden: pod updates may not change fields", "from %q", was)
	}
}
