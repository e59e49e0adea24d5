package httpserve_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"reconcile/internal/httpserve"
)

// inMemory is a listener whose connections are pipes, which know virtual time.
type inMemory struct {
	at          net.Addr
	connections chan net.Conn
}

// Accept implements net.Listener.
func (l inMemory) Accept() (net.Conn, error) {
	connection, ok := <-l.connections
	if !ok {
		return nil, net.ErrClosed
	}
	return connection, nil
}

// Close implements net.Listener.
func (l inMemory) Close() error { close(l.connections); return nil }

// Addr implements net.Listener.
func (l inMemory) Addr() net.Addr { return l.at }

// through serves a handler behind the door at an address, sends a request to it,
// and returns what comes back.
func through(t *testing.T, ip, request string, handler http.HandlerFunc) (code int, body string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		listener := inMemory{&net.TCPAddr{IP: net.ParseIP(ip)}, make(chan net.Conn)}
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- httpserve.Serve(ctx, listener, handler) }()
		client, server := net.Pipe()
		listener.connections <- server
		go io.WriteString(client, request)
		answer, err := http.ReadResponse(bufio.NewReader(client), nil)
		require.NoError(t, err)
		text, err := io.ReadAll(answer.Body)
		require.NoError(t, err)
		code, body = answer.StatusCode, string(text)
		client.Close()
		stop()
		assert.NoError(t, <-done)
	})
	return code, body
}

func TestPagesOfOtherSitesStayOutside(t *testing.T) {
	const loopback, open = "127.0.0.1", "192.0.2.7"
	for name, c := range map[string]struct {
		ip, method, host, header string
		code                     int
	}{
		"this machine":            {loopback, "GET", "localhost:8080", "", 200},
		"by its number":           {loopback, "POST", "127.0.0.1:8080", "", 200},
		"in the newer protocol":   {"::1", "GET", "[::1]:8080", "", 200},
		"a name that leads here":  {loopback, "GET", "evil.example", "", 403},
		"and that with a port":    {"::1", "GET", "evil.example:8080", "", 403},
		"an address of others":    {loopback, "GET", "192.0.2.7", "", 403},
		"a door for others":       {open, "GET", "board.example", "", 200},
		"another site writes":     {loopback, "POST", "localhost", "Sec-Fetch-Site: cross-site", 403},
		"in an old browser":       {loopback, "POST", "localhost", "Origin: http://evil.example", 403},
		"from another port":       {loopback, "POST", "localhost", "Origin: http://localhost:1", 403},
		"on a door for others":    {open, "POST", "192.0.2.7", "Origin: http://evil.example", 403},
		"its own page writes":     {loopback, "POST", "localhost", "Origin: http://localhost", 200},
		"its own page is a click": {loopback, "GET", "localhost", "Sec-Fetch-Site: cross-site", 200},
	} {
		request := fmt.Sprintf("%s / HTTP/1.1\r\nHost: %s\r\n", c.method, c.host)
		if c.header != "" {
			request += c.header + "\r\n"
		}
		code, _ := through(t, c.ip, request+"\r\n", func(http.ResponseWriter, *http.Request) {})
		assert.Equal(t, c.code, code, name)
	}
}

// asked reads the body, and then takes its time to answer.
func asked(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 10))
	switch {
	case httpserve.IsLate(err):
		w.WriteHeader(http.StatusRequestTimeout)
	case httpserve.IsLarge(err):
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	default:
		select {
		case <-time.After(time.Hour):
			w.Write(text)
		case <-r.Context().Done():
			panic(errors.New("the client was taken for gone"))
		}
	}
}

func TestABodyComesInTimeAndAnAnswerMayTakeLong(t *testing.T) {
	const head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
	for name, c := range map[string]struct {
		request string
		code    int
		body    string
	}{
		"whole":            {head + "5\r\n\r\nhello", 200, "hello"},
		"none":             {"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 200, ""},
		"half":             {head + "5\r\n\r\nhe", 408, ""},
		"too much":         {head + "50\r\n\r\n" + strings.Repeat("x", 50), 413, ""},
		"of unsaid length": {"POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhe", 408, ""},
	} {
		code, body := through(t, "127.0.0.1", c.request, asked)
		assert.Equal(t, c.code, code, name)
		assert.Equal(t, c.body, body, name)
	}
}

func TestATokenIsWholeOrWrong(t *testing.T) {
	token := httpserve.NewToken()
	assert.GreaterOrEqual(t, len(token), httpserve.LeastToken)
	assert.NotEqual(t, token, httpserve.NewToken())
	for said, right := range map[string]bool{
		"Bearer " + token: true, "": false, "Bearer": false, "Bearer " + token[1:]: false, "Basic " + token: false,
	} {
		r := &http.Request{Header: http.Header{"Authorization": {said}}}
		assert.Equal(t, right, httpserve.Bears(r, token), said)
	}
}
