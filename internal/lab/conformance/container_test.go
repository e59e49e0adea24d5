package conformance_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// script returns a Pod of one container that runs a shell script.
func script(name, text string) string {
	return fmt.Sprintf(`
apiVersion: v1
kind: Pod
metadata:
  name: %s
  labels: {app: script}
spec:
  terminationGracePeriodSeconds: 0
  restartPolicy: Never
  containers:
  - name: first
    image: busybox:1.36
    command: ["sh", "-c", %q]
`, name, text)
}

func TestLogsShowWhatAContainerPrints(t *testing.T) {
	u := newUser(t)
	u.apply(script("talks", "echo one; echo two; echo three"))
	u.ok("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/talks")
	u.says("one\ntwo\nthree", "logs", "talks")
	u.says("three", "logs", "talks", "--tail=1")
	u.says("one\ntwo", "logs", "talks", "--limit-bytes=8")
	u.says("[pod/talks/first] one\n[pod/talks/first] two\n[pod/talks/first] three", "logs", "talks", "--prefix")
	u.says("one\ntwo\nthree", "logs", "-l", "app=script")
	assert.Regexp(t, `^\d{4}-\d\d-\d\dT\S+Z one\n`, u.ok("logs", "talks", "--timestamps"))
	assert.Contains(t, u.refused("logs", "silent"), `pods "silent" not found`)
}

func TestLogsFollowAContainerToItsEnd(t *testing.T) {
	u := newUser(t)
	u.apply(script("talks", "echo begun; while [ ! -e /tmp/go ]; do sleep 0.01; done; echo done"))
	u.ok("wait", "--for=condition=Ready", "pod/talks")
	logs := u.startCommand("logs", "-f", "talks")
	logs.sees("begun\n")
	assert.NotContains(t, logs.out.String(), "done")
	u.ok("exec", "talks", "--", "touch", "/tmp/go")
	logs.sees("begun\ndone\n")
	assert.Zero(t, logs.ends())
}

func TestLogsWantToKnowWhichContainer(t *testing.T) {
	u := newUser(t)
	u.apply(script("two", "echo first") + `
  - name: second
    image: busybox:1.36
    command: ["sh", "-c", "echo second"]
`)
	u.ok("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/two")
	u.says("second", "logs", "two", "-c", "second")
	u.says("first", "logs", "two")
	assert.ElementsMatch(t, []string{"first", "second"},
		strings.Fields(u.ok("logs", "two", "--all-containers")), "kubectl asks in any order")
	assert.Contains(t, u.refused("logs", "two", "-c", "third"), "container third is not valid for pod two")
}

func TestLogsShowWhatTheLastAttemptPrinted(t *testing.T) {
	u := newUser(t)
	u.apply(strings.Replace(script("crashes", "echo crash; exit 3"), "Never", "Always", 1))
	assert.Contains(t, u.refused("logs", "crashes", "-c", "nobody"), "not valid")
	u.ok("wait", "--for=jsonpath={.status.containerStatuses[0].state.waiting.reason}=CrashLoopBackOff",
		"pod/crashes")
	u.ok("wait", "--for=jsonpath={.status.containerStatuses[0].restartCount}=1", "pod/crashes")
	u.says("crash", "logs", "crashes", "--previous")
	out := u.ok("describe", "pod", "crashes")
	assert.Regexp(t, `Exit Code: +3`, out)
	assert.Contains(t, out, "Back-off restarting failed container first in pod crashes_"+u.namespace)
}

func TestExecRunsCommands(t *testing.T) {
	u := newUser(t)
	u.runningPod()
	u.says("web", "exec", "web", "--", "hostname")
	r := u.kubectl("exec", "web", "--", "sh", "-c", "echo out; echo err >&2; exit 3")
	assert.Equal(t, result{"out\n", "err\ncommand terminated with exit code 3\n", 3}, r)
	r = u.feed("some\ntext\n", "exec", "-i", "web", "--", "cat")
	assert.Equal(t, result{"some\ntext\n", "", 0}, r)
	assert.Contains(t, u.refused("exec", "nobody", "--", "true"), `pods "nobody" not found`)
	assert.Contains(t, u.refused("exec", "web", "-c", "nobody", "--", "true"), "container nobody is not valid for pod web")
	r = u.kubectl("exec", "web", "--", "no-such-command")
	assert.NotZero(t, r.code)
	assert.Contains(t, r.err, `executable file not found in $PATH`)
}

func TestExecTalksToAShell(t *testing.T) {
	u := newUser(t)
	u.runningPod()
	for _, flags := range []string{"-i", "-it"} {
		shell := u.startCommand("exec", flags, "web", "--", "sh")
		shell.write("echo the host is $(hostname)\n")
		shell.sees("the host is web")
		shell.write("exit 4\n")
		assert.Equal(t, 4, shell.ends(), flags)
	}
}

func TestExecNeedsARunningContainer(t *testing.T) {
	u := newUser(t)
	u.apply(script("ended", "true"))
	u.ok("wait", "--for=jsonpath={.status.phase}=Succeeded", "pod/ended")
	assert.Contains(t, u.refused("exec", "ended", "--", "true"),
		"cannot exec into a container in a completed pod; current phase is Succeeded")
}

func TestAttachJoinsWhatRuns(t *testing.T) {
	u := newUser(t)
	u.apply(strings.Replace(script("echo", "while read line; do echo got $line; [ $line = bye ] && exit; done"),
		"    image", "    stdin: true\n    image", 1))
	u.ok("wait", "--for=condition=Ready", "pod/echo")
	attached := u.startCommand("attach", "-i", "echo")
	attached.write("this\n")
	attached.sees("got this\n")
	attached.write("bye\n")
	attached.sees("got bye\n")
	assert.Zero(t, attached.ends())
}

func TestRunReturnsTheExitCode(t *testing.T) {
	u := newUser(t)
	r := u.kubectl("run", "-i", "--rm", "tmp", "--image=busybox:1.36", "--restart=Never",
		"--", "sh", "-c", "read go; echo bye; exit 3") // until it is attached
	assert.Equal(t, 3, r.code)
	assert.Contains(t, r.out, "bye\n")
	assert.Contains(t, r.out, `pod "tmp" deleted`)
}

func TestPortForwardReachesAPod(t *testing.T) {
	u := newUser(t)
	u.runningPod()
	forward := u.startCommand("port-forward", "pod/web", ":80")
	forward.sees("Forwarding from 127.0.0.1:")
	_, rest, _ := strings.Cut(forward.out.String(), "127.0.0.1:")
	port, _, _ := strings.Cut(rest, " ")
	for range 3 {
		response, err := http.Get("http://127.0.0.1:" + port)
		require.NoError(t, err)
		body, err := io.ReadAll(response.Body)
		require.NoError(t, err)
		response.Body.Close()
		assert.Contains(t, string(body), "Welcome to nginx!")
	}
}
