package images

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/apiserver/streams"
)

// silence is how long a connection to a machine that does not answer is tried,
// until the client's own machine gives up looking for it: Linux asks three
// times who has the address.
const silence = 3 * time.Second

// cable is a node's connection to the network, and to its current.
type cable struct {
	mu  sync.Mutex
	out bool
	off bool // then it is out too

	changed chan struct{} // is closed when that changes; or nil
}

func (c *cable) set(out, off bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.out, c.off = out, off
	if c.changed != nil {
		close(c.changed)
		c.changed = nil
	}
}

// next returns a channel that is closed at the next change.
func (c *cable) next() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changed == nil {
		c.changed = make(chan struct{})
	}
	return c.changed
}

func (c *cable) isOut() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out
}

func (c *cable) isOff() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.off
}

// Cut takes the network cable of a node out: what runs there goes on, and
// reaches nothing beyond the node. Connections stay, and are silent.
func (m *Machines) Cut(name string) { m.node(name).cable.set(true, false) }

// Mend undoes Cut and Stop. Nothing runs by itself on a node that was off.
func (m *Machines) Mend(name string) { m.node(name).cable.set(false, false) }

// Stop switches a node off: it is cut, and everything that runs on it is gone.
// From then on its containers can be looked at as after a start.
func (m *Machines) Stop(name string) {
	n := m.node(name)
	n.cable.set(true, true)
	for _, sandbox := range n.Sandboxes() {
		for name, status := range n.Containers(sandbox.UID) {
			if status.State.Running == nil {
				continue
			}
			if c := n.at(target{sandbox.UID, name}); c != nil {
				c.lost.Store(true)
			}
			n.Runtime.Stop(sandbox.UID, name, 0)
		}
	}
}

func (m *Machines) node(name string) *node {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.nodes[name]
}

// ahead is the network of a node for addresses of no machine: Services, then
// Pods.
type ahead struct{ *node }

// fromKey is the key of the node that a connection comes from, in its context.
type fromKey struct{}

// DialContext implements simulated.Network.
func (a ahead) DialContext(
	ctx context.Context, network, address string,
) (net.Conn, error) {
	return a.machines.DialContext(
		context.WithValue(ctx, fromKey{}, a.node), network, address)
}

// pods connects to the Pods of all nodes, as far as cables reach.
type pods struct{ *Machines }

// DialContext implements simulated.Network.
func (p pods) DialContext(
	ctx context.Context, network, address string,
) (net.Conn, error) {
	from, _ := ctx.Value(fromKey{}).(*node)
	host, _, _ := net.SplitHostPort(address)
	to := p.nodeAt(host)
	if to != nil && !to.reaches(from) {
		err := unanswered(ctx, network, address)
		if !to.reaches(from) {
			return nil, err
		}
	}
	conn, err := p.dial(ctx, from, to, network, address)
	if err != nil || to == nil || to == from {
		return conn, err
	}
	return newLink(conn, from, to), nil
}

// dial connects from a node, which may be nil, to an address on another.
func (p pods) dial(
	ctx context.Context, from, to *node, network, address string,
) (net.Conn, error) {
	if to != nil && strings.HasPrefix(address, to.host.address+":") {
		return to.dialHost(ctx, network, address)
	}
	return p.reachable(from).DialContext(ctx, network, address)
}

// reachable returns the nodes that a node reaches. It may be nil: a client
// outside of the cluster.
func (m *Machines) reachable(from *node) simulated.PodNetwork {
	var all simulated.PodNetwork
	for _, n := range m.all() {
		if n.reaches(from) {
			all = append(all, n.Runtime)
		}
	}
	return all
}

func (n *node) reaches(from *node) bool {
	return n == from || !n.cable.isOut() && (from == nil || !from.cable.isOut())
}

// nodeAt returns the node that has an address, or whose Pods have it, or nil.
func (m *Machines) nodeAt(ip string) *node {
	for _, n := range m.all() {
		if strings.HasPrefix(ip, n.subnet+".") || ip == n.host.address {
			return n
		}
	}
	return nil
}

// unanswered waits for an answer that does not come, and returns the error of
// having waited in vain.
func unanswered(ctx context.Context, network, address string) error {
	select {
	case <-time.After(silence):
		return fmt.Errorf("dial %s %s: %w", network, address,
			os.NewSyscallError("connect", syscall.EHOSTUNREACH))
	case <-ctx.Done():
		return ctx.Err()
	}
}

// resolver returns the resolver that a Pod of this node asks for names.
func (n *node) resolver(pod *corev1.Pod) simulated.Resolver {
	if n.cable.isOut() {
		return Unheard{}
	}
	return n.machines.resolver(pod)
}

// Unheard is a resolver that gets no answer, and asks twice: libc's timeout and
// attempts.
type Unheard struct{}

// LookupHost implements simulated.Resolver.
func (Unheard) LookupHost(ctx context.Context, host string) ([]string, error) {
	select {
	case <-time.After(2 * 5 * time.Second):
	case <-ctx.Done():
	}
	return nil, &net.DNSError{Err: "i/o timeout", Name: host, IsTimeout: true}
}

// LookupAddr gets no answer either: it is for commands that look up names of
// addresses.
func (u Unheard) LookupAddr(ctx context.Context, ip string) ([]string, error) {
	return u.LookupHost(ctx, ip)
}

// Exchange gets no answer either.
func (u Unheard) Exchange(
	ctx context.Context, server string, _ *dns.Msg,
) (*dns.Msg, error) {
	_, err := u.LookupHost(ctx, server)
	return nil, err
}

// unasked returns why the kubelet of a Pod's node cannot be asked, as the HTTP
// client of an API server says it, or nil if it can.
func (m *Machines) unasked(
	ctx context.Context, pod *corev1.Pod, op, path, container string,
	query url.Values,
) error {
	n := m.nodeOf(pod)
	if n == nil || !n.cable.isOut() {
		return nil
	}
	at := url.URL{
		Scheme: "https", Host: net.JoinHostPort(pod.Status.HostIP, "10250"),
		Path: fmt.Sprintf(
			"/%s/%s/%s/%s", path, pod.Namespace, pod.Name, container),
		RawQuery: query.Encode(),
	}
	return &url.Error{
		Op: op, URL: at.String(), Err: unanswered(ctx, "tcp", at.Host)}
}

// unread returns unasked's answer for a log (Kubernetes:
// pkg/registry/core/pod/strategy.go, LogLocation).
func (m *Machines) unread(
	ctx context.Context, pod *corev1.Pod, opts *corev1.PodLogOptions,
) error {
	query := url.Values{}
	for name, is := range map[string]bool{
		"follow": opts.Follow, "previous": opts.Previous,
		"timestamps": opts.Timestamps,
	} {
		if is {
			query.Set(name, "true")
		}
	}
	for name, n := range map[string]*int64{
		"sinceSeconds": opts.SinceSeconds, "tailLines": opts.TailLines,
		"limitBytes": opts.LimitBytes,
	} {
		if n != nil {
			query.Set(name, strconv.FormatInt(*n, 10))
		}
	}
	if opts.SinceTime != nil {
		query.Set("sinceTime", opts.SinceTime.Format(time.RFC3339))
	}
	err := m.unasked(ctx, pod, "Get", "containerLogs", opts.Container, query)
	if err == nil {
		return nil
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: http.StatusInternalServerError,
		Reason: metav1.StatusReasonUnknown, Message: err.Error(),
	}}
}

// unjoined returns unasked's answer for a conversation with a container
// (streamLocation, in the same file).
func (m *Machines) unjoined(
	ctx context.Context, pod *corev1.Pod, path, container string,
	command []string, s streams.IO,
) error {
	query := url.Values{}
	for name, is := range map[string]bool{
		"input": s.Stdin != nil, "output": s.Stdout != nil,
		"error": s.Stderr != nil, "tty": s.TTY,
	} {
		if is {
			query.Set(name, "1")
		}
	}
	for _, word := range command {
		query.Add("command", word)
	}
	err := m.unasked(ctx, pod, "Post", path, container, query)
	if err == nil {
		return nil
	}
	return apierrors.NewInternalError(
		fmt.Errorf("error sending request: %w", err))
}
