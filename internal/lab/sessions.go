package lab

import (
	"context"
	"maps"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/simulated"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/images"
)

// sessions make a client of a Service whose sessionAffinity is ClientIP meet the
// same Pod again, unless it stays away for too long, or the Pod can be asked no
// more. They stand on both sides of a Proxy, which knows of no clients: what
// comes in is marked as its client's (marked), and what goes out to a Pod goes
// to the one that the client has met. (Kubernetes: pkg/proxy/iptables, by the
// module recent.)
type sessions struct {
	proxy *rollingupdate.Proxy
	pods  simulated.Network

	dialled func(from, to, pod string, err error)

	mu       sync.Mutex
	services map[controlloop.Key]*affine
}

// affine is a Service that has sessions.
type affine struct {
	ip      string
	timeout time.Duration
	met     map[visit]meeting
}

// visit is a client at a port of a Service.
type visit struct {
	client string
	port   int32
}

type meeting struct {
	pod  string // "10.244.1.3:80"
	last time.Time
}

// updateService gets what the table of the Proxy has of a Service.
func (s *sessions) updateService(
	service controlloop.Key, ip string, ports map[int32][]string,
) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	obj, ok := s.proxy.Services.Get(service)
	if !ok || obj.(*corev1.Service).Spec.SessionAffinity != corev1.ServiceAffinityClientIP {
		delete(s.services, service)
		return nil
	}
	a := s.services[service]
	if a == nil {
		a = &affine{met: map[visit]meeting{}}
		s.services[service] = a
	}
	config := obj.(*corev1.Service).Spec.SessionAffinityConfig
	a.ip, a.timeout = ip, time.Duration(*config.ClientIP.TimeoutSeconds)*time.Second
	maps.DeleteFunc(a.met, func(v visit, m meeting) bool {
		return !slices.Contains(ports[v.port], m.pod)
	})
	return nil
}

// marked is the side of sessions that clients come from.
type marked struct{ *sessions }

// visitKey is the key of a visitOf in the context of a connection.
type visitKey struct{}

type visitOf struct {
	visit
	service *affine
}

// DialContext implements simulated.Network.
func (m marked) DialContext(
	ctx context.Context, network, address string,
) (net.Conn, error) {
	client, to := images.ClientOf(ctx), new(string)
	if v, ok := m.visit(client, address); ok {
		ctx = context.WithValue(ctx, visitKey{}, v)
	}
	connection, err := m.proxy.DialContext(context.WithValue(ctx, chosenKey{}, to), network, address)
	if m.dialled != nil {
		m.dialled(client, address, *to, err)
	}
	return connection, err
}

// chosenKey is the key of where a connection has come to, in its context.
type chosenKey struct{}

// visit returns what a connection of a client is, if the address is that of a
// Service with sessions.
func (s *sessions) visit(client, address string) (visitOf, bool) {
	host, number, _ := net.SplitHostPort(address)
	port, _ := strconv.Atoi(number) // the port of a Service is never a name
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.services {
		if a.ip == host {
			return visitOf{visit{client, int32(port)}, a}, true
		}
	}
	return visitOf{}, false
}

// DialContext implements simulated.Network: it connects to a Pod that the
// Proxy has chosen, or to the one that was met before.
func (s *sessions) DialContext(
	ctx context.Context, network, address string,
) (net.Conn, error) {
	if v, ok := ctx.Value(visitKey{}).(visitOf); ok {
		address = s.meet(v, address)
	}
	if to, ok := ctx.Value(chosenKey{}).(*string); ok {
		*to = address
	}
	return s.pods.DialContext(ctx, network, address)
}

func (s *sessions) meet(v visitOf, chosen string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	before, ok := v.service.met[v.visit]
	if ok && time.Since(before.last) < v.service.timeout {
		chosen = before.pod
	}
	v.service.met[v.visit] = meeting{chosen, time.Now()}
	return chosen
}
