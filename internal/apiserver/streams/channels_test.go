package streams_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/apiserver/streams"
)

// talk runs a command as a client that speaks a protocol.
func talk(
	t *testing.T, protocol, query string, c streams.Containers,
) *websocket.Conn {
	return connect(t, "exec?command=x&"+query, protocol, c)
}

// connect connects to a server in memory, inside a bubble. A goroutine of the
// server that outlives the bubble would fail the test.
func connect(
	t *testing.T, request, protocol string, c streams.Containers,
) *websocket.Conn {
	l := newPipes()
	ctx, cancel := context.WithCancel(t.Context())
	server := &http.Server{
		Handler:     handler(web(), c),
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	go server.Serve(l)
	t.Cleanup(func() {
		cancel()
		server.Close()
	})
	dialer := websocket.Dialer{
		Subprotocols: []string{protocol},
		NetDialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return l.dial(ctx)
		},
	}
	ws, _, err := dialer.DialContext(t.Context(), "ws://pod/"+request, nil)
	require.NoError(t, err)
	require.Equal(t, protocol, ws.Subprotocol())
	t.Cleanup(func() { ws.Close() })
	return ws
}

func say(t *testing.T, ws *websocket.Conn, message string) {
	t.Helper()
	require.NoError(t, ws.WriteMessage(websocket.BinaryMessage, []byte(message)))
}

func hear(t *testing.T, ws *websocket.Conn) string {
	t.Helper()
	_, message, err := ws.ReadMessage()
	require.NoError(t, err)
	return string(message)
}

const success = "\x03" + `{"metadata":{},"status":"Success"}`

func TestTheEndOfInputIsSaidInVersion5(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := talk(t, "v5.channel.k8s.io", "stdin=1&stdout=1", containers{exec: echo})
		say(t, ws, "\x00hi")
		assert.Equal(t, "\x01hi", hear(t, ws))
		say(t, ws, "\xff\x00")
		assert.Equal(t, success, hear(t, ws))
		_, _, err := ws.ReadMessage()
		assert.True(t, websocket.IsCloseError(err, websocket.CloseNormalClosure), err)
	})
}

func TestTheEndOfInputIsNotSaidInVersion4(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := talk(t, "v4.channel.k8s.io", "stdin=1&stdout=1", containers{exec: echo})
		say(t, ws, "\xff\x00")
		say(t, ws, "\x00still here")
		assert.Equal(t, "\x01still here", hear(t, ws))
	})
}

func TestWhatNoStreamIsForIsIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := talk(t, "v5.channel.k8s.io", "stdin=1&stdout=1", containers{exec: echo})
		for _, odd := range []string{"", "\x09what", "\xff", "\xff\x07", "\x04{", "\x01x"} {
			say(t, ws, odd)
		}
		say(t, ws, "\x00hi")
		assert.Equal(t, "\x01hi", hear(t, ws))
	})
}

func TestPingsAreAnsweredWhileACommandDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := talk(t, "v5.channel.k8s.io", "stdout=1", containers{exec: func(
			ctx context.Context, _ []string, _ streams.IO,
		) (int, error) {
			<-ctx.Done()
			return 0, nil
		}})
		pong := make(chan string, 1)
		ws.SetPongHandler(func(data string) error {
			pong <- data
			return nil
		})
		go ws.ReadMessage()
		require.NoError(t, ws.WriteControl(
			websocket.PingMessage, []byte("there?"), time.Now().Add(time.Second)))
		assert.Equal(t, "there?", <-pong)
	})
}

func TestAClientThatGoesWhileItsInputWaitsEndsTheCommand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		ws := talk(t, "v5.channel.k8s.io", "stdin=1", containers{exec: func(
			ctx context.Context, _ []string, _ streams.IO,
		) (int, error) {
			<-ctx.Done()
			close(ended)
			return 0, nil
		}})
		say(t, ws, "\x00nobody reads this")
		ws.NetConn().Close()
		<-ended
	})
}

func TestWhatComesAfterTheEndIsNotSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late, refused := make(chan struct{}), make(chan error)
		ws := talk(t, "v5.channel.k8s.io", "stdout=1", containers{exec: func(
			_ context.Context, _ []string, s streams.IO,
		) (int, error) {
			go func() {
				<-late
				_, err := fmt.Fprint(s.Stdout, "late")
				refused <- err
			}()
			return 0, nil
		}})
		ws.SetCloseHandler(func(int, string) error { return nil })
		assert.Equal(t, success, hear(t, ws))
		_, _, err := ws.ReadMessage()
		assert.True(t, websocket.IsCloseError(err, websocket.CloseNormalClosure), err)
		close(late)
		assert.ErrorIs(t, <-refused, io.ErrClosedPipe)
	})
}

func TestWhatComesInAfterTheEndIsReadForAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := talk(t, "v5.channel.k8s.io", "stdin=1", containers{exec: func(
			context.Context, []string, streams.IO,
		) (int, error) {
			return 0, nil
		}})
		ws.SetCloseHandler(func(int, string) error { return nil })
		assert.Equal(t, success, hear(t, ws))
		ws.ReadMessage()
		time.Sleep(time.Second)
		say(t, ws, "\x00on its way when the command ended")
		time.Sleep(time.Minute)
		assert.Error(t, ws.WriteMessage(websocket.BinaryMessage, []byte{0}))
	})
}

func TestAClientThatReadsNothingIsLeftAfterAWhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		printing := make(chan struct{})
		talk(t, "v5.channel.k8s.io", "stdout=1", containers{exec: func(
			ctx context.Context, _ []string, s streams.IO,
		) (int, error) {
			go func() {
				defer close(printing)
				fmt.Fprint(s.Stdout, "from what the command left behind")
			}()
			synctest.Wait()
			return 0, nil
		}})
		before := time.Now()
		<-printing
		assert.LessOrEqual(t, time.Since(before), time.Minute)
	})
}

func TestAServerThatStopsEndsItsStreams(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		here, there := net.Pipe()
		l := newPipes()
		server := &http.Server{
			BaseContext: func(net.Listener) context.Context { return ctx },
			Handler:     handler(web(), containers{exec: echo}),
		}
		go server.Serve(l)
		defer server.Close()
		go func() { l.conns <- there }()
		dialer := websocket.Dialer{
			Subprotocols: []string{"v5.channel.k8s.io"},
			NetDialContext: func(context.Context, string, string) (net.Conn, error) {
				return here, nil
			},
		}
		ws, _, err := dialer.DialContext(
			t.Context(), "ws://pod/exec?command=x&stdin=1&stdout=1", nil)
		require.NoError(t, err)
		defer ws.Close()
		stop()
		_, _, err = ws.ReadMessage()
		assert.True(t, websocket.IsUnexpectedCloseError(err), err)
	})
}
