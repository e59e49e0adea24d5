package conformance_test

import (
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

func TestADryRunOfADrainMovesNothing(t *testing.T) {
	u := ofOwn(t, 1)
	u.runningPod()
	out := u.ok("drain", "node-1", "--force", "--dry-run=server")
	assert.Contains(t, out, "node/node-1 cordoned (server dry run)")
	u.says("node-1", "get", "pod", "web", "-o", "jsonpath={.spec.nodeName}{.metadata.deletionTimestamp}")
	u.says("", "get", "node", "node-1", "-o", "jsonpath={.spec.unschedulable}")
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
