package main

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestALabLivesFromUpToCtrlC(t *testing.T) {
	t.Parallel()
	for name, signal := range map[string]syscall.Signal{
		"Ctrl-C": syscall.SIGINT, "SIGTERM": syscall.SIGTERM,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			lab := h.up("--nodes", "2")
			assert.Contains(t, lab.printed(), "go run ./cmd/lab kubectl get nodes")
			assert.Equal(t, "node/node-1\nnode/node-2\n", h.lab(0, "kubectl", "get", "nodes", "-o", "name"))
			assert.Equal(t, "pod/web created\n", h.lab(0, "kubectl", "run", "web", "--image=nginx:1.27"))
			h.lab(0, "kubectl", "wait", "--for=condition=Ready", "pod/web")
			lab.prints("  Normal   Started           pod/web ")
			assert.Equal(t, "web\n", h.lab(0, "kubectl", "exec", "web", "--", "hostname"))

			assert.Equal(t, 0, lab.end(signal), lab.printed())
			assert.Contains(t, h.lab(1, "kubectl", "get", "nodes"), "no lab is running")
		})
	}
}

func TestASecondLabIsToldOfTheFirst(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := h.up()
	pid := first.command.Process.Pid
	assert.Equal(t, fmt.Sprintf("lab: listen on 127.0.0.1:%s: address already in use; "+
		"choose another port with --port, or stop the other lab (process %d)\n", first.port(), pid),
		h.lab(1, "up", "--port", first.port()))
	assert.Equal(t, fmt.Sprintf("lab: a lab is running already at https://127.0.0.1:%s (process %d); "+
		"stop it, or give this one a file of its own with --kubeconfig\n", first.port(), pid),
		h.lab(1, "up"))

	second := h.up("--kubeconfig", h.file("second"), "--nodes", "1")
	assert.Equal(t, "node/node-1\n", h.lab(0, "kubectl", "--kubeconfig", h.file("second"), "get", "nodes", "-o", "name"))
	assert.Len(t, strings.Fields(h.lab(0, "kubectl", "get", "nodes", "-o", "name")), 3, "the first is the usual one still")
	assert.Equal(t, 0, second.end(syscall.SIGINT))
	assert.Equal(t, 0, first.end(syscall.SIGINT))
}

func TestAClusterOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := h.up("--snapshot", "lab.json")
	h.lab(0, "kubectl", "create", "deployment", "web", "--image=nginx:1.27", "--replicas=3")
	h.lab(0, "kubectl", "rollout", "status", "deployment/web")
	const names = "jsonpath={.items[*].metadata.name}"
	before := h.lab(0, "kubectl", "get", "pods", "-o", names)
	assert.Contains(t, h.lab(1, "up", "--snapshot", "lab.json", "--kubeconfig", h.file("second")),
		fmt.Sprintf("lab.json is in use by another lab (process %d); stop that, or use another file", first.command.Process.Pid))
	assert.Equal(t, 0, first.end(syscall.SIGINT))

	second := h.up("--snapshot", "lab.json")
	h.lab(0, "kubectl", "wait", "--for=condition=Available", "deployment/web")
	assert.Equal(t, before, h.lab(0, "kubectl", "get", "pods", "-o", names))
	assert.Equal(t, 0, second.end(syscall.SIGINT))
}

func TestAKilledLabLosesASecondAtMost(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	first := h.up("--snapshot", "lab.json", "--nodes", "0")
	h.lab(0, "kubectl", "create", "configmap", "kept")
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(h.file("lab.json"))
		return err == nil && strings.Contains(string(text), `"name":"kept"`)
	}, limit, 10*time.Millisecond)
	assert.Equal(t, -1, first.end(syscall.SIGKILL))

	second := h.up("--snapshot", "lab.json", "--nodes", "0")
	assert.Equal(t, "configmap/kept\n", h.lab(0, "kubectl", "get", "configmap", "kept", "-o", "name"))
	assert.Equal(t, 0, second.end(syscall.SIGINT))
}

func TestAStateThatCannotBeSavedIsAnExitCode(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	assert.Regexp(t, `^lab: --snapshot: \S+/lab.json cannot be written: .*no such file`,
		h.lab(1, "up", "--snapshot", "nowhere/lab.json"))

	lab := h.up("--snapshot", "lab.json", "--nodes", "0")
	for os.MkdirAll(h.file("lab.json.tmp/full"), 0o755) != nil { // it may be being written
	}
	h.lab(0, "kubectl", "create", "configmap", "lost")
	lab.prints("lab: the state is not saved: ")
	assert.Equal(t, 1, lab.end(syscall.SIGINT), lab.printed())
	assert.Regexp(t, `lab: the state is not saved: .*; the file holds what was saved before\n$`, lab.printed())
}

func TestKubectlConfigKnowsTheLabThatRuns(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	lab := h.up("--nodes", "0")
	h.lab(0, "kubectl", "create", "namespace", "story")
	h.lab(0, "kubectl", "config", "set-context", "--current", "--namespace=story")
	h.lab(0, "kubectl", "wait", "--for=create", "configmap/kube-root-ca.crt")
	assert.Equal(t, "kube-root-ca.crt story\n", h.lab(0, "kubectl", "get", "configmaps",
		"-o", "jsonpath={.items[*].metadata.name} {.items[*].metadata.namespace}{\"\\n\"}"))
	h.lab(0, "kubectl", "config", "set", "contexts.other.cluster", "reconcile")
	h.lab(0, "kubectl", "config", "rename-context", "reconcile", "lab")
	h.lab(0, "kubectl", "config", "use-context", "lab")
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
	assert.Contains(t, h.lab(1, "kubectl", "get", "nodes"), "no lab is running", "its kubeconfig went with it")
}

// A user in a container whose lab stops sees the command end, and no broken
// connection.
func TestCtrlCEndsCommandsInContainersAsCommandsEnd(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	lab := h.up("--nodes", "1")
	h.lab(0, "kubectl", "run", "web", "--image=nginx:1.27")
	h.lab(0, "kubectl", "wait", "--for=condition=Ready", "pod/web")
	exec := h.start("kubectl", "exec", "web", "--", "sh", "-c", "echo here; sleep 1000")
	exec.prints("here\n")
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
	select {
	case <-exec.ended:
	case <-time.After(limit):
		require.Fail(t, "kubectl exec does not end")
	}
	assert.Regexp(t, `^here\ncommand terminated with exit code \d+\n$`, exec.printed())
}

func TestATokenNeedNotStandOnTheCommandLine(t *testing.T) {
	t.Parallel()
	h := newHome(t, "RECONCILE_TOKEN=open sesame, please")
	lab := h.up("--address", "0.0.0.0", "--nodes", "0")
	assert.Contains(t, h.lab(0, "kubectl", "config", "view", "--raw"), "token: open sesame, please")
	assert.Equal(t, "[]\n", h.lab(0, "kubectl", "get", "nodes", "-o", "jsonpath={.items}{\"\\n\"}"))
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
}

func TestUpTellsWhatThereIs(t *testing.T) {
	help := runLab(t, 0, "up", "--help")
	assert.LessOrEqual(t, strings.Count(help, "\n"), 50, "it fits a screen")
	for line := range strings.Lines(help) {
		assert.LessOrEqual(t, len(strings.TrimSuffix(line, "\n")), 88)
	}
	assert.Contains(t, runLab(t, 0, "up", "--controllers", "help"), "deployment-controller (or deployment)")
	assert.Contains(t, runLab(t, 0, "up", "--with", "help"), "3k          Deployments try a canary first")
	assert.Contains(t, runLab(t, 0, "up", "--runtime", "help"), "registry.k8s.io's pause")
	assert.Contains(t, runLab(t, 1, "up", "--with", "2h,3.11"),
		"lab: exercise 3.11 is 3k now\nlab: --with: 2h and 3k both say how Deployments roll: choose one")
	assert.Contains(t, runLab(t, 1, "up", "--controllers", "job"),
		`lab: --controllers: there is no controller "job" here; there are: namespace-controller (or namespace), `)
	assert.Contains(t, runLab(t, 1, "up", "--address", "0.0.0.0"),
		"lab: --address 0.0.0.0 lets others reach the lab: choose a --token that they have to know")
}

func TestControllersCanBeLeftOut(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	lab := h.up("--controllers", "*,-replicaset", "--nodes", "0")
	h.lab(0, "kubectl", "create", "deployment", "web", "--image=nginx:1.27")
	h.lab(0, "kubectl", "wait", "--for=create", "rs", "-l", "app=web")
	assert.Contains(t, h.lab(0, "kubectl", "get", "pods"), "No resources found")
	assert.Equal(t, 0, lab.end(syscall.SIGINT))
}
