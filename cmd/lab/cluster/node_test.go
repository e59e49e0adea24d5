package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestInAPackedFolderItsScriptIsNamed(t *testing.T) {
	t.Parallel()
	h := newHome(t, "RECONCILE_CALLED=./start.sh")
	assert.Equal(t, "lab: no lab is running: start one with `./start.sh up`\n", h.lab(1, "node", "add"))
	assert.Equal(t, "error: no lab is running: start one with `./start.sh up`\n", h.lab(1, "kubectl", "get", "pods"))
	assert.Contains(t, h.lab(0, "node", "--help"), "\n  ./start.sh node add\n")
	lab := h.up()
	assert.Contains(t, lab.printed(), "\n  ./start.sh kubectl get nodes\n")
	assert.Contains(t, lab.printed(), "\n  ./start.sh node add\n")
}

func TestMachinesComeAndGoWhileTheLabRuns(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	assert.Equal(t, "lab: no lab is running: start one with `go run ./cmd/lab up`\n", h.lab(1, "node", "add"))
	lab := h.up("--nodes", "1")
	assert.Contains(t, lab.printed(), "  go run ./cmd/lab node add\n")

	assert.Equal(t, "node-2 is added\n", h.lab(0, "node", "add"))
	assert.Equal(t, "node/node-1\nnode/node-2\n", h.lab(0, "kubectl", "get", "nodes", "-o", "name"))
	h.lab(0, "kubectl", "run", "web", "--image=nginx:1.27", "--overrides", `{"spec":{"nodeName":"node-2"}}`)
	h.lab(0, "kubectl", "wait", "--for=condition=Ready", "pod/web")

	assert.Equal(t, "node-2 is cut off\n", h.lab(0, "node", "cut", "node-2"))
	assert.Equal(t, "lab: node-2 is cut off already\n", h.lab(1, "node", "cut", "node-2"))
	assert.Equal(t, "node-2 is switched off\n", h.lab(0, "node", "stop", "node-2"))
	assert.Equal(t, "lab: node-2 is switched off already\n", h.lab(1, "node", "stop", "node-2"))
	assert.Equal(t, "node-2 is back\n", h.lab(0, "node", "start", "node-2"))
	h.lab(0, "kubectl", "wait", "--for=jsonpath={.status.containerStatuses[0].restartCount}=1", "pod/web")
	assert.Equal(t, "lab: node-2 is running already\n", h.lab(1, "node", "start", "node-2"))
	assert.Equal(t, "lab: there is no machine \"node-9\"; there are node-1 to node-2\n", h.lab(1, "node", "stop", "node-9"))
	assert.Equal(t, "lab: which machine? say: node cut node-2\n", h.lab(1, "node", "cut"))
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
}

func TestAMachineOfAnotherLabIsNamedByItsKubeconfig(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	lab := h.up("--nodes", "0", "--kubeconfig", h.file("second"), "--token", "open sesame")
	assert.Equal(t, "node-1 is added\n", h.lab(0, "node", "--kubeconfig", h.file("second"), "add"))
	assert.Equal(t, "node-2 is added\n", h.lab(0, "node", "add", "--kubeconfig", h.file("second")))
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
}

func TestWhatIsNoLabHasNoMachines(t *testing.T) {
	path := noLab(t)
	var who string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		who = r.UserAgent()
		http.NotFound(w, r)
	}))
	require.NoError(t, os.WriteFile(path, []byte(kubeconfigOf(server.URL)), 0o600))
	assert.Equal(t, "lab: what answers at "+server.URL+" is no lab\n", runLab(t, 1, "node", "add"))
	assert.Equal(t, "lab node add", who)
	server.Close()
	assert.Contains(t, runLab(t, 1, "node", "add"), "lab: the lab does not answer: ")
}

func TestWhoNamesAKubeconfigThatIsNotThereIsToldSo(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	out := h.lab(1, "node", "add", "--kubeconfig", h.file("gone"))
	assert.Contains(t, out, "lab: no lab is running: start one with `go run ./cmd/lab up` (")
	assert.Contains(t, out, h.file("gone"))
}
