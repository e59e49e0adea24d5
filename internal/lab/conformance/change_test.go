package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPatchReachesSubresources(t *testing.T) {
	u := newUser(t)
	u.apply(webRC)
	u.says("scale.autoscaling/web patched", "patch", "rc", "web", "--subresource=scale", "--type=merge", "-p", `{"spec":{"replicas":1}}`)
	u.says("1", "get", "rc", "web", "-o", "jsonpath={.spec.replicas}")
	u.says("1", "get", "rc", "web", "--subresource=scale", "-o", "jsonpath={.spec.replicas}")

	u.ok("delete", "rc", "web") // which would adopt a Pod of its labels
	u.ok("create", "-f", u.file(webPod), "--dry-run=server")
	u.apply(webPod)
	u.says("pod/web patched", "patch", "pod", "web", "--subresource=status", "--type=merge",
		"-p", `{"status":{"message":"by hand"},"metadata":{"labels":{"app":"other"}}}`)
	u.says("web", "get", "pod", "web", "-o", "jsonpath={.metadata.labels.app}")
}

func TestLabelsAreSetChangedAndTakenAway(t *testing.T) {
	u := newUser(t)
	u.apply(settings)
	labels := func() string { return u.ok("get", "cm", "settings", "-o", "jsonpath={.metadata.labels}") }
	u.says("configmap/settings labeled", "label", "cm", "settings", "tier=front")
	assert.Equal(t, `{"tier":"front"}`, labels())
	assert.Equal(t, "error: 'tier' already has a value (front), and --overwrite is false",
		u.refused("label", "cm", "settings", "tier=back"))
	u.says("configmap/settings labeled", "label", "cm", "settings", "tier=back", "--overwrite")
	u.says("configmap/settings labeled", "label", "cm", "-l", "tier=back", "seen=yes")
	assert.Equal(t, `{"seen":"yes","tier":"back"}`, labels())
	u.says("configmap/settings unlabeled", "label", "cm", "settings", "tier-", "seen-")
	assert.Empty(t, labels())
	assert.Contains(t, u.refused("label", "cm", "settings", "tier=not a label"), "not a label")
}

func TestAnnotationsAreSetChangedAndTakenAway(t *testing.T) {
	u := newUser(t)
	u.ok("create", "-f", u.file(settings))
	u.says("configmap/settings annotated", "annotate", "cm", "settings", "why=because it can be")
	u.says("because it can be", "get", "cm", "settings", "-o", "jsonpath={.metadata.annotations.why}")
	u.says("configmap/settings annotated", "annotate", "cm", "settings", "why-")
	u.says("", "get", "cm", "settings", "-o", "jsonpath={.metadata.annotations}")
}

func TestScaleSetsTheNumberOfReplicas(t *testing.T) {
	u := newUser(t)
	u.apply(webRC)
	u.says("replicationcontroller/web scaled", "scale", "rc", "web", "--replicas=3")
	u.ok("wait", "--for=jsonpath={.status.readyReplicas}=3", "rc/web")
	assert.Contains(t, u.refused("scale", "rc", "web", "--replicas=1", "--current-replicas=2"),
		"error: Expected replicas to be 2, was 3")
	u.says("replicationcontroller/web scaled", "scale", "rc", "web", "--replicas=0")
	u.ok("wait", "--for=delete", "pod", "-l", "app=web")

	u.ok("create", "deployment", "shop", "--image=nginx:1.27")
	u.says("deployment.apps/shop scaled", "scale", "deployment/shop", "--replicas=2")
	u.ok("wait", "--for=jsonpath={.status.readyReplicas}=2", "deployment/shop")
	assert.Contains(t, u.refused("scale", "cm", "settings", "--replicas=2"), "not found")
}

func TestSetChangesPartsOfATemplate(t *testing.T) {
	u := newUser(t)
	u.apply(webDeployment)
	u.says("deployment.apps/web image updated", "set", "image", "deployment/web", "nginx=nginx:1.28")
	u.says("nginx:1.28", "get", "deployment", "web", "-o", "jsonpath={.spec.template.spec.containers[0].image}")
	u.says("deployment.apps/web env updated", "set", "env", "deployment/web", "COLOR=red")
	u.says("red", "get", "deployment", "web", "-o", "jsonpath={.spec.template.spec.containers[0].env[0].value}")
	u.says("deployment.apps/web resource requirements updated",
		"set", "resources", "deployment/web", "--limits=cpu=200m")
}
