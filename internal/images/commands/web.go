package commands

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
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
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, at string) (net.Conn, error) {
			host, port, err := net.SplitHostPort(at)
			if err != nil {
				return nil, err
			}
			number, err := strconv.ParseInt(port, 10, 32)
			if err != nil {
				return nil, err
			}
			return p.Box.Network.Dial(ctx, host, int32(number))
		},
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
