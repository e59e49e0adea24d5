package streams_test

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

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
	var asked []string
	if protocol != "" {
		asked = []string{protocol}
	}
	dialer := websocket.Dialer{
		Subprotocols: asked,
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
		assert.Equal(t, "\x01", hear(t, ws), "all is connected")
		say(t, ws, "\xff\x00")
		say(t, ws, "\x00still here")
		assert.Equal(t, "\x01still here", hear(t, ws))
	})
}

// Clients that know no better than the first protocols are told what a terminal
// would show: nothing of a success.
func TestOlderProtocolsAreSpoken(t *testing.T) {
	for protocol, test := range map[string]struct {
		said, greeting, heard, end string
	}{
		"":                  {"\x00hi", "\x01", "\x01hi", "\x03no such thing"},
		"channel.k8s.io":    {"\x00hi", "\x01", "\x01hi", "\x03no such thing"},
		"v4.channel.k8s.io": {"\x00hi", "\x01", "\x01hi", ""},
		"base64.channel.k8s.io": {"0aGk=", "1", "1aGk=",
			"3" + base64.StdEncoding.EncodeToString([]byte("no such thing"))},
		"v4.base64.channel.k8s.io": {"0aGk=", "1", "1aGk=", ""},
	} {
		t.Run("protocol "+protocol, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ws := talk(t, protocol, "stdin=1&stdout=1", containers{exec: func(
					_ context.Context, _ []string, s streams.IO,
				) (int, error) {
					var word [2]byte
					io.ReadFull(s.Stdin, word[:])
					s.Stdout.Write(word[:])
					return 0, apierrors.NewBadRequest("no such thing")
				}})
				assert.Equal(t, test.greeting, hear(t, ws))
				say(t, ws, test.said)
				assert.Equal(t, test.heard, hear(t, ws))
				end := hear(t, ws)
				if test.end != "" {
					assert.Equal(t, test.end, end)
					return
				}
				status := end[1:]
				if strings.Contains(protocol, "base64") {
					text, err := base64.StdEncoding.DecodeString(status)
					require.NoError(t, err)
					status = string(text)
				}
				assert.Contains(t, status, `"message":"no such thing"`)
			})
		})
	}
}

func TestOfASuccessAnOlderClientHearsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ws := talk(t, "channel.k8s.io", "stderr=1", containers{exec: func(
			context.Context, []string, streams.IO,
		) (int, error) {
			return 0, nil
		}})
		assert.Equal(t, "\x02", hear(t, ws), "the first stream that it hears")
		_, _, err := ws.ReadMessage()
		assert.True(t, websocket.IsCloseError(err, websocket.CloseNormalClosure), err)
	})
}

func TestALogIsReadOverAWebSocket(t *testing.T) {
	for protocol, want := range map[string]string{
		"": "one\n", "binary.k8s.io": "one\n", "base64.binary.k8s.io": "b25lCg==",
	} {
		t.Run("protocol "+protocol, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ws := connect(t, "log", protocol, containers{logs: func(
					context.Context, *corev1.PodLogOptions,
				) (io.ReadCloser, error) {
					return io.NopCloser(strings.NewReader("one\n")), nil
				}})
				assert.Equal(t, want, hear(t, ws))
				_, _, err := ws.ReadMessage()
				assert.True(t, websocket.IsCloseError(err, websocket.CloseNormalClosure), err)
			})
		})
	}
}

func TestALogThatIsFollowedEndsWhenItsClientGoes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := make(chan struct{})
		ws := connect(t, "log?follow=1", "binary.k8s.io", containers{logs: func(
			ctx context.Context, _ *corev1.PodLogOptions,
		) (io.ReadCloser, error) {
			r, w := io.Pipe()
			context.AfterFunc(ctx, func() {
				w.Close()
				close(ended)
			})
			return r, nil
		}})
		ws.Close()
		<-ended
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
