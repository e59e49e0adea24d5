package simulated_test

import (
	"context"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
)

func TestContainersOfAPodShareItsPorts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clash error
		m := newMachine(t, simulated.Images{
			"a": echo(80),
			"b": func(ctx context.Context, p *simulated.Process) int {
				_, clash = p.Listen(80)
				return 1
			},
		})
		m.start(0)
		m.start(1)
		assert.EqualError(t, clash, "listen 80: address already in use")

		conn, err := m.Dial(t.Context(), m.pod.UID, 80)
		require.NoError(t, err)
		_, err = conn.Write([]byte("ping"))
		require.NoError(t, err)
		answer := make([]byte, 4)
		_, err = io.ReadFull(conn, answer)
		require.NoError(t, err)
		assert.Equal(t, "ping", string(answer))
		require.NoError(t, conn.Close())

		_, err = m.Dial(t.Context(), m.pod.UID, 81)
		assert.EqualError(t, err, "dial tcp 10.0.0.2:81: connect: connection refused")
		m.Stop(m.pod.UID, "a", 0)
		time.Sleep(time.Second)
		synctest.Wait()
		_, err = m.Dial(t.Context(), m.pod.UID, 80)
		assert.EqualError(t, err, "dial tcp 10.0.0.2:80: connect: connection refused")
		m.start(0)
		conn, err = m.Dial(t.Context(), m.pod.UID, 80)
		require.NoError(t, err, "the port was given back")
		conn.Close()
	})
}

// echo returns a program that repeats what it hears, on a port.
func echo(port int32) simulated.Program {
	return func(ctx context.Context, p *simulated.Process) int {
		l, err := p.Listen(port)
		if err != nil {
			return 1
		}
		context.AfterFunc(ctx, func() { l.Close() })
		for {
			conn, err := l.Accept()
			if err != nil {
				return 0
			}
			go func(conn net.Conn) {
				defer conn.Close()
				io.Copy(conn, conn)
			}(conn)
		}
	}
}

// A program may be killed while it is still on its way to its port.
func TestAProcessThatHasEndedOpensNoPort(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var late error
		m := newMachine(t, simulated.Images{
			"a": func(_ context.Context, p *simulated.Process) int {
				<-p.Killed()
				_, late = p.Listen(80)
				return 0
			},
			"b": echo(80),
		})
		m.start(0)
		m.Stop(m.pod.UID, "a", 0)
		time.Sleep(time.Second)
		synctest.Wait()
		assert.EqualError(t, late, "listen 80: the process has ended")
		m.start(1)
		assert.NotNil(t, m.status("b").State.Running)
	})
}

func TestAListenerThatIsClosedRefusesAndKeepsItsPortUntilTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var again error
		m := newMachine(t, simulated.Images{
			"a": func(ctx context.Context, p *simulated.Process) int {
				l, err := p.Listen(80)
				if err != nil {
					return 1
				}
				l.Close()
				_, again = p.Listen(80)
				_, err = l.Accept()
				if !errors.Is(err, net.ErrClosed) {
					return 2
				}
				<-ctx.Done()
				return 0
			},
		})
		m.start(0)
		require.NotNil(t, m.status("a").State.Running)
		assert.EqualError(t, again, "listen 80: address already in use")
		_, err := m.Dial(t.Context(), m.pod.UID, 80)
		assert.EqualError(t, err, "dial tcp 10.0.0.2:80: connect: connection refused")
	})
}

func TestAProcessThatIsKilledLosesItsListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended error
		m := newMachine(t, simulated.Images{
			"a": func(_ context.Context, p *simulated.Process) int {
				l, err := p.Listen(80)
				if err != nil {
					return 1
				}
				_, ended = l.Accept() // and looks at nothing else
				return 0
			},
		})
		m.start(0)
		m.Stop(m.pod.UID, "a", 1)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		assert.ErrorIs(t, ended, net.ErrClosed)
		assert.EqualValues(t, 137, m.status("a").State.Terminated.ExitCode)
	})
}

// phonebook is a Resolver.
type phonebook map[string][]string

func (n phonebook) LookupHost(_ context.Context, host string) ([]string, error) {
	return n[host], nil
}

func TestAProcessDialsByAddressAndByName(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		said := map[string]error{}
		m := newMachine(t, simulated.Images{
			"a": echo(80),
			"b": func(ctx context.Context, p *simulated.Process) int {
				for _, host := range []string{
					"127.0.0.1", "localhost", "web", "10.0.0.2", "10.0.0.3",
					"10.0.0.4", "db", "nobody",
				} {
					conn, err := p.Dial(ctx, "tcp", host+":80")
					if said[host] = err; err == nil {
						conn.Close()
					}
				}
				return 0
			},
		})
		far := simulated.New("10.0.1", simulated.Images{"a": echo(80)})
		m.Network = simulated.PodNetwork{m.Runtime, far}
		other := controlloop.Copy(m.pod)
		other.UID = "2"
		_, err := far.Sandbox(t.Context(), other)
		require.NoError(t, err)
		defer far.Remove(t.Context(), "2")
		require.NoError(t, far.Start(t.Context(), other, &other.Spec.Containers[0], nil))
		second := controlloop.Copy(m.pod)
		second.UID = "3"
		_, err = m.Sandbox(t.Context(), second) // 10.0.0.3, which has no listener
		require.NoError(t, err)

		m.start(0)
		m.start(1)
		for _, host := range []string{"127.0.0.1", "localhost", "web", "10.0.0.2"} {
			assert.NoError(t, said[host], host)
		}
		assert.EqualError(t, said["10.0.0.3"], "dial tcp 10.0.0.3:80: connect: connection refused")
		assert.EqualError(t, said["10.0.0.4"], "dial tcp 10.0.0.4:80: connect: no route to host")
		assert.EqualError(t, said["db"], "lookup db: no such host")

		m.Resolver = func(*corev1.Pod) simulated.Resolver {
			return phonebook{"db": {"10.0.0.3", "10.0.1.2"}}
		}
		m.start(1)
		assert.NoError(t, said["db"], "the second of its addresses")
		assert.EqualError(t, said["nobody"], "lookup nobody: no such host")
	})
}

func TestOfARemovedPodNoPortAndNoAddressIsLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMachine(t, simulated.Images{"a": echo(80)})
		m.start(0)
		require.NoError(t, m.Remove(t.Context(), m.pod.UID))
		synctest.Wait()
		_, err := m.DialContext(t.Context(), "tcp", "10.0.0.2:80")
		assert.EqualError(t, err, "dial tcp 10.0.0.2:80: connect: no route to host")
		_, err = m.Runtime.Sandbox(t.Context(), m.pod)
		require.NoError(t, err)
		m.start(0)
		assert.NotNil(t, m.status("a").State.Running, "it has its port")
		assert.Zero(t, m.status("a").RestartCount)
	})
}
