package conformance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pulled is a Pod whose image is pulled whether the node has it or not.
var pulled = strings.Replace(webPod, "    ports:", "    imagePullPolicy: Always\n    ports:", 1)

func TestDescribePodTellsItsStory(t *testing.T) {
	u := newUser(t)
	u.apply(pulled)
	u.ok("wait", "--for=condition=Ready", "pod/web")
	out := u.ok("describe", "pod", "web")
	for _, line := range []string{
		`(?m)^Name: +web$`, `(?m)^Namespace: +` + u.namespace + `$`,
		`(?m)^Node: +node-\d/172\.18\.0\.\d$`, `(?m)^Labels: +app=web$`,
		`(?m)^Status: +Running$`, `(?m)^IP: +10\.244\.\d\.\d+$`,
		`(?m)^ +Image: +nginx:1\.27$`, `(?m)^ +Port: +80/TCP$`, `(?m)^ +Ready: +True$`,
		`(?m)^Conditions:$`, `(?m)^ +PodScheduled +True`, `(?m)^QoS Class: +BestEffort$`,
		`(?m)^Events:$`,
		`Normal +Scheduled +\S+ +default-scheduler +Successfully assigned ` + u.namespace + `/web to node-\d`,
		`Normal +Pulling +\S+ +kubelet +spec.containers\{nginx\}: Pulling image "nginx:1.27"`,
		`Normal +Pulled +\S+ +kubelet +spec.containers\{nginx\}: Successfully pulled image "nginx:1.27" in`,
		`Normal +Created +\S+ +kubelet +`,
		`Normal +Started +\S+ +kubelet +`,
	} {
		assert.Regexp(t, line, out)
	}
}

func TestDescribeTellsWhyAPodDoesNotRun(t *testing.T) {
	u := newUser(t)
	u.apply(strings.Replace(webPod, "nginx:1.27", "nginx:1.91", 1))
	u.ok("wait", "--for=jsonpath={.status.containerStatuses[0].state.waiting.reason}=ImagePullBackOff", "pod/web")
	out := u.ok("describe", "pod", "web")
	assert.Regexp(t, `Warning +Failed +\S+ +kubelet +spec.containers\{nginx\}: Failed to pull image "nginx:1.91"`, out)
	assert.Regexp(t, `Reason: +(ImagePullBackOff|ErrImagePull)`, out)
	assert.Contains(t, []string{"ErrImagePull", "ImagePullBackOff"}, table(u.ok("get", "pod", "web"))[1][2])
}

func TestDescribeKnowsOtherKinds(t *testing.T) {
	u := newUser(t)
	u.apply(webDeployment)
	u.apply(strings.NewReplacer("name: web", "name: old", "app: web", "app: old").Replace(webRC))
	u.apply(settings)
	u.ok("wait", "--for=condition=Available", "deployment/web")
	u.ok("wait", "--for=jsonpath={.status.readyReplicas}=2", "rc/old")
	for _, c := range []struct {
		kind, name string
		lines      []string
	}{
		{"rs", "", []string{
			`(?m)^Controlled By: +Deployment/web$`, `Replicas: +2 current / 2 desired`,
			`Pods Status: +2 Running / 0 Waiting / 0 Succeeded / 0 Failed`,
			`Normal +SuccessfulCreate +\S+ +replicaset-controller +Created pod: web-`,
		}},
		{"rc", "old", []string{`Normal +SuccessfulCreate +\S+ +replication-controller +Created pod: old-`}},
		{"configmap", "settings", []string{`(?m)^color:\n----\nred$`}},
		{"node", "node-1", []string{
			`(?m)^Roles: +<none>$`, `Ready +True .* KubeletReady +kubelet is posting ready status`,
			`Kubelet Version: +v1\.37\.2`, `Container Runtime Version: +simulated://1\.0`,
			`(?m)^ +cpu: +4$`, `(?m)^PodCIDR: +10\.244\.1\.0/24$`, `Non-terminated Pods:`,
		}},
		{"namespace", u.namespace, []string{`(?m)^Status: +Active$`}},
	} {
		args := []string{"describe", c.kind}
		if c.name != "" {
			args = append(args, c.name)
		}
		out := u.ok(args...)
		for _, line := range c.lines {
			assert.Regexp(t, line, out, c.kind)
		}
	}
}

func TestEventsAreListed(t *testing.T) {
	u := newUser(t)
	u.apply(pulled)
	u.ok("wait", "--for=condition=Ready", "pod/web")
	rows := table(u.ok("events", "--for", "pod/web"))
	assert.Equal(t, []string{"LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"}, rows[0])
	require.Len(t, rows, 6)
	var seen [][]string // a kubelet may be faster than the scheduler tells
	for _, row := range rows[1:] {
		seen = append(seen, row[1:4])
	}
	assert.Contains(t, seen, []string{"Normal", "Scheduled", "Pod/web"})
	rows = table(u.ok("get", "events", "--field-selector", "involvedObject.name=web,reason=Started"))
	require.Len(t, rows, 2)
	assert.Equal(t, []string{"LAST SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"}, rows[0])
	assert.Equal(t, []string{"Normal", "Started", "pod/web"}, rows[1][1:4])
	assert.Contains(t, u.ok("events", "-A"), u.namespace)
	assert.Contains(t, u.kubectl("events", "--types=Warning").err, "No events found")
}

func TestExplainKnowsEveryField(t *testing.T) {
	u := newUser(t)
	out := u.ok("explain", "pod")
	assert.Contains(t, out, "KIND:       Pod\nVERSION:    v1\n")
	assert.Contains(t, out, "spec\t<PodSpec>")
	out = u.ok("explain", "pods.spec.containers")
	assert.Contains(t, out, "FIELD: containers <[]Container>")
	assert.Contains(t, out, "name\t<string> -required-")
	out = u.ok("explain", "deploy.spec.strategy", "--recursive")
	assert.Contains(t, out, "GROUP:      apps\nKIND:       Deployment\nVERSION:    v1\n")
	assert.Regexp(t, `rollingUpdate\t<RollingUpdateDeployment>\n +maxSurge\t<IntOrString>`, out)
	assert.Equal(t, `error: field "colour" does not exist`, u.refused("explain", "pod.spec.colour"))
}

func TestTheServerTellsWhatItIs(t *testing.T) {
	u := newUser(t)
	assert.Regexp(t, `Server Version: v1\.37\.`, u.ok("version"))
	assert.NotContains(t, u.kubectl("version").err, "WARNING")
	assert.Regexp(t, `Kubernetes control plane.* is running at .*https://127\.0\.0\.1:\d+`, u.ok("cluster-info"))

	out := u.ok("api-resources")
	for _, row := range []string{
		`(?m)^pods +po +v1 +true +Pod$`, `(?m)^nodes +no +v1 +false +Node$`,
		`(?m)^deployments +deploy +apps/v1 +true +Deployment$`,
		`(?m)^endpointslices +discovery.k8s.io/v1 +true +EndpointSlice$`,
		`(?m)^leases +coordination.k8s.io/v1 +true +Lease$`,
		`(?m)^storageclasses +sc +storage.k8s.io/v1 +false +StorageClass$`,
	} {
		assert.Regexp(t, row, out)
	}
	assert.Contains(t, u.ok("api-resources", "--namespaced=false", "-o", "name"), "namespaces\n")
	assert.Contains(t, u.ok("api-resources", "--categories=all", "-o", "name"), "deployments.apps\n")
	assert.Contains(t, u.ok("api-versions"), "apps/v1\n")
}

func TestAuthKnowsWhoOneIs(t *testing.T) {
	u := newUser(t)
	assert.Regexp(t, `(?m)^Username +admin$`, u.ok("auth", "whoami"))
	u.says("yes", "auth", "can-i", "create", "pods")
}

func TestTopSaysThatThereAreNoMetrics(t *testing.T) {
	u := newUser(t)
	assert.Equal(t, "error: Metrics API not available", u.refused("top", "nodes"))
	assert.Equal(t, "error: Metrics API not available", u.refused("top", "pods"))
}
