package conformance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCreateMakesWhatAManifestSays(t *testing.T) {
	u := newUser(t)
	u.says("pod/web created", "create", "-f", u.file(webPod))
	u.says("nginx:1.27", "get", "pod", "web", "-o", "jsonpath={.spec.containers[0].image}")
	assert.Equal(t, `Error from server (AlreadyExists): error when creating "`+
		`": pods "web" already exists`,
		withoutFile(u.refused("create", "-f", u.file(webPod))))
}

// withoutFile drops the name of a temporary file from a message.
func withoutFile(message string) string {
	before, rest, _ := strings.Cut(message, `"`)
	_, after, _ := strings.Cut(rest, `"`)
	return before + `"` + `"` + after
}

func TestCreateReadsStandardInput(t *testing.T) {
	u := newUser(t)
	r := u.feed(settings, "create", "-f", "-")
	assert.Equal(t, "configmap/settings created\n", r.out, r.err)
}

func TestCreateMakesUpNames(t *testing.T) {
	u := newUser(t)
	out := u.ok("create", "-f", u.file(strings.Replace(settings, "name: settings", "generateName: settings-", 1)))
	assert.Regexp(t, `^configmap/settings-[a-z0-9]{5} created\n$`, out)
}

func TestCreateRefusesWhatNoKindHas(t *testing.T) {
	u := newUser(t)
	unknown := strings.Replace(webPod, "image: nginx", "imagee: nginx", 1)
	message := u.refused("create", "-f", u.file(unknown))
	assert.Contains(t, message, `strict decoding error: unknown field "spec.containers[0].imagee"`)

	r := u.kubectl("create", "-f", u.file(unknown), "--validate=warn")
	assert.Contains(t, r.err, `unknown field "spec.containers[0].imagee"`)

	wrong := strings.Replace(webPod, "containerPort: 80", "containerPort: eighty", 1)
	assert.Contains(t, u.refused("create", "-f", u.file(wrong)), "cannot unmarshal string")
}

func TestCreateTellsEveryFieldThatIsWrong(t *testing.T) {
	u := newUser(t)
	bad := strings.NewReplacer("name: nginx", "name: Nginx!", "containerPort: 80", "containerPort: 0").Replace(webPod)
	message := u.refused("create", "-f", u.file(bad))
	assert.Contains(t, message, `The Pod "web" is invalid:`)
	assert.Contains(t, message, "* spec.containers[0].name: Invalid value: \"Nginx!\":")
	assert.Contains(t, message, "* spec.containers[0].ports[0].containerPort: Required value")
}

func TestCreateTellsThatAKindIsUnknown(t *testing.T) {
	u := newUser(t)
	message := u.refused("create", "-f", u.file("apiVersion: example.com/v1\nkind: Gadget\nmetadata: {name: x}\n"))
	assert.Contains(t, message, `no matches for kind "Gadget" in version "example.com/v1"`)
}

// These commands send protobuf.
func TestCreateHasCommandsForMostKinds(t *testing.T) {
	u := newUser(t)
	u.says("deployment.apps/shop created", "create", "deployment", "shop", "--image=nginx:1.27", "--replicas=2")
	u.says("configmap/colors created", "create", "configmap", "colors", "--from-literal=a=red")
	u.says("secret/key created", "create", "secret", "generic", "key", "--from-literal=password=x")
	u.says("service/shop created", "create", "service", "clusterip", "shop", "--tcp=80:80")
	u.says("serviceaccount/robot created", "create", "serviceaccount", "robot")
	u.says("2", "get", "deployment", "shop", "-o", "jsonpath={.spec.replicas}")
	u.says("red", "get", "configmap", "colors", "-o", "jsonpath={.data.a}")
	u.says("eA==", "get", "secret", "key", "-o", "jsonpath={.data.password}")
}

func TestDryRunsMakeNothing(t *testing.T) {
	u := newUser(t)
	u.says("pod/web created (dry run)", "create", "-f", u.file(webPod), "--dry-run=client")
	u.says("pod/web created (server dry run)", "create", "-f", u.file(webPod), "--dry-run=server")
	u.says("Always", "create", "-f", u.file(webPod), "--dry-run=server", "-o", "jsonpath={.spec.restartPolicy}")
	assert.Equal(t, `Error from server (NotFound): pods "web" not found`, u.refused("get", "pod", "web"))
}

func TestAPodNeedsItsNamespace(t *testing.T) {
	u := newUser(t)
	u.namespace = "nowhere"
	assert.Equal(t, `Error from server (NotFound): error when creating "": namespaces "nowhere" not found`,
		withoutFile(u.refused("create", "-f", u.file(webPod))))
}

func TestReplaceOfAStaleObjectIsAConflict(t *testing.T) {
	u := newUser(t)
	u.apply(settings)
	stale := u.file(u.ok("get", "configmap", "settings", "-o", "yaml"))
	u.ok("label", "configmap", "settings", "seen=yes")
	assert.Equal(t, `Error from server (Conflict): error when replacing "": `+
		`Operation cannot be fulfilled on configmaps "settings": the object has been modified; `+
		"please apply your changes to the latest version and try again",
		withoutFile(u.refused("replace", "-f", stale)))
}

func TestReplacePutsAnObjectInThePlaceOfAnother(t *testing.T) {
	u := newUser(t)
	u.apply(settings)
	u.says("configmap/settings replaced", "replace", "-f", u.file(strings.Replace(settings, "size: small", "", 1)))
	u.says(`{"color":"red"}`, "get", "configmap", "settings", "-o", "jsonpath={.data}")
	assert.Contains(t, u.refused("replace", "-f", u.file(strings.Replace(settings, "name: settings", "name: other", 1))),
		`configmaps "other" not found`)

	before := u.ok("get", "configmap", "settings", "-o", "jsonpath={.metadata.uid}")
	assert.Contains(t, u.ok("replace", "--force", "-f", u.file(settings)), `configmap/settings replaced`)
	assert.NotEqual(t, before, u.ok("get", "configmap", "settings", "-o", "jsonpath={.metadata.uid}"))
}

// kubectl would guess, "ensure CRDs are installed first", and send nothing.
func TestAKindThatTheLabHasNotIsRefusedByTheLab(t *testing.T) {
	u := newUser(t)
	const scaler = `{apiVersion: autoscaling/v2, kind: HorizontalPodAutoscaler, metadata: {name: web}, spec: {maxReplicas: 3, scaleTargetRef: {kind: Deployment, name: web, apiVersion: apps/v1}}}`
	const none = "this lab has no HorizontalPodAutoscaler: nothing here measures what Pods use"
	both := u.file(scaler + "\n---\n" + settings)
	for _, args := range [][]string{{"create"}, {"apply"}, {"apply", "--server-side"}} {
		r := u.kubectl(append(args, "-f", both)...)
		assert.Contains(t, r.err, none, args)
		assert.Contains(t, r.out, "configmap/settings ", "the others are made")
		u.ok("delete", "configmap", "settings")
	}
	assert.Equal(t, `Error from server (NotFound): Unable to list "autoscaling/v2, Resource=horizontalpodautoscalers": `+none, u.refused("get", "hpa"))
	assert.Equal(t, "Error from server (NotFound): "+none, u.refused("get", "hpa", "web"))
	assert.Contains(t, u.refused("delete", "-f", u.file(scaler)), none)
	for manifest, want := range map[string]string{
		"{apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, metadata: {name: a}}":           none,
		"{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: a}}": "this lab has no CustomResourceDefinition: its API has no kinds but Kubernetes' own",
		"{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: a}}":               "this lab has no NetworkPolicy: its network lets everything through",
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: a}}":         "this lab has no ClusterRole: whoever reaches its API may do everything",
		"{apiVersion: rbac.authorization.k8s.io/v1, kind: RoleBinding, metadata: {name: a}}":         "this lab has no RoleBinding: whoever reaches its API may do everything",
	} {
		assert.Contains(t, u.refused("apply", "-f", u.file(manifest)), want)
	}
	assert.Contains(t, u.refused("create", "token", "default"), "this lab signs no tokens")
	assert.Contains(t, u.refused("autoscale", "deployment", "web", "--max=3"), `deployments.apps "web" not found`)
}
