package httpserve

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"sync/atomic"
)

// Either returns a listener whose clients may speak TLS or not: the first byte that
// one sends says which. A handler finds it in the request's TLS, as ever.
func Either(listener net.Listener, config *tls.Config) net.Listener {
	return either{listener, config}
}

type either struct {
	net.Listener
	config *tls.Config
}

// Accept implements net.Listener. It waits for no client to speak.
func (e either) Accept() (net.Conn, error) {
	connection, err := e.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return &undecided{Conn: connection, config: e.config}, nil
}

// tlsHandshake is the first byte of a connection by TLS: the type of its first
// record (RFC 8446, 5.1). No method of HTTP begins with it.
const tlsHandshake = 22

// undecided is a connection whose client has not spoken yet. The first Read
// decides, in the goroutine of the connection and before the server's deadline.
type undecided struct {
	net.Conn
	config *tls.Config
	reader io.Reader                // of Read alone; nil: not decided
	secure atomic.Pointer[tls.Conn] // nil: not decided, or without TLS
}

// Read implements net.Conn.
func (c *undecided) Read(p []byte) (int, error) {
	if c.reader == nil {
		first := make([]byte, 1)
		if _, err := io.ReadFull(c.Conn, first); err != nil {
			return 0, err
		}
		c.reader = io.MultiReader(bytes.NewReader(first), c.Conn)
		if first[0] == tlsHandshake {
			secure := tls.Server(begun{c.Conn, c.reader}, c.config)
			c.reader = secure
			c.secure.Store(secure)
		}
	}
	return c.reader.Read(p)
}

// Write implements net.Conn.
func (c *undecided) Write(p []byte) (int, error) { return c.decided().Write(p) }

// Close implements net.Conn.
func (c *undecided) Close() error { return c.decided().Close() }

// CloseWrite ends what is sent, and lets the client end. It does nothing where the
// connection can't, as net/http does.
func (c *undecided) CloseWrite() error {
	if half, ok := c.decided().(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

func (c *undecided) decided() net.Conn {
	if secure := c.secure.Load(); secure != nil {
		return secure
	}
	return c.Conn
}

// begun is a connection of which something has been read, which comes again.
type begun struct {
	net.Conn
	reader io.Reader
}

// Read implements net.Conn.
func (c begun) Read(p []byte) (int, error) { return c.reader.Read(p) }

// connection is the key of the connection of a request, in its context.
type connection struct{}

func withConnection(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, connection{}, c)
}

// decided tells a handler of TLS what net/http tells it of connections that it
// has known to be of TLS from the start.
func decided(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connection{}).(*undecided); ok {
			if secure := c.secure.Load(); secure != nil {
				state := secure.ConnectionState()
				r.TLS = &state
			}
		}
		next.ServeHTTP(w, r)
	})
}
