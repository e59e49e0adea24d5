package images_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
)

// stop asks the container of a Pod to end, and returns how and when it has.
func (r *rig) stop(p *corev1.Pod, grace int64) (code int32, after time.Duration) {
	before := time.Now()
	ended := make(chan struct{}, 1)
	r.runtime.OnExit(func(controlloop.Key) { ended <- struct{}{} })
	synctest.Wait()
	r.runtime.Stop(p.UID, "main", grace)
	<-ended
	return r.ended(p).ExitCode, time.Since(before)
}

func TestWhatAContainerRunsEndsAsOnARealNode(t *testing.T) {
	for name, c := range map[string]struct {
		pod  *corev1.Pod
		code int32
		in   time.Duration
	}{
		"nginx ends when it is told": {pod("web", "nginx"), 0, 0},
		"a first process without a handler is killed": {
			pod("web", "busybox", "sleep", "3600"), 137, 30 * time.Second},
		"so is a shell": {
			pod("web", "busybox", "sh", "-c", "sleep 3600; true"), 137, 30 * time.Second},
		"a shell with a trap that waits is not": {
			pod("web", "busybox", "sh", "-c",
				"trap 'echo bye; exit 5' TERM; sleep 3600 & wait"), 5, 0},
		"a trap waits for the command that runs": {
			pod("web", "busybox", "sh", "-c", "trap 'exit 5' TERM; sleep 3600"),
			137, 30 * time.Second},
		"and comes when it has ended": {
			pod("web", "busybox", "sh", "-c", "trap 'exit 5' TERM; sleep 10; sleep 3600"),
			5, 10 * time.Second},
		"one whose trap does not say how to end, goes on": {
			pod("web", "busybox", "sh", "-c", "trap 'echo bye' TERM; sleep 3600 & wait; exit 6"), 6, 0},
		"a trap that was taken back is none": {
			pod("web", "busybox", "sh", "-c", "trap 'exit 5' TERM; trap - TERM; sleep 3600"),
			137, 30 * time.Second},
		"a trap that ignores is": {
			pod("web", "busybox", "sh", "-c", "trap '' TERM; sleep 3600"),
			137, 30 * time.Second},
		"what a shell has become ends as itself": {
			pod("web", "nginx", "sh", "-c", "exec nginx -g 'daemon off;'"), 0, 0},
		"pause ends when it is told": {pod("web", "registry.k8s.io/pause:3.10"), 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				code, in := r.stop(r.start(c.pod), 30)
				assert.Equal(t, c.code, code)
				assert.Equal(t, c.in, in)
			})
		})
	}
}

// Whichever is first: what ends in the moment in which it is told to, ends.
func TestAShellWithATrapMayEndAsItsSignalComes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		for range 50 {
			p := r.start(pod("web", "busybox", "sh", "-c", "trap 'exit 5' TERM; sleep 1"))
			time.Sleep(time.Second)
			r.runtime.Stop(p.UID, "main", 30)
			synctest.Wait()
			end := r.ended(p)
			require.NotNil(t, end)
			assert.Contains(t, []int32{0, 5}, end.ExitCode)
			require.NoError(t, r.runtime.Remove(t.Context(), p.UID))
		}
	})
}

func TestWhatEndsByItselfEndsWithItsCode(t *testing.T) {
	for name, c := range map[string]struct {
		image   string
		command []string
		code    int32
		log     string
	}{
		"success": {"busybox", []string{"true"}, 0, ""},
		"failure": {"alpine", []string{"sh", "-c", "exit 42"}, 42, ""},
		"bash":    {"debian:12-slim", []string{"bash", "-c", "[[ web =~ w(.*) ]] && echo ${BASH_REMATCH[1]}"}, 0, "eb\n"},
		"bash, of a command that is not there": {
			"debian:12-slim", []string{"bash", "-c", "nope"}, 127, "bash: line 1: nope: command not found\n"},
		"no input":                {"busybox", nil, 0, ""},
		"nginx in the background": {"nginx", []string{"nginx"}, 0, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRig(t)
				p := r.start(pod("web", c.image, c.command...))
				synctest.Wait()
				end := r.ended(p)
				require.NotNil(t, end)
				assert.Equal(t, c.code, end.ExitCode)
				if c.image != "nginx" {
					assert.Equal(t, c.log, r.logs(p, corev1.PodLogOptions{}))
				}
			})
		})
	}
}

func TestAContainerWithoutItsProgramEndsBeforeItBegins(t *testing.T) {
	for command, why := range map[string]string{
		"foo":      `exec: "foo": executable file not found in $PATH`,
		"/bin/foo": `exec: "/bin/foo": stat /bin/foo: no such file or directory`,
		"/etc":     `exec: "/etc": permission denied`,
	} {
		r := newRig(t)
		p := pod("web", "busybox", command)
		_, err := r.runtime.Sandbox(t.Context(), p)
		require.NoError(t, err)
		err = r.runtime.Start(t.Context(), p, &p.Spec.Containers[0], nil)
		var broken *kubelet.StartError
		require.ErrorAs(t, err, &broken)
		want := "failed to create containerd task: failed to create shim task: " +
			"OCI runtime create failed: runc create failed: unable to start " +
			"container process: error during container init: " + why + ": unknown"
		assert.Equal(t, want, broken.Reason)
		end := r.ended(p)
		require.NotNil(t, end)
		assert.EqualValues(t, 128, end.ExitCode)
		assert.Equal(t, "StartError", end.Reason)
		assert.Equal(t, want, end.Message)
		assert.Empty(t, r.logs(p, corev1.PodLogOptions{}))
	}
}

func TestTheEndOfTheFirstProcessIsTheEndOfAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "60"))
		_, code := r.exec(p, "sleep", "3600")
		assert.Equal(t, 137, code)
	})
}

func TestNobodyInsideCanKillTheFirstProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		synctest.Wait()
		_, code := r.exec(p, "kill", "-9", "1")
		assert.Zero(t, code)
		synctest.Wait()
		assert.Nil(t, r.ended(p))
	})
}

func TestAnNginxThatIsToldFromInsideRestarts(t *testing.T) {
	for _, command := range [][]string{
		{"nginx", "-s", "stop"}, {"nginx", "-s", "quit"}, {"kill", "1"},
	} {
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t)
			p := r.start(pod("web", "nginx"))
			synctest.Wait()
			r.exec(p, command...)
			synctest.Wait()
			require.NotNil(t, r.ended(p), command)
			assert.Zero(t, r.ended(p).ExitCode)
		})
	}
}

func TestOfARemovedPodNothingIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // which fails if a goroutine is left
		r := newRig(t)
		r.start(pod("web", "nginx"))
		r.start(pod("db", "busybox", "sh", "-c", "sleep 3600 & cat /dev/zero | wc -c"))
		synctest.Wait()
		r.machines.Close()
		assert.Empty(t, r.runtime.Sandboxes())
	})
}

func TestProcessesAreListed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		p := r.start(pod("web", "busybox", "sleep", "3600"))
		synctest.Wait()
		out, _ := r.exec(p, "ps")
		assert.Equal(t, text(
			"PID   USER     TIME  COMMAND",
			"    1 root      0:00 sleep 3600",
			"    2 root      0:00 ps"), out)
	})
}
