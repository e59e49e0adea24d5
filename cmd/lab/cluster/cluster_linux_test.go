package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/kubectl"
	"reconcile/internal/lab/mysqltest"
)

// realCluster is a lab with real containers, and kubectl: in this process, since a
// user who waits asks hundreds of times. It implements mysqltest.Cluster and
// mysqltest.Machines.
type realCluster struct{ home }

// Kubectl implements mysqltest.Cluster.
func (c realCluster) Kubectl(
	input string, args ...string,
) (out, errs string, code int) {
	ctx, cancel := context.WithTimeout(c.t.Context(), limit)
	defer cancel()
	var printed, said bytes.Buffer
	code = kubectl.Run(ctx, kubectl.Command{
		Args: args, Kubeconfig: c.file("reconcile/lab/kubeconfig"), CacheDir: c.file("cache"),
		In: strings.NewReader(input), Out: &printed, Err: &said,
	})
	require.NoError(c.t, ctx.Err(), "kubectl %v comes to no end: %s%s", args, &printed, &said)
	return printed.String(), said.String(), code
}

// Pass implements mysqltest.Cluster.
func (c realCluster) Pass(d time.Duration) {
	select {
	case <-time.After(d):
	case <-c.t.Context().Done():
	}
}

// Stop implements mysqltest.Machines.
func (c realCluster) Stop(node string) error { return c.node("stop", node) }

// Start implements mysqltest.Machines.
func (c realCluster) Start(node string) error { return c.node("start", node) }

func (c realCluster) node(verb, name string) error {
	out, err := c.command("node", verb, name).CombinedOutput()
	if err != nil {
		return errors.Join(err, errors.New(string(out)))
	}
	return nil
}

// The same manifest as in mysqltest's simulated lab, and the same steps. With -short
// two users share them, and don't wait until a server might be asked.
func TestTheClusterRunsForReal(t *testing.T) {
	t.Parallel()
	realNeeds(t, "mysql", "xtrabackup")
	stories := map[string][]mysqltest.Step{"one after the other": mysqltest.Steps()}
	if testing.Short() {
		stories = mysqltest.Shared()
	}
	for name, steps := range stories {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHome(t)
			manifests := mysqltest.Manifests()
			if testing.Short() {
				manifests = h.file("manifests")
				mysqltest.Hasten(t, mysqltest.Manifests(), manifests)
			}
			h.realStory(mysqltest.User{Manifests: manifests, Watch: 2 * time.Second}, steps)
		})
	}
}

// The password in the Secret is in no log and in no other object, nor on a command
// line of any process, at no time.
func TestThePasswordIsOnNoCommandLineForReal(t *testing.T) {
	t.Parallel()
	realNeeds(t, "mysql", "xtrabackup")
	h := newHome(t)
	ctx, stop := context.WithCancel(t.Context())
	seen := make(chan string, 1)
	go func() { seen <- onCommandLines(ctx, []byte(mysqltest.Password)) }()
	h.realStory(mysqltest.User{Manifests: mysqltest.Manifests()}, mysqltest.Secret())
	stop()
	assert.Empty(t, <-seen)
}

// onCommandLines looks at all processes' command lines until ctx ends, and returns
// the first of a server, client or backup that has a secret in it.
func onCommandLines(ctx context.Context, secret []byte) string {
	for ctx.Err() == nil {
		lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
		for _, line := range lines {
			words, _ := os.ReadFile(line)
			if bytes.Contains(words, secret) && !bytes.Contains(words, []byte("--from-literal")) {
				return string(bytes.ReplaceAll(words, []byte{0}, []byte{' '}))
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
	return ""
}

// realStory has a user take steps in a lab of its own.
func (h home) realStory(user mysqltest.User, steps []mysqltest.Step, flags ...string) {
	lab := h.realServers(flags...)
	user.TB, user.Cluster, user.Patience, user.Look = h.t, realCluster{h}, limit, realLook
	for _, step := range steps {
		began := time.Now()
		step.Do(&user)
		h.t.Logf("%-60s %5.1f s", step.Name, time.Since(began).Seconds())
	}
	assert.Equal(h.t, 0, lab.end(syscall.SIGINT), lab.printed())
}

// realServers starts a lab with real containers, which tells what happened in it if
// the test fails.
func (h home) realServers(flags ...string) *process {
	lab := h.up(append([]string{"--runtime", "runc"}, flags...)...)
	h.t.Cleanup(func() {
		if h.t.Failed() {
			h.t.Log(lab.printed())
		}
	})
	return lab
}

// realLook is how long a user waits before looking again.
const realLook = 200 * time.Millisecond
