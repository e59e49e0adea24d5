package commands

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"

	"reconcile/internal/images/unix"
)

// get requests a page through the network of the process.
func get(
	ctx context.Context, p *unix.Process, method, address string,
	header http.Header, body io.Reader,
) (*http.Response, error) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	request, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		return nil, err
	}
	request.Header = header
	if host := header.Get("Host"); host != "" {
		request.Host = host
	}
	client := &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, DialContext: p.Box.Network.Dial,
	}}
	return client.Do(request)
}

// hostOf returns the host and port that an address means.
func hostOf(address string) (host, port string) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	u, err := url.Parse(address)
	if err != nil {
		return address, "80"
	}
	host, port = u.Hostname(), u.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	return host, port
}

// unknown reports whether err says that no host has a name.
func unknown(err error) bool {
	var dns *net.DNSError
	return errors.As(err, &dns) && dns.IsNotFound
}
