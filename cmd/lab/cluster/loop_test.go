package main

import (
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLoopsAreHeldAndBrokenWhileTheLabRuns(t *testing.T) {
	t.Parallel()
	h := newHome(t)
	assert.Equal(t, "lab: no lab is running: start one with `go run ./cmd/lab up`\n", h.lab(1, "loop", "pause"))
	lab := h.up("--nodes", "1")
	for _, c := range []struct {
		says string
		code int
		line string
	}{
		{"deployment: paused", 0, "loop pause deployment"},
		{"lab: deployment has nothing to do: no key waits in its queue", 1, "loop step deployment"},
		{"deployment.apps/web created", 0, "kubectl create deployment web --image=nginx:1.27"},
		{"kubelet node-1: paused", 0, "loop pause kubelet node-1"},
		{"kubelet node-1: slow: a second for each step", 0, "loop slow kubelet node-1"},
		{"replicaset: its next event will be dropped", 0, "loop drop replicaset"},
		{"replicaset: its next update will be refused", 0, "loop conflict replicaset"},
		{"replicaset: the answer to its next write will be lost", 0, "loop lose replicaset"},
		{"replicaset: it will crash after its next write", 0, "loop crash replicaset"},
		{"caches hear of each Pod 5s late", 0, "loop late Pod 5s"},
		{`lab: for "5"? Say 5s, or 0s to end it`, 1, "loop late Pod 5"},
		{"lab: say: loop late KIND DURATION", 1, "loop late Pod"},
		{"lab: say: loop resync", 1, "loop resync deployment"},
		{"all caches tell their loops of all objects again", 0, "loop resync"},
		{"nginx:1.27 can't be pulled from now on", 0, "image fail nginx:1.27"},
		{"nginx:1.27 can be pulled again", 0, "image heal nginx:1.27"},
		{"lab: say: image heal IMAGE", 1, "image heal"},
	} {
		assert.Equal(t, c.says+"\n", h.lab(c.code, strings.Fields(c.line)...), c.line)
	}
	require.Eventually(t, func() bool { // the queue is about to have it
		out, err := h.command("loop", "step", "deployment").Output()
		return err == nil && string(out) == "deployment takes default/web\n"
	}, limit, 10*time.Millisecond)
	assert.Equal(t, "deployment: goes on\n", h.lab(0, "loop", "go-on", "deployment"))
	assert.Regexp(t, `^lab: which loop\? There are .*deployment, .*scheduler`, h.lab(1, "loop", "step"))
	assert.Regexp(t, `^lab: there is no loop "job"; there are .*deployment`, h.lab(1, "loop", "pause", "job"))
	assert.Contains(t, h.lab(1, "loop", "late", "Car", "5s"), `lab: there is no kind "Car" here; `)
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
}
