package conformance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"reconcile/internal/slow"
)

// slowPod needs half a minute to end.
var slowPod = strings.NewReplacer(
	"name: web", "name: slow", "nginx:1.27", "busybox:1.36",
	"terminationGracePeriodSeconds: 1", "terminationGracePeriodSeconds: 30",
	"    ports:\n    - containerPort: 80\n",
	"    command: [sh, -c, \"trap '' TERM; while true; do sleep 1; done\"]\n",
).Replace(webPod)

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
	created := u.startCommand("wait", "--for=create", "pod/late")
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
