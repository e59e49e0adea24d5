package up

import (
	"context"
	"net"
	"net/http"
	"net/url"

	"reconcile/internal/door"
)

// server serves the API on a listener.
type server struct {
	api       http.Handler
	listener  net.Listener
	url       *url.URL
	token     string
	authority []byte // the certificate that clients shall trust; nil: no TLS
}

// newServer prepares a listener for its clients: all that know the token, over
// TLS, for a token is not sent in the clear and kubectl would not send it;
// without one, all on this machine.
func newServer(
	listener net.Listener, api http.Handler, token string,
) (*server, error) {
	at := &url.URL{Scheme: "http", Host: reachable(listener.Addr())}
	if token == "" {
		return &server{api: api, listener: listener, url: at}, nil
	}
	certificate, authority, err := newCertificate(listener.Addr())
	if err != nil {
		return nil, err
	}
	at.Scheme = "https"
	return &server{
		api: api, listener: withTLS(listener, certificate), url: at,
		token: token, authority: authority,
	}, nil
}

// reachable returns the address under which this machine reaches a listener.
func reachable(addr net.Addr) string {
	tcp := addr.(*net.TCPAddr)
	if tcp.IP.IsUnspecified() {
		return (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: tcp.Port}).String()
	}
	return tcp.String()
}

// run serves until ctx ends, and returns when the last request has ended.
func (s *server) run(ctx context.Context) error {
	return door.Serve(ctx, s.listener, s.api)
}
