package main

import (
	"encoding/json"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/trace/why"
)

func TestWhyEndsByWhatIsWaitedFor(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	assert.Equal(t, "lab: no lab is running: start one with `go run ./cmd/lab up`\n", h.lab(1, "why", "pod/web"))
	lab := h.up("--nodes", "1")
	for _, line := range []string{
		"loop pause replicaset", "kubectl create deployment web --image=nginx:1.27", "kubectl create job once --image=busybox:1.36",
	} {
		h.lab(0, strings.Fields(line)...)
	}
	require.Eventually(t, func() bool { // the Deployment's controller is about to act
		out, _ := h.command("why", "deploy/web").Output()
		return strings.HasSuffix(string(out), "It waits because a loop is paused.\nRemedy: go run ./cmd/lab loop go-on replicaset\n")
	}, limit, 10*time.Millisecond)
	for _, c := range []struct {
		code int
		line string
		says string
	}{
		{0, "why node/node-1", "Node node-1 is as it should be\nNothing is waited for.\n"},
		{2, "why deployments web", "Deployment default/web wants 1 Pod, and has 0 of its template"},
		{3, "why jobs.batch/once", "Nobody will act.\n"},
		{1, "why", "lab: why what? Say: why deployment/web\n"},
		{1, "why web", "lab: why web? Say a kind and a name: deployment/web\n"},
		{1, "why pot/web", `lab: there is no kind "pot" here; `},
		{1, "why deployment/web -n shop", "lab: there is no Deployment shop/web\n"},
		{1, "why deployment/web -o yaml", "lab: -o yaml: there is json\n"},
	} {
		assert.Contains(t, h.lab(c.code, strings.Fields(c.line)...), c.says, c.line)
	}
	var chain why.Chain
	require.NoError(t, json.Unmarshal([]byte(h.lab(2, "why", "deployment/web", "-o", "json")), &chain))
	assert.Equal(t, why.Paused, chain.Reason)
	assert.Equal(t, "loop replicaset", chain.Links[len(chain.Links)-1].Of)
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
}
