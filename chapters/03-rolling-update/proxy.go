package rollingupdate

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"sync"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
)

// Proxy answers for the addresses of Services, which belong to no machine: it
// turns a connection to one of them into a connection to a Pod. It is a
// controller. The state that it keeps up to date is a table of its own, as
// kube-proxy has one in the kernel of each node.
type Proxy struct {
	Services, Slices *controlloop.Indexer
	Pods             simulated.Network // connects to their addresses
	// Delay is the time after which a change is in the table.
	Delay time.Duration
	// Choose returns one of 0 to n-1, for every new connection.
	Choose func(n int) int
	// Tell, unless it is nil, is told what the table has of a Service, whenever
	// that may have changed, so that it can keep a table elsewhere. ip is ""
	// when the Service is gone.
	Tell func(service controlloop.Key, ip string, ports map[int32][]string) error

	mu    sync.Mutex
	table map[controlloop.Key]virtual
	due   map[controlloop.Key]time.Time // changes that the table lacks
}

// virtual holds the address of a Service, and the Pods behind each of its
// ports: "10.244.1.3:80".
type virtual struct {
	ip    string
	ports map[int32][]string
}

// InTurn chooses the first, then the second, and so on, and begins again.
func InTurn() func(n int) int {
	next := -1
	return func(n int) int {
		next++
		return next % n
	}
}

// byService is the index of slices by the Service that they are about.
const byService = "service"

// NewProxy makes p part of a system. It checks again all that p has in its
// table already. (Kubernetes: cmd/kube-proxy.)
func NewProxy(s *controlloop.System, p *Proxy) *controlloop.Controller {
	services := s.Informer(ServiceKind, controlloop.ListOptions{})
	found := s.Informer(EndpointSliceKind, controlloop.ListOptions{})
	p.Services, p.Slices = services.Cache, found.Cache
	found.Cache.AddIndex(byService, func(slice controlloop.Object) []string {
		return []string{aboutOf(slice).String()}
	})
	c := controlloop.NewController("proxy", p)
	s.Add(c)
	c.Watch(services, controlloop.Self)
	c.Watch(found, func(slice controlloop.Object) []controlloop.Key {
		return []controlloop.Key{aboutOf(slice)}
	})
	p.mu.Lock()
	defer p.mu.Unlock()
	p.due = map[controlloop.Key]time.Time{}
	if p.table == nil {
		p.table = map[controlloop.Key]virtual{}
	}
	for key := range p.table {
		c.Queue.Add(key)
	}
	return c
}

// aboutOf returns the Service that a slice is about, no matter which
// client wrote the slice.
func aboutOf(slice controlloop.Object) controlloop.Key {
	return controlloop.Key{
		Namespace: slice.GetNamespace(),
		Name:      slice.GetLabels()[discoveryv1.LabelServiceName],
	}
}

// Reconcile implements controlloop.Reconciler. It notes that something has
// changed, and rewrites the table after the delay.
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
	return controlloop.Result{}, p.rewrite(key)
}

// rewrite makes a Service's part of the table anew.
func (p *Proxy) rewrite(key controlloop.Key) error {
	obj, ok := p.Services.Get(key)
	if !ok {
		delete(p.table, key)
	} else {
		p.table[key] = p.lookUp(obj.(*corev1.Service))
	}
	if p.Tell == nil {
		return nil
	}
	return p.Tell(key, p.table[key].ip, p.table[key].ports)
}

// lookUp returns a Service's part of the table.
func (p *Proxy) lookUp(service *corev1.Service) virtual {
	v := virtual{service.Spec.ClusterIP, map[int32][]string{}}
	found := p.Slices.Lookup(byService, controlloop.KeyOf(service).String())
	for _, port := range service.Spec.Ports {
		v.ports[port.Port] = chosen(found, port.Name)
	}
	return v
}

// DialContext implements simulated.Network: it connects to the address of a
// Service, and to any other as if there were no Proxy. It tries one Pod. Should
// that be gone, so is the connection.
func (p *Proxy) DialContext(
	ctx context.Context, network, address string,
) (net.Conn, error) {
	to, err := p.choose(address)
	if err != nil {
		return nil, fmt.Errorf("dial %s %s: %w", network, address, err)
	}
	return p.Pods.DialContext(ctx, network, to)
}

// choose picks a Pod behind an address; an address that is no
// Service's stands for itself.
func (p *Proxy) choose(address string) (string, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return "", err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, v := range p.table {
		if v.ip != host {
			continue
		}
		number, _ := strconv.Atoi(port) // the port of a Service is never a name
		behind := v.ports[int32(number)]
		if len(behind) == 0 {
			return "", syscall.ECONNREFUSED
		}
		return behind[p.Choose(len(behind))], nil
	}
	return address, nil
}
