package conformance_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// debugger returns the name of the Nth container that was added to the Pod web.
func (u *user) debugger(n string) string {
	u.t.Helper()
	return u.ok("get", "pod", "web", "-o", "jsonpath={.spec.ephemeralContainers["+n+"].name}")
}

func TestDebugSitsDownBesideAContainer(t *testing.T) {
	u := newUser(t)
	u.runningPod()
	shell := u.startCommand("debug", "-it", "web", "--image=busybox:1.28", "--target=nginx")
	shell.sees("If you don't see a command prompt, try pressing enter.")
	shell.write("wget -qO- localhost | grep title\n")
	shell.sees("<title>Welcome to nginx!</title>")
	shell.write("ps\n")
	shell.sees("    1 root      0:00 nginx")
	u.ok("wait", "--for=jsonpath={.status.ephemeralContainerStatuses[0].state.running}", "pod/web")
	u.says("web", "exec", "web", "-c", u.debugger("0"), "--", "hostname")
	shell.write("exit 3\n")
	shell.ends()

	u.ok("wait", "--for=jsonpath={.status.ephemeralContainerStatuses[0].state.terminated.exitCode}=3", "pod/web")
	assert.Contains(t, u.ok("logs", "web", "-c", u.debugger("0")), "Welcome to nginx!")
	out := u.ok("describe", "pod", "web")
	assert.Regexp(t, `Ephemeral Containers:\n +debugger-\w+:\n(.*\n)+? +State: +Terminated\n +Reason: +Error\n +Exit Code: +3`, out)
	assert.Contains(t, out, "spec.ephemeralContainers{"+u.debugger("0")+"}: Container started")
	rows := table(u.ok("get", "pod", "web"))
	assert.Equal(t, []string{"web", "1/1", "Running", "0"}, rows[1][:4])
}

func TestDebugLeavesSomethingRunning(t *testing.T) {
	u := newUser(t)
	u.runningPod()
	r := u.kubectl("debug", "web", "--image=busybox", "--", "sleep", "1000")
	assert.Zero(t, r.code)
	assert.Regexp(t, `^Defaulting debug container name to debugger-\w+\.\n$`, r.out)
	u.ok("debug", "web", "--image=busybox", "-c", "a", "--", "cat")
	// Their states are in the order of their names.
	u.ok("wait", "--for=jsonpath={.status.ephemeralContainerStatuses[0].state.terminated.exitCode}=0", "pod/web")
	u.ok("wait", "--for=jsonpath={.status.ephemeralContainerStatuses[1].state.running}", "pod/web")
}

func TestDebugIsRefusedWhatThereIsNot(t *testing.T) {
	u := newUser(t)
	u.runningPod()
	assert.Contains(t, u.refused("debug", "web", "--image=busybox", "--target=web"),
		`The Pod "web" is invalid: spec.ephemeralContainers[0].targetContainerName: Not found: "web"`)
	assert.Contains(t, u.refused("debug", "web", "--image=busybox", "-c", "nginx"),
		`The Pod "web" is invalid: spec.ephemeralContainers[0].name: Duplicate value: "nginx"`)
	assert.Contains(t, u.refused("debug", "nobody", "--image=busybox"), `pods "nobody" not found`)
}

func TestDebugCopiesAPod(t *testing.T) {
	u := newUser(t)
	u.runningPod()
	u.ok("debug", "web", "--image=busybox", "--copy-to=copy", "--", "sleep", "1000")
	u.ok("wait", "--for=condition=Ready", "pod/copy")
	rows := table(u.ok("get", "pod", "copy"))
	assert.Equal(t, []string{"copy", "2/2", "Running", "0"}, rows[1][:4])
}

// kubectl mounts the node's files, which are a folder of the lab's, into the Pod
// that it makes.
func TestDebugOfANodeSeesItsFiles(t *testing.T) {
	u := newUser(t)
	u.ok("debug", "node/node-1", "--image=busybox", "--", "sh", "-c", "ls -d /host && sleep 1000")
	u.startCommand("get", "events", "-w").sees("Container started")
	u.ok("wait", "--for=condition=Ready", "pod", "--all", "--timeout=60s")
	debugger := strings.TrimSpace(u.ok("get", "pods", "-o", "name"))
	assert.Equal(t, "/host\n", u.ok("logs", debugger))
}

func TestDebugOfANodeMayBePrivileged(t *testing.T) {
	u := newUser(t)
	shell := u.startCommand("debug", "node/node-1", "-it", "--image=busybox", "--profile=sysadmin")
	shell.sees("Warning: spec.containers[0].securityContext.privileged: the simulated runtime ignores it")
	shell.sees("If you don't see a command prompt, try pressing enter.")
	shell.write("hostname\nexit\n")
	shell.sees("node-1")
	assert.Zero(t, shell.ends())
}

func TestRunMayBePrivileged(t *testing.T) {
	u := newUser(t)
	r := u.kubectl("run", "agent", "--privileged", "--image=busybox", "--", "sleep", "1000")
	assert.Zero(t, r.code)
	assert.Equal(t, "pod/agent created\n", r.out)
	assert.Equal(t, "Warning: spec.containers[0].securityContext.privileged: the simulated runtime ignores it\n", r.err)
	u.ok("wait", "--for=condition=Ready", "pod/agent")
}
