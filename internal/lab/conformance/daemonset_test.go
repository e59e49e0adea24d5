package conformance_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const fluentdSet = "../../../chapters/06-daemonset/manifests/fluentd.yaml"

// revision returns one of the tutorial's DaemonSet, made by hand: nothing in
// the lab may act on it.
func revision(u *user, number int, tag string) string {
	u.t.Helper()
	uid := u.ok("get", "ds/fluentd-elasticsearch", "-n", "kube-system",
		"-o", "jsonpath={.metadata.uid}")
	return fmt.Sprintf(`
apiVersion: apps/v1
kind: ControllerRevision
metadata:
	name: fluentd-elasticsearch-%[1]d
	namespace: kube-system
	labels: {name: fluentd-elasticsearch}
	ownerReferences:
	- {apiVersion: apps/v1, kind: DaemonSet, name: fluentd-elasticsearch, uid: %[2]s, controller: true}
data:
	spec:
		template:
			$patch: replace
			metadata: {labels: {name: fluentd-elasticsearch}}
			spec:
				containers:
				- {name: fluentd-elasticsearch, image: "quay.io/fluentd_elasticsearch/fluentd:%[3]s"}
revision: %[1]d
`, number, uid, tag)
}

func TestADaemonSetIsShownAndRolledBack(t *testing.T) {
	u := ofOwn(t, 0, "namespace-controller")
	u.namespace = "kube-system"
	u.ok("apply", "-f", fluentdSet)
	assert.Equal(t, []string{"NAME", "DESIRED", "CURRENT", "READY", "UP-TO-DATE",
		"AVAILABLE", "NODE SELECTOR", "AGE"}, table(u.ok("get", "ds"))[0])
	described := u.ok("describe", "ds", "fluentd-elasticsearch")
	assert.Contains(t, described,
		"Annotations:    deprecated.daemonset.template.generation: 1\n")
	assert.Contains(t, described, "node-role.kubernetes.io/control-plane:NoSchedule op=Exists")

	u.says("daemonset.apps/fluentd-elasticsearch \nNo rollout history found.",
		"rollout", "history", "ds/fluentd-elasticsearch")
	u.apply(revision(u, 1, "v2.5.2"))
	u.apply(revision(u, 2, "v5.0.1"))
	rows := table(u.ok("get", "controllerrevisions"))
	assert.Equal(t, []string{"NAME", "CONTROLLER", "REVISION", "AGE"}, rows[0])
	assert.Equal(t, []string{"fluentd-elasticsearch-1",
		"daemonset.apps/fluentd-elasticsearch", "1"}, rows[1][:3])
	assert.Contains(t, u.ok("describe", "controllerrevision", "fluentd-elasticsearch-1"),
		"      $patch:  replace\n")
	assert.Equal(t, [][]string{
		{"daemonset.apps/fluentd-elasticsearch"}, {"REVISION", "CHANGE-CAUSE"},
		{"1", "<none>"}, {"2", "<none>"},
	}, table(u.ok("rollout", "history", "ds/fluentd-elasticsearch"))[:4])
	assert.Contains(t, u.ok("rollout", "history", "ds/fluentd-elasticsearch",
		"--revision=1"), "Image:\tquay.io/fluentd_elasticsearch/fluentd:v2.5.2\n")

	u.ok("rollout", "undo", "ds/fluentd-elasticsearch", "--to-revision=1")
	u.says("quay.io/fluentd_elasticsearch/fluentd:v2.5.2 2", "get",
		"ds/fluentd-elasticsearch", "-o", "jsonpath={.spec.template.spec.containers[0].image} "+
			`{.metadata.annotations.deprecated\.daemonset\.template\.generation}`)
	u.ok("patch", "ds/fluentd-elasticsearch", "--subresource=status", "--type=merge", "-p",
		`{"status":{"observedGeneration":2,"desiredNumberScheduled":3,"updatedNumberScheduled":1}}`)
	status := u.kubectl("rollout", "status", "ds/fluentd-elasticsearch", "--timeout=1s")
	assert.Contains(t, status.out, `Waiting for daemon set "fluentd-elasticsearch" `+
		"rollout to finish: 1 out of 3 new pods have been updated...\n")
	u.ok("patch", "ds/fluentd-elasticsearch", "--subresource=status", "--type=merge", "-p",
		`{"status":{"updatedNumberScheduled":3,"numberAvailable":3}}`)
	u.says(`daemon set "fluentd-elasticsearch" successfully rolled out`,
		"rollout", "status", "ds/fluentd-elasticsearch")
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
