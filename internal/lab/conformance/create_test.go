package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestCreateReadsStandardInput(t *testing.T) {
	u := newUser(t)
	r := u.feed(settings, "create", "-f", "-")
	assert.Equal(t, "configmap/settings created\n", r.out, r.err)
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
