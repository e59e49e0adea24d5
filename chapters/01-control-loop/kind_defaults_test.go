package controlloop_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/kubetest"
)

// defaulted decodes one object and fills in what it leaves out.
func defaulted(t *testing.T, text string) controlloop.Object {
	t.Helper()
	kinds := controlloop.CoreKinds()
	objects := kubetest.Objects(t, kinds, text)
	require.Len(t, objects, 1)
	kind, err := kinds.Of(objects[0])
	require.NoError(t, err)
	kind.Default(objects[0])
	return objects[0]
}

// pod returns a Pod with this spec, defaults filled in.
func pod(t *testing.T, spec string) *corev1.Pod {
	t.Helper()
	return defaulted(t, "{apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {"+
		spec+"}}").(*corev1.Pod)
}

func assertYAML(t *testing.T, want string, got any) {
	t.Helper()
	text, err := json.Marshal(got)
	require.NoError(t, err)
	wanted, err := yaml.YAMLToJSON([]byte(want))
	require.NoError(t, err)
	assert.JSONEq(t, string(wanted), string(text))
}

func TestDefaultFillsInAPodAsTheAPIServerDoes(t *testing.T) {
	assertYAML(t, `
apiVersion: v1
kind: Pod
metadata: {name: web, namespace: default}
spec:
  containers:
  - name: nginx
    image: nginx:1.27
    imagePullPolicy: IfNotPresent
    ports: [{containerPort: 80, protocol: TCP}]
    env: [{name: NAME, valueFrom: {fieldRef: {apiVersion: v1, fieldPath: metadata.name}}}]
    livenessProbe:
      httpGet: {path: /, port: 80, scheme: HTTP}
      timeoutSeconds: 1
      periodSeconds: 10
      successThreshold: 1
      failureThreshold: 3
    resources:
      limits: {cpu: 500m, memory: 64Mi}
      requests: {cpu: 100m, memory: 64Mi}
    terminationMessagePath: /dev/termination-log
    terminationMessagePolicy: File
  dnsPolicy: ClusterFirst
  enableServiceLinks: true
  restartPolicy: Always
  schedulerName: default-scheduler
  securityContext: {}
  terminationGracePeriodSeconds: 30
  volumes:
  - {name: a, emptyDir: {}}
  - {name: b, configMap: {name: b, defaultMode: 420}}
  - {name: c, secret: {secretName: c, defaultMode: 420}}
status: {phase: Pending}
`, pod(t, `
containers: [{name: nginx, image: nginx:1.27, ports: [{containerPort: 80}],
  env: [{name: NAME, valueFrom: {fieldRef: {fieldPath: metadata.name}}}],
  livenessProbe: {httpGet: {port: 80}},
  resources: {limits: {cpu: 500m, memory: 64Mi}, requests: {cpu: 100m}}}],
volumes: [{name: a}, {name: b, configMap: {name: b}}, {name: c, secret: {secretName: c}}]`))
}

func TestDefaultLeavesWhatTheAuthorWrote(t *testing.T) {
	got := pod(t, `
restartPolicy: Never, terminationGracePeriodSeconds: 0, dnsPolicy: Default,
enableServiceLinks: false, schedulerName: mine,
containers: [{name: dns, image: dns, imagePullPolicy: Never,
  ports: [{containerPort: 53, protocol: UDP}],
  readinessProbe: {tcpSocket: {port: 53}, periodSeconds: 2, failureThreshold: 1}}]`)
	assert.Equal(t, corev1.RestartPolicyNever, got.Spec.RestartPolicy)
	assert.Equal(t, int64(0), *got.Spec.TerminationGracePeriodSeconds,
		"0 is an answer: stop at once. Only nothing is no answer")
	assert.Equal(t, corev1.DNSDefault, got.Spec.DNSPolicy)
	assert.False(t, *got.Spec.EnableServiceLinks)
	assert.Equal(t, "mine", got.Spec.SchedulerName)
	container := got.Spec.Containers[0]
	assert.Equal(t, corev1.PullNever, container.ImagePullPolicy)
	assert.Equal(t, corev1.ProtocolUDP, container.Ports[0].Protocol)
	assert.Equal(t, int32(2), container.ReadinessProbe.PeriodSeconds)
	assert.Equal(t, int32(1), container.ReadinessProbe.FailureThreshold)
}

func TestDefaultPullsAMovingTagEveryTime(t *testing.T) {
	for image, want := range map[string]corev1.PullPolicy{
		"nginx":                              corev1.PullAlways,
		"nginx:latest":                       corev1.PullAlways,
		"registry:5000/nginx":                corev1.PullAlways,
		"nginx:latest@sha256:9d3e":           corev1.PullAlways,
		"nginx:1.27":                         corev1.PullIfNotPresent,
		"registry:5000/web/nginx:1.27":       corev1.PullIfNotPresent,
		"nginx@sha256:9d3e":                  corev1.PullIfNotPresent,
		"registry:5000/nginx:1.27@sha256:9d": corev1.PullIfNotPresent,
	} {
		got := pod(t, "containers: [{name: c, image: '"+image+"'}]")
		assert.Equal(t, want, got.Spec.Containers[0].ImagePullPolicy, image)
	}
}

func TestDefaultFillsInInitContainersToo(t *testing.T) {
	got := pod(t, "initContainers: [{name: i, image: i}], containers: [{name: c, image: c}]")
	assert.Equal(t, corev1.PullAlways, got.Spec.InitContainers[0].ImagePullPolicy)
}

func TestDefaultWritesDownThatAHostPathMayBeAnything(t *testing.T) {
	v := pod(t, "volumes: [{name: logs, hostPath: {path: /var/log}}]").Spec.Volumes[0]
	assert.Equal(t, new(corev1.HostPathUnset), v.HostPath.Type)
}

func TestDefaultFillsInEveryProbe(t *testing.T) {
	got := pod(t, "containers: [{name: c, image: c, livenessProbe: {exec: {}}, "+
		"readinessProbe: {exec: {}}, startupProbe: {exec: {}}}]").Spec.Containers[0]
	for _, probe := range []*corev1.Probe{
		got.LivenessProbe, got.ReadinessProbe, got.StartupProbe,
	} {
		assert.Equal(t, int32(10), probe.PeriodSeconds)
	}
}

func TestDefaultTakesAControllersSelectorAndLabelsFromItsTemplate(t *testing.T) {
	rc := defaulted(t, `
apiVersion: v1
kind: ReplicationController
metadata: {name: web}
spec:
  template:
    metadata: {labels: {app: nginx}}
    spec: {containers: [{name: nginx, image: nginx, resources: {limits: {cpu: 1}}}]}
`).(*corev1.ReplicationController)
	nginx := map[string]string{"app": "nginx"}
	assert.Equal(t, int32(1), *rc.Spec.Replicas)
	assert.Equal(t, nginx, rc.Spec.Selector)
	assert.Equal(t, nginx, rc.Labels)
	assert.Equal(t, corev1.RestartPolicyAlways, rc.Spec.Template.Spec.RestartPolicy)

	rc.Labels["app"] = "changed"
	assert.Equal(t, nginx, rc.Spec.Selector,
		"labels, selector and template are three maps, not one under three names")
	assert.Equal(t, nginx, rc.Spec.Template.Labels)
}

func TestDefaultAddsLessToATemplateThanToAPod(t *testing.T) {
	template := corev1.PodTemplateSpec{Spec: corev1.PodSpec{
		Containers: []corev1.Container{{Name: "c", Resources: corev1.ResourceRequirements{
			Limits: pod(t, "containers: [{name: c, image: c, resources: {limits: {cpu: 1}}}]").
				Spec.Containers[0].Resources.Limits,
		}}},
	}}
	controlloop.DefaultPodTemplate(&template)
	assert.Nil(t, template.Spec.EnableServiceLinks)
	assert.Nil(t, template.Spec.Containers[0].Resources.Requests)
}

func TestDefaultKnowsNamespacesAndNodes(t *testing.T) {
	namespace := defaulted(t, "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}")
	assertYAML(t, `
apiVersion: v1
kind: Namespace
metadata: {name: shop, labels: {kubernetes.io/metadata.name: shop}}
spec: {finalizers: [kubernetes]}
status: {phase: Active}
`, namespace)
	unnamed := defaulted(t, "{apiVersion: v1, kind: Namespace, metadata: {generateName: a}}")
	assert.Empty(t, unnamed.GetLabels(), "a name that is still to be made is no label")
	node := defaulted(t, `
{apiVersion: v1, kind: Node, metadata: {name: a}, status: {capacity: {cpu: 4}}}`).(*corev1.Node)
	assert.Equal(t, node.Status.Capacity, node.Status.Allocatable)
	assert.Empty(t, node.Namespace, "a Node is in no namespace")
}

func TestDefaultTwiceChangesNothingMoreAndTheManifestsAreValid(t *testing.T) {
	files, err := filepath.Glob("manifests/*.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	kinds := controlloop.CoreKinds()
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			objects := kubetest.Objects(t, kinds, string(text))
			require.NotEmpty(t, objects)
			for _, obj := range objects {
				kind, err := kinds.Of(obj)
				require.NoError(t, err)
				kind.Default(obj)
				once := obj.DeepCopyObject()
				kind.Default(obj)
				assert.Equal(t, once, obj)
				assert.NoError(t, kind.ValidateCreate(obj))
			}
		})
	}
}
