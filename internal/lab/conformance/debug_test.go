package conformance_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

const ephemeral = "jsonpath={.status.ephemeralContainerStatuses[*].state}"

func TestDebugSitsDownInAPod(t *testing.T) {
	u := newUser(t)
	u.runningPod()
	shell := u.begin("debug", "-it", "web", "--image=busybox:1.28", "--target=nginx", "-c", "look")
	shell.write("echo on $(hostname): $(wget -qO- localhost | grep -c Welcome)\n")
	shell.sees("on web: ")
	shell.write("exit 3\n")
	shell.ends()
	u.says("3", "get", "pod", "web", "-o", "jsonpath={.status.ephemeralContainerStatuses[0].state.terminated.exitCode}")
	t.Log(shell.out.String())
	t.Log(u.ok("get", "pod", "web", "-o", "yaml"))
	t.Log(u.ok("describe", "pod", "web"))
	r := u.kubectl("debug", "web", "--image=busybox", "--", "sleep", "1000")
	t.Log(r)
	t.Log(u.kubectl("debug", "web", "--image=busybox", "--copy-to=other", "--", "sleep", "1000"))
	t.Log(u.kubectl("debug", "node/node-1", "--image=busybox"))
	t.Log(u.kubectl("get", "events"))
	t.Log(u.kubectl("get", "pods"))
	assert.True(t, true)
}
