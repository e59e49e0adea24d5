package main

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/slow"
)

// asLab makes the test's own program be lab.
const asLab = "RUN_AS_LAB"

func TestMain(m *testing.M) {
	if os.Getenv(asLab) != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

// Lab's imports are compiled and linked between an edit and its verdict.
func TestLabHoldsNoChapter(t *testing.T) {
	out, err := exec.Command("go", "list", "-deps", ".").Output()
	require.NoError(t, err)
	packages := strings.Fields(string(out))
	require.Contains(t, packages, "reconcile/internal/exercise/workspace")
	for _, path := range packages {
		assert.NotContains(t, path, "reconcile/chapters/")
		assert.NotContains(t, path, "k8s.io/api")
	}
}

func TestLabBecomesTheClusterWithItsExitCode(t *testing.T) {
	slow.Test(t, "it links the cluster")
	for code, arguments := range map[int][]string{
		0: {"up", "--controllers", "help"},
		1: {"up", "--controllers", "job"},
	} {
		got, out := built(t, arguments...)
		assert.Equal(t, code, got)
		assert.Contains(t, out, "deployment-controller (or deployment)")
	}
}

func TestLabBecomesTheTakeoverWithItsExitCode(t *testing.T) {
	slow.Deep(t, "race", "it compiles all of client-go")
	for said, arguments := range map[string][]string{
		"--switched-off":               {"controllers", "--help"},
		"takes them away again":        {"kubelets", "--help"},
		`there is no controller "job"`: {"controllers", "--controllers", "job"},
		"read the kubeconfig":          {"kubelets", "--kubeconfig", "nowhere"},
	} {
		code := 1
		if arguments[1] == "--help" {
			code = 0
		}
		got, out := built(t, arguments...)
		assert.Equal(t, code, got)
		assert.Contains(t, out, said)
	}
}

func TestAPackedFolderHasNoClustersElsewhere(t *testing.T) {
	newBook(t)
	callByScript(t)
	for _, command := range []string{"controllers", "kubelets", "conformance"} {
		assert.Contains(t, runLab(t, 1, command), command+" is not in a folder that was packed for a workshop")
	}
}

func TestOnlyTheBookHasACluster(t *testing.T) {
	t.Chdir(t.TempDir())
	assert.Contains(t, runLab(t, 1, "kubectl", "get", "pods"), "is not inside the book")
}
