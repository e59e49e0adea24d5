package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	labs "reconcile/internal/lab"
)

// kubeconfigOf returns what a lab at this address writes.
func kubeconfigOf(url string) string {
	return fmt.Sprintf(`{"apiVersion":"v1","kind":"Config","current-context":"it",
		"clusters":[{"name":"it","cluster":{"server":%q}}],
		"contexts":[{"name":"it","context":{"cluster":"it"}}]}`, url)
}

// noLab makes an empty home the user's, and returns where a lab would write
// its kubeconfig.
func noLab(t *testing.T) (kubeconfig string) {
	t.Helper()
	home := t.TempDir()
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData", "KUBECONFIG"} {
		t.Setenv(name, home)
	}
	t.Setenv("KUBECONFIG", "")
	t.Setenv("KUBERC", "off")
	path, err := labs.Kubeconfig()
	require.NoError(t, err)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	return path
}

// runningLab answers /version, and nothing else.
func runningLab(t *testing.T, version string) (url string) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"major":"1","minor":"37","gitVersion":%q}`, version)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

func TestKubectlNeedsALabThatRuns(t *testing.T) {
	noLab(t)
	assert.Equal(t, "error: no lab is running: start one with `go run ./cmd/lab up`\n",
		runLab(t, 1, "kubectl", "get", "pods"))
	assert.Contains(t, runLab(t, 0, "kubectl", "get", "--help"), "kubectl get pods")
	elsewhere := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(elsewhere, []byte(kubeconfigOf(runningLab(t, "v1.37.0"))), 0o600))
	assert.Contains(t, runLab(t, 0, "kubectl", "version", "--kubeconfig", elsewhere), "Server Version: v1.37.0\n")
	assert.Contains(t, runLab(t, 0, "kubectl", "version", "--kubeconfig="+elsewhere), "Server Version: v1.37.0\n")
	assert.Contains(t, runLab(t, 0, "kubectl"), "kubectl controls the Kubernetes cluster manager.")
}

func TestWhatNeedsNoLabWorksWithoutOne(t *testing.T) {
	noLab(t)
	assert.Contains(t, runLab(t, 0, "kubectl", "create", "deployment", "x", "--image=nginx",
		"--dry-run=client", "-o", "yaml"), "kind: Deployment\n")
	assert.Contains(t, runLab(t, 0, "kubectl", "config", "view"), "clusters: null\n")
	assert.Contains(t, runLab(t, 0, "kubectl", "version", "--client"), "Client Version: v1.")
	out := runLab(t, 1, "kubectl", "version")
	assert.Contains(t, out, "Client Version: v1.")
	assert.Contains(t, out, "no lab is running: start one with `go run ./cmd/lab up`\n")
}

func TestTheCauseOfAChangeIsKubectls(t *testing.T) {
	noLab(t)
	file := filepath.Join(t.TempDir(), "pod.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},
		"spec":{"containers":[{"name":"x","image":"a"}]}}`), 0o600))
	assert.Contains(t, runLab(t, 0, "kubectl", "set", "image", "-f", file, "x=b", "--local", "--record", "-o", "yaml"),
		"kubernetes.io/change-cause: kubectl set image x=b")
}

func TestKubectlAsksTheLabThatRuns(t *testing.T) {
	config := noLab(t)
	require.NoError(t, os.WriteFile(config, []byte(kubeconfigOf(runningLab(t, "v1.37.9"))), 0o600))
	assert.Contains(t, runLab(t, 0, "kubectl", "version"), "Server Version: v1.37.9\n")

	other := filepath.Join(t.TempDir(), "config")
	require.NoError(t, os.WriteFile(other, []byte(kubeconfigOf(runningLab(t, "v1.30.0"))), 0o600))
	assert.Contains(t, runLab(t, 0, "kubectl", "version", "--kubeconfig", other), "Server Version: v1.30.0\n")
	assert.Contains(t, runLab(t, 0, "kubectl", "version", "--kubeconfig="+other), "Server Version: v1.30.0\n")
	t.Setenv("KUBECONFIG", other)
	assert.Contains(t, runLab(t, 0, "kubectl", "version"), "Server Version: v1.30.0\n")
}

func TestKubectlForgetsWhatItKnewOfAnotherLab(t *testing.T) {
	config := noLab(t)
	folders := func() []os.DirEntry {
		entries, err := os.ReadDir(filepath.Join(filepath.Dir(config), "kubectl-cache"))
		require.NoError(t, err)
		return entries
	}
	text := []byte(kubeconfigOf(runningLab(t, "v1.37.0")))
	require.NoError(t, os.WriteFile(config, text, 0o600))
	runLab(t, 0, "kubectl", "version")
	runLab(t, 0, "kubectl", "version")
	first := folders()
	require.Len(t, first, 1)
	later := first[0]
	require.NoError(t, os.Chtimes(config, time.Unix(1, 0), time.Unix(1, 0)))
	runLab(t, 0, "kubectl", "version")
	require.Len(t, folders(), 1)
	assert.NotEqual(t, later.Name(), folders()[0].Name())
}

func TestTheExitCodeIsKubectls(t *testing.T) {
	config := noLab(t)
	require.NoError(t, os.WriteFile(config, []byte(kubeconfigOf(runningLab(t, "v1.37.0"))), 0o600))
	assert.Equal(t, "error: unknown command \"frobnicate\" for \"kubectl\"\n",
		runLab(t, 1, "kubectl", "frobnicate"))
	assert.NotContains(t, runLab(t, 2, "kubectl", "diff"), "lab:")
}

func TestACopyOfWhatIsNotThereFails(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	lab := h.up()
	h.lab(0, "kubectl", "run", "web", "--image=busybox", "--", "sleep", "1000")
	h.lab(0, "kubectl", "wait", "--for=condition=Ready", "pod/web")
	out := h.lab(1, "kubectl", "cp", "web:/nosuch", "back")
	assert.Contains(t, out, "tar: /nosuch: No such file or directory\n")
	assert.Contains(t, out, "command terminated with exit code 1\n")
	assert.NoFileExists(t, h.file("back"))
	h.lab(0, "kubectl", "cp", "web:/etc/hosts", "back")
	assert.FileExists(t, h.file("back"))
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
}
