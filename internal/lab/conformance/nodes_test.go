package conformance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestNodesAreListed(t *testing.T) {
	u := newUser(t)
	rows := table(u.ok("get", "nodes"))
	require.Len(t, rows, 4)
	assert.Equal(t, []string{"NAME", "STATUS", "ROLES", "AGE", "VERSION"}, rows[0])
	assert.Equal(t, []string{"node-1", "Ready", "<none>"}, rows[1][:3])
	assert.Equal(t, "v1.37.2", rows[1][4])
	wide := table(u.ok("get", "node", "node-2", "-o", "wide"))
	assert.Equal(t, "172.18.0.3", wide[1][5])
	assert.Equal(t, "simulated://1.0", wide[1][len(wide[1])-1])
}

func TestACordonKeepsNewPodsAway(t *testing.T) {
	u := ofOwn(t, 2)
	u.says("node/node-1 cordoned", "cordon", "node-1")
	u.says("node/node-1 already cordoned", "cordon", "node-1")
	assert.Equal(t, "Ready,SchedulingDisabled", table(u.ok("get", "nodes"))[1][1])
	u.apply(webRC)
	u.ok("wait", "--for=jsonpath={.status.readyReplicas}=2", "rc/web")
	u.says("node-2 node-2", "get", "pods", "-o", "jsonpath={.items[*].spec.nodeName}")
	u.says("node/node-1 uncordoned", "uncordon", "node-1")
	u.says("2", "get", "nodes", "--field-selector=spec.unschedulable=false", "-o", `go-template={{len .items}}`)
}

// One Pod is enough to see it: of two that end at the same time, kubectl 0.37
// tells from two goroutines at once, which the race detector does not forgive.
func TestADrainedNodeIsEmpty(t *testing.T) {
	u := ofOwn(t, 2)
	u.ok("cordon", "node-2")
	u.apply(webRC)
	u.ok("scale", "rc/web", "--replicas=1")
	u.ok("wait", "--for=jsonpath={.status.replicas}=1", "rc/web")
	u.ok("wait", "--for=jsonpath={.status.readyReplicas}=1", "rc/web")
	out := u.ok("drain", "node-1", "--dry-run=server")
	assert.Contains(t, out, "node/node-1 cordoned (server dry run)")
	u.says("node-1", "get", "pods", "-l", "app=web", "-o", "jsonpath={.items[*].spec.nodeName}")

	// When a Pod finds no place, and then does, the scheduler knows of
	// both nodes what it has to.
	u.ok("cordon", "node-1")
	u.apply(strings.ReplaceAll(webPod, "web", "alone"))
	u.ok("wait", "--for=condition=PodScheduled=False", "pod/alone")
	u.ok("uncordon", "node-2")
	u.ok("wait", "--for=condition=Ready", "pod/alone")
	u.ok("delete", "pod", "alone")

	out = u.ok("drain", "node-1")
	assert.Contains(t, out, "node/node-1 already cordoned\n")
	assert.Contains(t, out, "evicting pod default/web-")
	assert.Contains(t, out, "node/node-1 drained\n")
	u.ok("wait", "--for=jsonpath={.status.readyReplicas}=1", "rc/web")
	u.says("", "get", "pods", "-o", "name", "--field-selector=spec.nodeName=node-1")
}

func TestADrainStopsAtPodsThatNobodyWouldMakeAgain(t *testing.T) {
	u := ofOwn(t, 1)
	u.runningPod()
	assert.Contains(t, u.refused("drain", "node-1"),
		"cannot delete Pods that declare no controller (use --force to override): default/web")
	assert.Contains(t, u.ok("drain", "node-1", "--force"), "pod/web evicted")
}

func TestATaintKeepsPodsAway(t *testing.T) {
	u := ofOwn(t, 1)
	u.says("node/node-1 tainted", "taint", "node", "node-1", "dedicated=db:NoSchedule")
	u.says(`[{"effect":"NoSchedule","key":"dedicated","value":"db"}]`, "get", "node", "node-1", "-o", "jsonpath={.spec.taints}")
	u.apply(webPod)
	u.apply(settings)
	u.says("Pending", "get", "pod", "web", "-o", "jsonpath={.status.phase}")
	u.says("node/node-1 untainted", "taint", "node", "node-1", "dedicated-")
	u.ok("wait", "--for=condition=Ready", "pod/web")
}
