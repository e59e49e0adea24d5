package rollingupdate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// fullSlice is how many endpoints one EndpointSlice has at most. When a Pod of a
// Service with thousands changes, so many are sent to every node, not all.
const fullSlice = 100

// pool is the endpoints that have the same ports, and so can share a slice.
type pool struct {
	ports     []discoveryv1.EndpointPort
	endpoints []discoveryv1.Endpoint
}

// poolsOf sorts the Pods of a Service into pools.
func poolsOf(service *corev1.Service, pods []*corev1.Pod) []*pool {
	var pools []*pool
	for _, pod := range pods {
		if !isEndpoint(pod) {
			continue
		}
		ports := portsOf(service, pod)
		at := slices.IndexFunc(pools, func(p *pool) bool {
			return equality.Semantic.DeepEqual(p.ports, ports)
		})
		if at < 0 {
			at = len(pools)
			pools = append(pools, &pool{ports: ports})
		}
		pools[at].endpoints = append(pools[at].endpoints, endpointOf(pod, service))
	}
	return pools
}

// pack puts endpoints into slices and returns those that there are to be. What
// has a place keeps it; what is new goes where there is room. There is always
// one slice at least: to say that there is nobody. (Kubernetes: reconcileByPortMapping in
// k8s.io/endpointslice/reconciler.go.)
func pack(
	have []*discoveryv1.EndpointSlice, pools []*pool,
	empty func() *discoveryv1.EndpointSlice,
) []*discoveryv1.EndpointSlice {
	var packed, free []*discoveryv1.EndpointSlice
	for _, s := range have {
		next := controlloop.Copy(s)
		if keep(next, pools) {
			packed = append(packed, next)
		} else {
			free = append(free, next)
		}
	}
	take := func() *discoveryv1.EndpointSlice {
		if len(free) == 0 {
			return empty()
		}
		next := free[0]
		free = free[1:]
		return next
	}
	for _, p := range pools {
		for _, s := range packed {
			p.fill(s)
		}
		for len(p.endpoints) > 0 {
			next := take()
			next.Ports = p.ports
			p.fill(next)
			packed = append(packed, next)
		}
	}
	if len(packed) == 0 {
		next := take()
		next.Ports = nil
		packed = append(packed, next)
	}
	return packed
}

// keep leaves in a slice the endpoints that still are in the pool of its ports,
// and takes them out of there. It reports whether there are any.
func keep(s *discoveryv1.EndpointSlice, pools []*pool) bool {
	was := s.Endpoints
	s.Endpoints = nil
	for _, p := range pools {
		if !equality.Semantic.DeepEqual(p.ports, s.Ports) {
			continue
		}
		now := map[types.UID]discoveryv1.Endpoint{}
		for _, e := range p.endpoints {
			now[e.TargetRef.UID] = e
		}
		for _, e := range was {
			if next, ok := now[e.TargetRef.UID]; ok {
				s.Endpoints = append(s.Endpoints, next)
				delete(now, e.TargetRef.UID)
			}
		}
		p.endpoints = slices.DeleteFunc(p.endpoints, func(e discoveryv1.Endpoint) bool {
			_, left := now[e.TargetRef.UID]
			return !left
		})
	}
	return len(s.Endpoints) > 0
}

// fill moves as many endpoints of the pool into a slice of its ports as there
// is room for.
func (p *pool) fill(s *discoveryv1.EndpointSlice) {
	if !equality.Semantic.DeepEqual(p.ports, s.Ports) {
		return
	}
	n := min(len(p.endpoints), fullSlice-len(s.Endpoints))
	s.Endpoints = append(s.Endpoints, p.endpoints[:n]...)
	p.endpoints = p.endpoints[n:]
}
