package up

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"reconcile/internal/httpserve"
)

// server serves the API on a listener, and the lab's page.
type server struct {
	api, look http.Handler
	listener  net.Listener
	url       *url.URL
	token     string
	authority []byte // the certificate that clients shall trust; nil: no TLS

	page *url.URL // with the token that opens it and nothing else
	pass httpserve.Pass
}

// newServer prepares a listener for its clients. With a token these are all
// that know it, and they come over TLS, since kubectl sends no token in the
// clear; without one these are all on this machine.
func newServer(
	listener net.Listener, api, look http.Handler, token string,
) (*server, error) {
	at := &url.URL{Scheme: "http", Host: reachable(listener.Addr())}
	s := &server{
		api: api, look: look, listener: listener, url: at, token: token,
		page: at.JoinPath(pagePath),
	}
	if token == "" {
		return s, nil
	}
	certificate, authority, err := newCertificate(listener.Addr())
	if err != nil {
		return nil, err
	}
	s.authority, at.Scheme = authority, "https"
	s.listener = withTLS(listener, certificate)
	s.guardPage()
	return s, nil
}

// reachable returns the address under which this machine reaches a listener.
func reachable(addr net.Addr) string {
	tcp := addr.(*net.TCPAddr)
	if tcp.IP.IsUnspecified() {
		return (&net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: tcp.Port}).String()
	}
	return tcp.String()
}

// withTLS speaks HTTP/1.1 only, like the lab without TLS. On this machine it lets
// clients come without TLS too, for the sake of the page.
func withTLS(listener net.Listener, certificate tls.Certificate) net.Listener {
	config := &tls.Config{
		Certificates: []tls.Certificate{certificate},
		NextProtos:   []string{"http/1.1"},
		MinVersion:   tls.VersionTLS12,
	}
	if isLoopback(listener) {
		return httpserve.Either(listener, config)
	}
	return tls.NewListener(listener, config)
}

func isLoopback(listener net.Listener) bool {
	return listener.Addr().(*net.TCPAddr).IP.IsLoopback()
}

// run serves until ctx ends, and returns when the last request has ended.
func (s *server) run(ctx context.Context, warnings io.Writer) error {
	return httpserve.Serve(ctx, httpserve.Patient(s.listener, func(err error) {
		fmt.Fprintln(warnings, "lab:", err)
	}), s)
}

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case strings.HasPrefix(r.URL.Path+"/", pagePath):
		s.servePage(w, r)
	case r.TLS == nil && s.authority != nil:
		http.Error(w, fmt.Sprintf("the API is at %s, and clients find it by the lab's kubeconfig: "+
			"without TLS there is the page %s alone", s.url, pagePath), http.StatusBadRequest)
	default:
		s.api.ServeHTTP(w, r)
	}
}
