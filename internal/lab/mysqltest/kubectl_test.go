package mysqltest_test

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/net/proxy"
	"k8s.io/client-go/rest"

	"reconcile/internal/kubectl"
	"reconcile/internal/lab"
)

// simulated is a lab in a bubble, with kubectl beside it. It implements
// mysqltest.Cluster.
type simulated struct {
	*lab.Lab
	t          *testing.T
	network    *network
	server     *http.Server
	transport  *http.Transport
	kubeconfig string
	cache      string
}

// prepare does what a process does once, before there is a bubble: the first
// call that asks for signals starts a goroutine that never ends.
var prepare = sync.OnceFunc(func() {
	c := make(chan os.Signal, 1)
	signal.Notify(c, os.Interrupt)
	signal.Stop(c)
	proxy.RegisterDialerType(tunnel,
		func(*url.URL, proxy.Dialer) (proxy.Dialer, error) {
			return dialer{current}, nil
		})
})

// tunnel is the proxy that exec and attach dial through: they take
// no dialer, but a proxy.
const tunnel = "mysqltest"

// current is the network of the test that runs. They run one after the other.
var current *network

type dialer struct{ *network }

// Dial implements proxy.Dialer.
func (d dialer) Dial(network, address string) (net.Conn, error) {
	return d.network.dial(context.Background(), network, address)
}

// DialContext implements proxy.ContextDialer.
func (d dialer) DialContext(
	ctx context.Context, network, address string,
) (net.Conn, error) {
	return d.network.dial(ctx, network, address)
}

// network connects kubectl with the lab's server. It implements net.Listener.
type network struct {
	accepting chan net.Conn
	closed    chan struct{}
	once      sync.Once
}

func (n *network) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case n.accepting <- server:
		return client, nil
	case <-n.closed:
		return nil, net.ErrClosed
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Accept implements net.Listener.
func (n *network) Accept() (net.Conn, error) {
	select {
	case conn := <-n.accepting:
		return conn, nil
	case <-n.closed:
		return nil, net.ErrClosed
	}
}

// Close implements net.Listener.
func (n *network) Close() error {
	n.once.Do(func() { close(n.closed) })
	return nil
}

// Addr implements net.Listener.
func (n *network) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4zero} }

const kubeconfig = `apiVersion: v1
kind: Config
clusters:
- name: lab
  cluster:
    server: http://127.0.0.1:8001
users:
- name: lab
contexts:
- name: lab
  context:
    cluster: lab
    user: lab
current-context: lab
`

// newSimulated serves a lab to kubectl. Its goroutines end with close.
func newSimulated(t *testing.T, l *lab.Lab, home string) *simulated {
	s := &simulated{
		Lab: l, t: t, kubeconfig: filepath.Join(home, "kubeconfig"),
		cache: filepath.Join(home, "cache"),
		network: &network{
			accepting: make(chan net.Conn), closed: make(chan struct{})},
	}
	require.NoError(t, os.WriteFile(s.kubeconfig, []byte(kubeconfig), 0o600))
	current = s.network
	s.server = &http.Server{Handler: l.Handler}
	s.transport = &http.Transport{DialContext: s.network.dial}
	go s.server.Serve(s.network)
	return s
}

func (s *simulated) close() {
	s.transport.CloseIdleConnections()
	s.server.Close()
	s.network.Close()
}

// Kubectl implements mysqltest.Cluster.
func (s *simulated) Kubectl(
	input string, args ...string,
) (out, errs string, code int) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Hour)
	defer cancel()
	var printed, said bytes.Buffer
	code = kubectl.Run(ctx, kubectl.Command{
		Args: args, Kubeconfig: s.kubeconfig, CacheDir: s.cache,
		Configure: func(config *rest.Config) error {
			config.Transport = s.transport
			config.Proxy = func(*http.Request) (*url.URL, error) {
				return &url.URL{Scheme: tunnel, Host: "lab"}, nil
			}
			return nil
		},
		In: strings.NewReader(input), Out: &printed, Err: &said,
	})
	require.NoError(s.t, ctx.Err(), "kubectl %s: %s%s",
		strings.Join(args, " "), &printed, &said)
	return printed.String(), said.String(), code
}

// Pass implements mysqltest.Cluster.
func (s *simulated) Pass(d time.Duration) { time.Sleep(d) }
