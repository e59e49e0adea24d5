package images_test

import (
	"bytes"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	"reconcile/internal/apiserver/streams"
)

// lookInto adds a container to a Pod that runs, and starts it.
func (r *rig) lookInto(p *corev1.Pod, name, target string, command ...string) {
	r.t.Helper()
	synctest.Wait() // until all programs have begun
	p.Spec.EphemeralContainers = append(p.Spec.EphemeralContainers, corev1.EphemeralContainer{
		EphemeralContainerCommon: corev1.EphemeralContainerCommon{
			Name: name, Image: "busybox", Command: command,
		},
		TargetContainerName: target,
	})
	c := &p.Spec.EphemeralContainers[len(p.Spec.EphemeralContainers)-1]
	require.NoError(r.t, r.runtime.Start(
		r.t.Context(), p, (*corev1.Container)(&c.EphemeralContainerCommon), nil))
	synctest.Wait()
}

// in runs a command in one of a Pod's containers.
func (r *rig) in(p *corev1.Pod, name string, command ...string) string {
	r.t.Helper()
	var both bytes.Buffer
	_, err := r.machines.Exec(r.t.Context(), p, name, command,
		streams.IO{Stdout: &both, Stderr: &both})
	require.NoError(r.t, err)
	return both.String()
}

func TestAContainerThatLooksIntoAnotherSeesItsProcessesAndItsNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "nc", "-l", "-p", "80"))
		r.lookInto(p, "look", "main", "sleep", "100")
		r.lookInto(p, "alone", "", "sleep", "200")
		assert.Equal(t, "PID   USER     TIME  COMMAND\n"+
			"    1 root      0:00 nc -l -p 80\n"+
			"    2 root      0:00 sleep 100\n"+
			"    3 root      0:00 ps\n", r.in(p, "look", "ps"))
		assert.Equal(t, "4\n", r.in(p, "main", "sh", "-c", "echo $$"), "they are counted together")
		assert.Equal(t, "PID   USER     TIME  COMMAND\n"+
			"    1 root      0:00 sleep 200\n    2 root      0:00 ps\n", r.in(p, "alone", "ps"))
		r.in(p, "look", "sh", "-c", "echo x > /tmp/x")
		assert.Equal(t, "cat: /tmp/x: No such file or directory\n", r.in(p, "main", "cat", "/tmp/x"))
		assert.Empty(t, r.in(p, "look", "nc", "-z", "localhost", "80"))
	})
}

func TestAContainerEndsWithTheOneThatItLooksInto(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "10"))
		r.lookInto(p, "look", "main", "sleep", "100")
		r.lookInto(p, "alone", "", "sleep", "100")
		time.Sleep(11 * time.Second)
		synctest.Wait()
		now := r.runtime.Containers(p.UID)
		require.NotNil(t, now["look"].State.Terminated)
		assert.EqualValues(t, 137, now["look"].State.Terminated.ExitCode)
		assert.NotNil(t, now["alone"].State.Running)
	})
}

func TestAContainerThatLooksIntoAnotherIsNoFirstProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "10"))
		r.lookInto(p, "look", "main", "sleep", "100")
		r.runtime.Stop(p.UID, "look", 30)
		synctest.Wait()
		end := r.runtime.Containers(p.UID)["look"].State.Terminated
		require.NotNil(t, end, "it does not have to be killed")
		assert.EqualValues(t, 143, end.ExitCode)
	})
}
