package simulated_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/kubetest"
)

// machine is a runtime without a kubelet, and one Pod on it.
type machine struct {
	*simulated.Runtime
	t     *testing.T
	pod   *corev1.Pod
	exits []controlloop.Key
}

func newMachine(t *testing.T, from simulated.Registry) *machine {
	m := &machine{
		t: t, Runtime: simulated.New("10.0.0", from),
		pod: kubetest.Pod("web",
			kubetest.Container("a", "a"), kubetest.Container("b", "b")),
	}
	m.pod.UID, m.pod.Namespace = "1", "default"
	m.OnExit(func(key controlloop.Key) { m.exits = append(m.exits, key) })
	t.Cleanup(func() { m.Remove(context.Background(), m.pod.UID) })
	_, err := m.Sandbox(t.Context(), m.pod)
	require.NoError(t, err)
	return m
}

func (m *machine) start(container int) {
	m.t.Helper()
	require.NoError(m.t, m.Start(m.t.Context(), m.pod, &m.pod.Spec.Containers[container], nil))
	synctest.Wait()
}

func (m *machine) status(name string) corev1.ContainerStatus {
	return m.Containers(m.pod.UID)[name]
}

func TestASandboxIsMadeOnceAndHasAnAddressOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, nil)
		again, err := m.Sandbox(t.Context(), m.pod)
		require.NoError(t, err)
		assert.Equal(t, kubelet.Sandbox{
			Pod: kubetest.Named("web"), UID: "1", IP: "10.0.0.2"}, again)
		other := controlloop.Copy(m.pod)
		other.UID = "2"
		second, err := m.Sandbox(t.Context(), other)
		require.NoError(t, err)
		assert.Equal(t, "10.0.0.3", second.IP, "a name may return, an address does not")
		assert.Equal(t, []kubelet.Sandbox{again, second}, m.Sandboxes())
		require.NoError(t, m.Remove(t.Context(), "2"))
		require.NoError(t, m.Remove(t.Context(), "2"), "it may be removed twice")
		assert.Equal(t, []kubelet.Sandbox{again}, m.Sandboxes())
	})
}

func TestARuntimeRemembersEveryContainerAndItsLastAttempt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, simulated.Images{"a": kubetest.Exits(2*time.Second, 3)})
		assert.Empty(t, m.Containers(m.pod.UID))
		m.start(0)
		first := m.status("a")
		require.NotNil(t, first.State.Running)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.Equal(t, []controlloop.Key{kubetest.Named("web")}, m.exits)
		end := m.status("a").State.Terminated
		require.NotNil(t, end)
		assert.EqualValues(t, 3, end.ExitCode)
		assert.Equal(t, "Error", end.Reason)
		assert.Equal(t, 2*time.Second, end.FinishedAt.Sub(end.StartedAt.Time))
		m.start(0)
		second := m.status("a")
		assert.EqualValues(t, 1, second.RestartCount)
		assert.Equal(t, end, second.LastTerminationState.Terminated)
		assert.NotEqual(t, first.ContainerID, second.ContainerID)
	})
}

func TestAnImageThatIsNotThereIsAPullError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		images := simulated.Images{}
		m := newMachine(t, images)
		err := m.Start(t.Context(), m.pod, &m.pod.Spec.Containers[0], nil)
		var pull *kubelet.PullError
		require.True(t, errors.As(err, &pull))
		assert.EqualError(t, err, `failed to pull image "a": a: not found`)
		stranger := controlloop.Copy(m.pod)
		stranger.UID = "2"
		images["a"] = kubetest.Sleeps(0)
		err = m.Start(t.Context(), stranger, &m.pod.Spec.Containers[0], nil)
		assert.EqualError(t, err, "no sandbox for default/web")
	})
}

func TestStopAsksFirstAndKillsLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, simulated.Images{
			"a": kubetest.Sleeps(4 * time.Second), "b": kubetest.Stubborn})
		m.start(0)
		m.start(1)
		m.Stop(m.pod.UID, "a", 10)
		m.Stop(m.pod.UID, "b", 10)
		m.Stop(m.pod.UID, "b", 20) // later than it was told already
		m.Stop(m.pod.UID, "none", 1)
		m.Stop("none", "a", 1)
		time.Sleep(4 * time.Second)
		synctest.Wait()
		assert.EqualValues(t, 0, m.status("a").State.Terminated.ExitCode)
		assert.NotNil(t, m.status("b").State.Running)
		time.Sleep(6 * time.Second)
		synctest.Wait()
		assert.EqualValues(t, 137, m.status("b").State.Terminated.ExitCode)
		assert.Len(t, m.exits, 2)
	})
}

func TestExecRunsInARunningContainerOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, simulated.Images{
			"a": kubetest.Answers(func(_ context.Context, command []string) int {
				return len(command)
			}),
			"b": kubetest.Sleeps(0),
		})
		_, _, err := m.Exec(t.Context(), m.pod.UID, "a", []string{"true"})
		assert.EqualError(t, err, `container not found ("a")`)
		m.start(0)
		m.start(1)
		_, code, err := m.Exec(t.Context(), m.pod.UID, "a", []string{"echo", "hello"})
		require.NoError(t, err)
		assert.Equal(t, 2, code)
		_, _, err = m.Exec(t.Context(), m.pod.UID, "b", []string{"true"})
		assert.EqualError(t, err, "exec: the image has no commands")
		m.Stop(m.pod.UID, "a", 1)
		synctest.Wait()
		_, _, err = m.Exec(t.Context(), m.pod.UID, "a", []string{"true"})
		assert.EqualError(t, err, `container not found ("a")`, "it has ended")
	})
}

func TestWhatIsRemovedIsKilledAndItsAddressStaysUnused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var killed bool
		m := newMachine(t, simulated.Images{
			"a": func(_ context.Context, p *simulated.Process) int {
				<-p.Killed()
				killed = true
				return 0
			},
		})
		m.start(0)
		require.NoError(t, m.Remove(t.Context(), m.pod.UID))
		synctest.Wait()
		assert.True(t, killed)
		assert.Empty(t, m.Containers(m.pod.UID))
		assert.Equal(t, []controlloop.Key{kubetest.Named("web")}, m.exits, "somebody may wait for it")
		again, err := m.Sandbox(t.Context(), m.pod)
		require.NoError(t, err)
		assert.Equal(t, "10.0.0.3", again.IP, "who knew 10.0.0.2 would ask a stranger")
	})
}

func TestStopAgainSoonerIsKilledSooner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, simulated.Images{"a": kubetest.Stubborn})
		m.start(0)
		m.Stop(m.pod.UID, "a", 30)
		m.Stop(m.pod.UID, "a", 5)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		require.NotNil(t, m.status("a").State.Terminated)
		m.start(0)
		time.Sleep(time.Minute)
		synctest.Wait()
		assert.NotNil(t, m.status("a").State.Running, "killed in place of the attempt before it")
		assert.Len(t, m.exits, 1)
	})
}

func TestAnotherImageIsForTheNextStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		images := simulated.Images{"a": kubetest.Exits(time.Second, 1)}
		m := newMachine(t, images)
		m.start(0)
		images["a"] = kubetest.Exits(time.Second, 2)
		for code := range int32(2) {
			time.Sleep(time.Second)
			synctest.Wait()
			assert.Equal(t, code+1, m.status("a").State.Terminated.ExitCode)
			m.start(0)
		}
	})
}

func TestAnAddressIsNotGivenAgainWhileAPodHasIt(t *testing.T) {
	m := newMachine(t, nil) // which has 10.0.0.2
	pod := func(n int) *corev1.Pod {
		other := controlloop.Copy(m.pod)
		other.UID = types.UID(fmt.Sprint("pod ", n))
		return other
	}
	seen := map[string]bool{"10.0.0.2": true}
	for n := range 252 {
		s, err := m.Sandbox(t.Context(), pod(n))
		require.NoError(t, err)
		assert.False(t, seen[s.IP], s.IP)
		seen[s.IP] = true
	}
	_, err := m.Sandbox(t.Context(), pod(252))
	assert.EqualError(t, err, "failed to allocate for range 0: "+
		"no IP addresses available in range set: 10.0.0.1-10.0.0.254")
	require.NoError(t, m.Remove(t.Context(), pod(7).UID))
	s, err := m.Sandbox(t.Context(), pod(252))
	require.NoError(t, err)
	assert.Equal(t, "10.0.0.10", s.IP, "the one that was given back")
	for n := range 253 {
		require.NoError(t, m.Remove(t.Context(), pod(n).UID))
	}
}

func TestAProgramHasWhatAProcessHas(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []string
		m := newMachine(t, simulated.Images{
			"a": func(_ context.Context, p *simulated.Process) int {
				typed, err := io.ReadAll(p.Stdin)
				fmt.Fprint(p.Stdout, "nobody reads this")
				got = append(got, fmt.Sprintf("%v %v %q %s %s %s %d %v", p.Args, p.Env,
					p.Dir, p.IP(), p.Hostname(), p.ID, len(typed), err))
				return 0
			},
		})
		c := &m.pod.Spec.Containers[0]
		m.start(0)
		c.Command, c.Args = []string{"serve", "-v"}, []string{"80"}
		c.Env = []corev1.EnvVar{{Name: "COLOUR", Value: "blue"}}
		c.WorkingDir, m.pod.Spec.Hostname = "/srv", "db"
		m.start(0)
		assert.Equal(t, []string{
			`[a] [] "" 10.0.0.2 web simulated://1/a/0 0 <nil>`,
			`[serve -v 80] [COLOUR=blue] "/srv" 10.0.0.2 db simulated://1/a/1 0 <nil>`,
		}, got)
	})
}

func TestTheCommandsOfAnImageAreRunBesideItsProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		image := simulated.Image{
			Program: kubetest.Sleeps(0),
			Commands: map[string]simulated.Program{
				"greet": func(_ context.Context, p *simulated.Process) int {
					fmt.Fprintln(p.Stdout, "hello", p.Args[1])
					return 3
				},
			},
		}
		m := newMachine(t, simulated.Images{"a": image.Run})
		m.start(0)
		out, code, err := m.Exec(t.Context(), m.pod.UID, "a", []string{"greet", "Ada"})
		require.NoError(t, err)
		assert.Equal(t, "hello Ada\n", out)
		assert.Equal(t, 3, code)
		out, code, err = m.Exec(t.Context(), m.pod.UID, "a", []string{"scold"})
		require.NoError(t, err)
		assert.Equal(t, "scold: not found\n", out)
		assert.Equal(t, 127, code)
	})
}

// slow is a registry that takes a minute.
type slow struct{ simulated.Images }

func (s slow) Pull(
	ctx context.Context, p *simulated.Process,
) (simulated.Program, error) {
	time.Sleep(time.Minute)
	return s.Images.Pull(ctx, p)
}

func TestAPodThatGoesWhileItsImageComesStartsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, slow{simulated.Images{"a": kubetest.Sleeps(0)}})
		go func() {
			time.Sleep(time.Second)
			m.Remove(context.Background(), m.pod.UID)
		}()
		err := m.Start(t.Context(), m.pod, &m.pod.Spec.Containers[0], nil)
		assert.EqualError(t, err, "no sandbox for default/web")
		assert.Empty(t, m.Containers(m.pod.UID))
	})
}
