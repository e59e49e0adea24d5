package scene

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"sync"
	"sync/atomic"

	"golang.org/x/net/proxy"
	"k8s.io/client-go/rest"
)

// address is that of the server, as kubectl believes.
var address = netip.MustParseAddrPort("127.0.0.1:8001")

// client is one command's way to the server.
type client struct {
	stage *stage
	job   int
	id    string                 // among the tunnels
	asks  atomic.Pointer[string] // the last request of the command
}

// RoundTrip implements http.RoundTripper.
func (c *client) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := c.stage.gate.pass(c.job, request); err != nil {
		return nil, err
	}
	c.asks.Store(new(request.Method + " " + request.URL.RequestURI()))
	return c.stage.transport.RoundTrip(request)
}

// configure makes a configuration of client-go's lead to the server. Exec and
// attach open connections of their own, past any transport, and take no dialer;
// but they ask for a proxy, and a dialer for proxies can be registered.
func (c *client) configure(config *rest.Config) error {
	config.Transport = c
	config.Proxy = func(request *http.Request) (*url.URL, error) {
		if err := c.stage.gate.pass(c.job, request); err != nil {
			return nil, err
		}
		return &url.URL{Scheme: tunnelScheme, Host: c.id}, nil
	}
	return nil
}

const tunnelScheme = "scene"

// tunnels are the clients that may dial, by the host of their proxy.
var tunnels = struct {
	sync.Mutex
	last    int
	clients map[string]*client
}{clients: map[string]*client{}}

// openTunnel registers a client. The returned function takes it back.
func (c *client) openTunnel() (closeTunnel func()) {
	registerScheme()
	tunnels.Lock()
	defer tunnels.Unlock()
	tunnels.last++
	c.id = strconv.Itoa(tunnels.last)
	tunnels.clients[c.id] = c
	return func() {
		tunnels.Lock()
		defer tunnels.Unlock()
		delete(tunnels.clients, c.id)
	}
}

var registerScheme = sync.OnceFunc(func() {
	proxy.RegisterDialerType(tunnelScheme,
		func(u *url.URL, _ proxy.Dialer) (proxy.Dialer, error) {
			tunnels.Lock()
			defer tunnels.Unlock()
			return tunnels.clients[u.Host], nil
		})
})

// Dial implements proxy.Dialer.
func (c *client) Dial(network, address string) (net.Conn, error) {
	return c.DialContext(context.Background(), network, address)
}

// DialContext implements proxy.ContextDialer.
func (c *client) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return c.stage.network.Dial(ctx, network, address)
}
