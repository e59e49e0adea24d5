package servers

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// echo answers each line with the address of who sent it, and the line.
func echo(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				for lines := bufio.NewScanner(conn); lines.Scan(); {
					fmt.Fprintln(conn, conn.RemoteAddr().(*net.TCPAddr).IP, lines.Text())
				}
			}()
		}
	}()
	return listener.Addr().String()
}

// wired returns a wire to an echo, and a call through it.
func wired(t *testing.T) (w *Wire, call net.Conn, ask func(string) (string, error)) {
	t.Helper()
	c := &Cluster{opts: Options{Folder: t.TempDir()}, address: echo(t)}
	w, err := c.NewWire("ada", "127.0.0.9")
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, w.Close()) })
	call, err = net.Dial("tcp", w.address)
	require.NoError(t, err)
	answers := bufio.NewReader(call)
	return w, call, func(text string) (string, error) {
		fmt.Fprintln(call, text)
		require.NoError(t, call.SetReadDeadline(time.Now().Add(200*time.Millisecond)))
		return answers.ReadString('\n')
	}
}

func TestRealAWireCarriesBothWaysAndIsKnownByItsAddress(t *testing.T) {
	_, _, ask := wired(t)
	answer, err := ask("hello")
	require.NoError(t, err)
	assert.Equal(t, "127.0.0.9 hello\n", answer)
}

func TestRealACutWireLosesWhatFlowsOneWayAndTheCallWithIt(t *testing.T) {
	for _, way := range []Direction{Requests, Answers} {
		w, call, ask := wired(t)
		_, err := ask("first")
		require.NoError(t, err)
		w.Cut(way)
		_, err = ask("lost")
		var late net.Error
		require.ErrorAs(t, err, &late)
		assert.True(t, late.Timeout(), "nobody hears that it is lost")
		w.Mend()
		require.NoError(t, call.SetReadDeadline(time.Now().Add(time.Minute)))
		_, err = call.Read(make([]byte, 1))
		require.Error(t, err, "a stream has no holes")
		assert.NotErrorIs(t, err, os.ErrDeadlineExceeded)
		call, err = net.Dial("tcp", w.address)
		require.NoError(t, err)
		fmt.Fprintln(call, "again")
		answer, err := bufio.NewReader(call).ReadString('\n')
		require.NoError(t, err)
		assert.Equal(t, "127.0.0.9 again\n", answer)
		require.NoError(t, call.Close())
	}
}

func TestRealNobodyListensAtAWireWhileTheServerIsDown(t *testing.T) {
	w, _, _ := wired(t)
	w.refuse()
	_, err := net.Dial("tcp", w.address)
	require.ErrorContains(t, err, "connection refused")
	require.NoError(t, w.listen())
	conn, err := net.Dial("tcp", w.address)
	require.NoError(t, err)
	require.NoError(t, conn.Close())
}
