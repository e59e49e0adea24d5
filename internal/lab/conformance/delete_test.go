package conformance_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/slow"
)

func TestDeleteWaitsUntilAPodIsGone(t *testing.T) {
	u := newUser(t)
	u.runningPod()
	u.says(`pod "web" deleted from `+u.namespace+" namespace", "delete", "pod", "web")
	assert.Contains(t, u.refused("get", "pod", "web"), "not found")
	assert.Equal(t, `Error from server (NotFound): pods "web" not found`, u.refused("delete", "pod", "web"))
	u.says("", "delete", "pod", "web", "--ignore-not-found")
}

func TestDeleteSelects(t *testing.T) {
	u := newUser(t)
	u.four()
	u.ok("delete", "secrets", "-l", "color=blue")
	u.says("secret/a\nsecret/b", "get", "secrets", "-o", "name")
	u.ok("delete", "secrets", "--all")
	u.says("", "get", "secrets", "-o", "name")
}

func TestDeleteTakesAManifest(t *testing.T) {
	u := newUser(t)
	file := u.file(settings + "---" + webPod)
	u.ok("apply", "-f", file)
	out := u.ok("delete", "-f", file, "--now")
	assert.Contains(t, out, `configmap "settings" deleted`)
	assert.Contains(t, out, `pod "web" deleted`)
}

// slowPod needs half a minute to end.
var slowPod = strings.NewReplacer(
	"name: web", "name: slow", "nginx:1.27", "busybox:1.36",
	"terminationGracePeriodSeconds: 1", "terminationGracePeriodSeconds: 30",
	"    ports:\n    - containerPort: 80\n",
	"    command: [sh, -c, \"trap '' TERM; while true; do sleep 1; done\"]\n",
).Replace(webPod)

func TestDeleteGivesAPodItsGrace(t *testing.T) {
	u := newUser(t)
	u.apply(slowPod)
	u.ok("wait", "--for=condition=Ready", "pod/slow")
	u.ok("delete", "pod", "slow", "--wait=false")
	assert.Equal(t, "Terminating", table(u.ok("get", "pod", "slow"))[1][2])
	u.says("30", "get", "pod", "slow", "-o", "jsonpath={.metadata.deletionGracePeriodSeconds}")

	started := time.Now()
	r := u.kubectl("delete", "pod", "slow", "--grace-period=0", "--force")
	require.Zero(t, r.code, r.err)
	assert.Contains(t, r.err, "Immediate deletion does not wait for confirmation")
	assert.Contains(t, r.out, `pod "slow" force deleted`)
	assert.Less(t, time.Since(started), 20*time.Second)
	assert.Contains(t, u.refused("get", "pod", "slow"), "not found")
}

func TestDryRunsDeleteNothing(t *testing.T) {
	u := newUser(t)
	u.apply(settings)
	for _, run := range []string{"client", "server"} {
		u.ok("delete", "cm", "settings", "--dry-run="+run)
	}
	u.says("configmap/settings", "get", "cm", "settings", "-o", "name")
}

func TestCascades(t *testing.T) {
	for _, c := range []struct{ name, manifest, kind string }{
		{"rc", webRC, "rc"}, {"deployment", webDeployment, "deployment"},
	} {
		t.Run(c.name, func(t *testing.T) {
			u := newUser(t)
			pods := func() []string {
				return strings.Fields(u.ok("get", "pods", "-o", "name"))
			}
			u.apply(c.manifest)
			u.ok("wait", "--for=jsonpath={.status.readyReplicas}=2", c.kind+"/web")
			before := pods()
			require.Len(t, before, 2)

			u.ok("delete", c.kind, "web", "--cascade=orphan")
			if c.kind == "deployment" { // of which the ReplicaSet is the orphan
				u.ok("delete", "rs", "--all", "--cascade=orphan")
			}
			assert.Equal(t, before, pods())
			u.says("", "get", "pod", strings.TrimPrefix(before[0], "pod/"), "-o", "jsonpath={.metadata.ownerReferences}")
			u.ok("delete", "pods", "--all")

			u.apply(c.manifest)
			u.ok("wait", "--for=jsonpath={.status.readyReplicas}=2", c.kind+"/web")
			u.ok("delete", c.kind, "web", "--cascade=foreground")
			assert.Empty(t, u.ok("get", "rs", "-o", "name"))
			assert.Empty(t, pods(), "the owner is the last to go")

			u.apply(c.manifest)
			u.ok("wait", "--for=jsonpath={.status.readyReplicas}=2", c.kind+"/web")
			u.ok("delete", c.kind, "web", "--cascade=background")
			u.ok("wait", "--for=delete", "pod", "-l", "app=web")
			assert.Empty(t, pods())
		})
	}
}

func TestDeleteOfANamespaceEmptiesIt(t *testing.T) {
	u := newUser(t)
	u.apply(settings)
	u.runningPod()
	u.apply(webDeployment)
	u.says(`namespace "`+u.namespace+`" deleted`, "delete", "namespace", u.namespace)
	u.says("", "get", "all,cm,events", "-o", "name", "--ignore-not-found")
	assert.Contains(t, u.refused("get", "ns", u.namespace), "not found")
	assert.Contains(t, u.refused("delete", "ns", "default"),
		`Error from server (Forbidden): namespaces "default" is forbidden: this namespace may not be deleted`)
}

func TestANamespaceOnItsWayOutTakesNothing(t *testing.T) {
	slow.Test(t, "it waits as long as a namespace takes to end")
	u := newUser(t)
	u.apply(strings.Replace(settings, "name: settings", "name: settings\n  finalizers: [example.com/held]", 1))
	u.ok("delete", "ns", u.namespace, "--wait=false")
	u.says("Terminating", "get", "ns", u.namespace, "-o", "jsonpath={.status.phase}")
	assert.Contains(t, u.refused("create", "-f", u.file(webPod)),
		`pods "web" is forbidden: unable to create new content in namespace `+
			u.namespace+" because it is being terminated")
	u.ok("patch", "cm", "settings", "-p", `{"metadata":{"finalizers":null}}`)
	u.ok("wait", "--for=delete", "ns/"+u.namespace)
}

func TestWait(t *testing.T) {
	u := newUser(t)
	u.runningPod()
	u.says("pod/web condition met", "wait", "--for=jsonpath={.status.phase}=Running", "pod/web")
	assert.Equal(t, `error: timed out waiting for the condition on pods/web`,
		u.refused("wait", "--for=condition=Missing", "pod/web", "--timeout=200ms"))
	created := u.begin("wait", "--for=create", "pod/late")
	u.apply(strings.Replace(webPod, "name: web", "name: late", 1))
	created.sees("pod/late condition met")
	assert.Zero(t, created.ends())
}

func TestWaitForTheEnd(t *testing.T) {
	slow.Test(t, "it waits as long as a Pod takes to end")
	u := newUser(t)
	u.apply(strings.Replace(slowPod, "Seconds: 30", "Seconds: 10", 1))
	u.ok("wait", "--for=condition=Ready", "pod/slow")
	u.ok("delete", "pod", "slow", "--wait=false")
	u.says("pod/slow condition met", "wait", "--for=delete", "pod/slow")
	u.says("", "get", "pods", "-o", "name")
}
