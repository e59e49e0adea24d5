package conformance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const fluentdSet = "../../../chapters/06-daemonset/manifests/fluentd.yaml"

func TestADaemonSetIsDescribed(t *testing.T) {
	u := ofOwn(t, 0, "namespace-controller")
	u.namespace = "kube-system"
	u.ok("apply", "-f", fluentdSet)
	described := u.ok("describe", "ds", "fluentd-elasticsearch")
	assert.Contains(t, described,
		"Annotations:    deprecated.daemonset.template.generation: 1\n")
	assert.Contains(t, described, "node-role.kubernetes.io/control-plane:NoSchedule op=Exists")
	u.says("daemonset.apps/fluentd-elasticsearch \nNo rollout history found.",
		"rollout", "history", "ds/fluentd-elasticsearch")
}

func TestANodeBecomesTheControlPlane(t *testing.T) {
	u := ofOwn(t, 2)
	u.says("node/node-1 labeled",
		"label", "node", "node-1", "node-role.kubernetes.io/control-plane=")
	u.says("node/node-1 tainted",
		"taint", "node", "node-1", "node-role.kubernetes.io/control-plane:NoSchedule")
	assert.Equal(t, []string{"node-1", "Ready", "control-plane"},
		table(u.ok("get", "nodes"))[1][:3])
	described := u.ok("describe", "node", "node-1")
	assert.Contains(t, described, "Roles:              control-plane\n")
	assert.Contains(t, described,
		"Taints:             node-role.kubernetes.io/control-plane:NoSchedule\n")
	u.apply(webRC)
	u.ok("wait", "--for=jsonpath={.status.readyReplicas}=2", "rc/web")
	u.says("node-2 node-2", "get", "pods", "-o", "jsonpath={.items[*].spec.nodeName}")
	u.says("node/node-1 untainted",
		"taint", "node", "node-1", "node-role.kubernetes.io/control-plane:NoSchedule-")
	u.says("node/node-1 unlabeled",
		"label", "node", "node-1", "node-role.kubernetes.io/control-plane-")
	assert.Equal(t, "<none>", table(u.ok("get", "nodes"))[1][2])
}

func TestPodsOnTheNodesNetworkTakeItsPorts(t *testing.T) {
	u := ofOwn(t, 1)
	u.apply(`
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
	replicas: 2
	selector: {matchLabels: {app: web}}
	template:
		metadata: {labels: {app: web}}
		spec:
			hostNetwork: true
			containers:
			- {name: web, image: nginx, ports: [{containerPort: 80}]}
`)
	u.ok("wait", "--for=jsonpath={.status.readyReplicas}=1", "deployment/web")
	u.says("172.18.0.2", "get", "pods", "--field-selector=status.phase=Running",
		"-o", "jsonpath={.items[*].status.podIP}")
	u.says("80", "get", "pods", "--field-selector=status.phase=Running",
		"-o", "jsonpath={.items[*].spec.containers[0].ports[0].hostPort}")
	pending := u.ok("get", "pods", "--field-selector=status.phase=Pending", "-o", "name")
	require.NotEmpty(t, pending)
	pending = strings.TrimSpace(pending)
	u.ok("wait", "--for=condition=PodScheduled=False", pending)
	assert.Contains(t, u.ok("describe", pending),
		"1 node(s) didn't have free ports for the requested pod ports")
	u.says("node-1", "exec", "deployment/web", "--", "hostname")
}

func TestPrioritiesAndBudgets(t *testing.T) {
	u := ofOwn(t, 0, "namespace-controller")
	assert.Equal(t, [][]string{
		{"NAME", "VALUE", "GLOBAL-DEFAULT", "AGE", "PREEMPTIONPOLICY"},
		{"system-cluster-critical", "2000000000", "false"},
		{"system-node-critical", "2000001000", "false"},
	}, [][]string{
		table(u.ok("get", "pc"))[0], table(u.ok("get", "pc"))[1][:3],
		table(u.ok("get", "priorityclasses"))[2][:3],
	})
	u.ok("create", "priorityclass", "usual", "--value=5", "--global-default")
	assert.Equal(t, "error: failed to create priorityclass: "+
		`priorityclasses.scheduling.k8s.io "other" is forbidden: PriorityClass usual `+
		"is already marked as default. Only one default can exist",
		u.refused("create", "priorityclass", "other", "--value=6", "--global-default"))
	u.ok("create", "pdb", "zk-pdb", "--selector=app=zk", "--max-unavailable=1")
	rows := table(u.ok("get", "pdb"))
	assert.Equal(t, []string{"NAME", "MIN AVAILABLE", "MAX UNAVAILABLE",
		"ALLOWED DISRUPTIONS", "AGE"}, rows[0])
	assert.Equal(t, []string{"zk-pdb", "N/A", "1", "0"}, rows[1][:4])
	assert.Contains(t, u.ok("describe", "pdb", "zk-pdb"), "Max unavailable:  1\n")
	assert.Contains(t, u.refused("patch", "pdb", "zk-pdb", "--type=merge", "-p",
		`{"spec":{"minAvailable":1}}`),
		"minAvailable and maxUnavailable cannot be both set")
}
