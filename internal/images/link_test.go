package images_test

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/chapters/01-control-loop/simulated"
)

// ticker says a number a second to a client that connects, and then ends.
func ticker(ctx context.Context, p *simulated.Process) int {
	l, err := p.Listen(80)
	if err != nil {
		return 1
	}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	for {
		conn, err := l.Accept()
		if err != nil {
			return 0
		}
		for n := range 3 {
			fmt.Fprintln(conn, n)
			select {
			case <-time.After(time.Second):
			case <-ctx.Done():
			}
		}
		conn.Close()
	}
}

// ticking connects to a Pod with a ticker on node-1.
func ticking(t *testing.T, f func(r *rig, conn net.Conn)) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t)
		r.machines.SetImage("ticker", simulated.Image{Program: ticker})
		web := r.start(pod("web", "ticker"))
		synctest.Wait()
		conn, err := r.machines.Pods().DialContext(t.Context(), "tcp", web.Status.PodIP+":80")
		require.NoError(t, err)
		defer conn.Close()
		f(r, conn)
	})
}

func TestAConnectionIsSilentWhileACableIsOut(t *testing.T) {
	ticking(t, func(r *rig, conn net.Conn) {
		began, lines := time.Now(), bufio.NewScanner(conn)
		next := func(text string, after time.Duration) {
			t.Helper()
			require.True(t, lines.Scan(), text)
			assert.Equal(t, text, lines.Text())
			assert.Equal(t, after, time.Since(began), text)
		}
		next("0", 0)
		r.machines.Cut("node-1")
		time.AfterFunc(time.Minute, func() { r.machines.Mend("node-1") })
		next("1", time.Minute)
		next("2", time.Minute)
		assert.False(t, lines.Scan(), "it has been closed")
	})
}

func TestWhoWaitsBehindACutCableHasHisOwnPatience(t *testing.T) {
	ticking(t, func(r *rig, conn net.Conn) {
		r.machines.Cut("node-1")
		began, word := time.Now(), make([]byte, 2)
		require.NoError(t, conn.SetDeadline(began.Add(5*time.Second)))
		_, err := conn.Read(word)
		assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
		_, err = conn.Write(word)
		assert.ErrorIs(t, err, os.ErrDeadlineExceeded)
		assert.Equal(t, 5*time.Second, time.Since(began))

		require.NoError(t, conn.SetDeadline(time.Time{}))
		r.machines.Mend("node-1")
		_, err = conn.Read(word)
		require.NoError(t, err)
		assert.Equal(t, "0\n", string(word), "it was on its way")
	})
}

func TestWhoClosesBehindACutCableWaitsForNobody(t *testing.T) {
	ticking(t, func(r *rig, conn net.Conn) {
		r.machines.Cut("node-1")
		time.AfterFunc(time.Minute, func() { conn.Close() })
		began := time.Now()
		_, err := conn.Read(make([]byte, 1))
		assert.ErrorIs(t, err, net.ErrClosed)
		assert.Equal(t, time.Minute, time.Since(began))
	})
}
