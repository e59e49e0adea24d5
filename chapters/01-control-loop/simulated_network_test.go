package controlloop_test

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

	controlloop "reconcile/chapters/01-control-loop"
)

func TestContainersOfAPodShareItsPorts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var clash error
		m := newMachine(t, controlloop.Images{
			"a": echo(80),
			"b": func(ctx context.Context, p *controlloop.Process) int {
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
		assert.EqualError(t, err, "dial tcp 10.0.0.1:81: connect: connection refused")
		m.Stop(m.pod.UID, "a", 0)
		time.Sleep(time.Second)
		synctest.Wait()
		_, err = m.Dial(t.Context(), m.pod.UID, 80)
		assert.EqualError(t, err, "dial tcp 10.0.0.1:80: connect: connection refused")
		m.start(0)
		conn, err = m.Dial(t.Context(), m.pod.UID, 80)
		require.NoError(t, err, "the port was given back")
		conn.Close()
	})
}

// echo is a program that says what it hears, on a port.
func echo(port int32) controlloop.Program {
	return func(ctx context.Context, p *controlloop.Process) int {
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
		m := newMachine(t, controlloop.Images{
			"a": func(_ context.Context, p *controlloop.Process) int {
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
		m := newMachine(t, controlloop.Images{
			"a": func(ctx context.Context, p *controlloop.Process) int {
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
		assert.EqualError(t, err, "dial tcp 10.0.0.1:80: connect: connection refused")
	})
}

func TestAProcessThatIsKilledLosesItsListeners(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ended error
		m := newMachine(t, controlloop.Images{
			"a": func(_ context.Context, p *controlloop.Process) int {
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
