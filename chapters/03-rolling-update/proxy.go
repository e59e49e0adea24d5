package rollingupdate

import (
	"context"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// Proxy answers for the addresses of Services, at which nobody lives: it turns
// a connection to one of them into a connection to a Pod. It is a controller.
// What it keeps up to date is a table that it has for itself, as kube-proxy
// has one in the kernel of each node.
type Proxy struct {
	Services, Slices *controlloop.Indexer
	Network          Network
	// Delay is how long after a change the table has it.
	Delay time.Duration
	// Choose returns one of 0 to n-1, for every new connection.
	Choose func(n int) int

	mu    sync.Mutex
	table map[controlloop.Key]virtual
	due   map[controlloop.Key]time.Time // changes that the table lacks
}

// virtual is the address of a Service, and who is behind each of its ports.
type virtual struct {
	ip    string
	ports map[int32][]backend
}

// backend is a port of a Pod.
type backend struct {
	node string
	pod  types.UID
	port int32
}

// Network is what connects to the Pods of each node, by the node's name.
type Network map[string]Dialer

// Dialer connects to a port of a Pod. A controlloop.Runtime is one.
type Dialer interface {
	Dial(ctx context.Context, pod types.UID, port int32) (net.Conn, error)
}

// InTurn chooses the first, then the second, and so on, and begins again.
func InTurn() func(n int) int {
	next := -1
	return func(n int) int {
		next++
		return next % n
	}
}

// NewProxy makes p part of a system. (Kubernetes: cmd/kube-proxy.)
func NewProxy(s *controlloop.System, p *Proxy) *controlloop.Controller {
	services := s.Informer(ServiceKind, controlloop.ListOptions{})
	found := s.Informer(EndpointSliceKind, controlloop.ListOptions{})
	p.Services, p.Slices = services.Cache, found.Cache
	p.table = map[controlloop.Key]virtual{}
	p.due = map[controlloop.Key]time.Time{}
	found.Cache.AddIndex(controlloop.ByOwner, controlloop.ControllerUID)
	c := controlloop.NewController("proxy", p)
	s.Add(c)
	c.Watch(services, controlloop.Self)
	c.Watch(found, serviceOf)
	return c
}

// Reconcile implements controlloop.Reconciler. It notes that something has
// changed, and looks what when it has got round to it.
func (p *Proxy) Reconcile(
	_ context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	due, noted := p.due[key]
	if !noted {
		due = time.Now().Add(p.Delay)
		p.due[key] = due
	}
	if wait := time.Until(due); wait > 0 {
		return controlloop.Result{After: wait}, nil
	}
	delete(p.due, key)
	obj, ok := p.Services.Get(key)
	if !ok {
		delete(p.table, key)
		return controlloop.Result{}, nil
	}
	p.table[key] = p.lookUp(obj.(*corev1.Service))
	return controlloop.Result{}, nil
}

// lookUp makes a Service's part of the table.
func (p *Proxy) lookUp(service *corev1.Service) virtual {
	v := virtual{service.Spec.ClusterIP, map[int32][]backend{}}
	found := p.Slices.Lookup(controlloop.ByOwner, string(service.UID))
	for _, port := range service.Spec.Ports {
		v.ports[port.Port] = chosen(found, port.Name)
	}
	return v
}

// chosen returns who may be asked at a port: all that are ready or, if none is,
// those that can still answer though they were told to end. A connection to
// one of these may be cut; one to nobody certainly fails.
//
//book:exercise 3.7
func chosen(found []controlloop.Object, port string) []backend {
	var ready, leaving []backend
	for _, obj := range found {
		slice := obj.(*discoveryv1.EndpointSlice)
		number, ok := numberOf(slice, port)
		if !ok {
			continue
		}
		for _, e := range slice.Endpoints {
			b := backend{*e.NodeName, e.TargetRef.UID, number}
			switch {
			case *e.Conditions.Ready:
				ready = append(ready, b)
			case *e.Conditions.Serving && *e.Conditions.Terminating:
				leaving = append(leaving, b)
			}
		}
	}
	if len(ready) == 0 {
		return leaving
	}
	return ready
}

func numberOf(slice *discoveryv1.EndpointSlice, name string) (int32, bool) {
	at := slices.IndexFunc(slice.Ports, func(p discoveryv1.EndpointPort) bool {
		return *p.Name == name
	})
	if at < 0 {
		return 0, false
	}
	return *slice.Ports[at].Port, true
}

// DialContext connects to the address of a Service, as a net.Dialer connects to
// that of a host. It tries one Pod. Should that be gone, so is the connection.
func (p *Proxy) DialContext(
	ctx context.Context, network, address string,
) (net.Conn, error) {
	b, ok := p.choose(address)
	if !ok {
		return nil, fmt.Errorf("dial %s %s: %w",
			network, address, syscall.ECONNREFUSED)
	}
	return p.Network[b.node].Dial(ctx, b.pod, b.port)
}

// choose picks one of those behind an address.
func (p *Proxy) choose(address string) (backend, bool) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return backend{}, false
	}
	number, err := strconv.Atoi(port)
	if err != nil {
		return backend{}, false
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, v := range p.table {
		if v.ip != host {
			continue
		}
		if behind := v.ports[int32(number)]; len(behind) > 0 {
			return behind[p.Choose(len(behind))], true
		}
	}
	return backend{}, false
}
