package main

import (
	"bytes"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/lab/mysqltest"
)

// realCluster is a lab with real containers, and kubectl. It implements
// mysqltest.Cluster and mysqltest.Machines.
type realCluster struct{ home }

// Kubectl implements mysqltest.Cluster.
func (c realCluster) Kubectl(
	input string, args ...string,
) (out, errs string, code int) {
	command := c.command(append([]string{"kubectl"}, args...)...)
	var printed, said bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(input), &printed, &said
	stuck := time.AfterFunc(realLimit, func() { command.Process.Signal(syscall.SIGABRT) })
	_ = command.Run() // its error is the code
	require.True(c.t, stuck.Stop(), "kubectl %v comes to no end: %s%s", args, &printed, &said)
	return printed.String(), said.String(), command.ProcessState.ExitCode()
}

// realLimit is how long anything may take where real servers start beside other
// tests.
const realLimit = 5 * time.Minute

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

// The same manifest as in mysqltest's simulated lab, and the same steps.
func TestTheClusterRunsForReal(t *testing.T) {
	h := newHome(t)
	realNeeds(t, h, "mysql", "xtrabackup")
	lab := h.up("--runtime", "runc")
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(lab.printed())
		}
	})
	user := &mysqltest.User{
		TB: t, Cluster: realCluster{h}, Manifests: mysqltest.Manifests(),
		Patience: realLimit, Watch: 2 * time.Second,
	}
	for _, step := range mysqltest.Steps() {
		began := time.Now()
		step.Do(user)
		t.Logf("%-60s %5.1f s", step.Name, time.Since(began).Seconds())
	}
	assert.Equal(t, 0, lab.end(syscall.SIGINT), lab.printed())
}
