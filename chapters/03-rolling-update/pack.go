package rollingupdate

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
)

// fullSlice is how many endpoints one EndpointSlice has at most. When one Pod of
// thousands changes, this many are sent to every node, and not all of them.
const fullSlice = 100

// pool holds the endpoints of the same ports that have no place in a slice yet.
type pool struct {
	ports []discoveryv1.EndpointPort
	order []types.UID // of their Pods; those that have a place are among them
	left  map[types.UID]discoveryv1.Endpoint
}

// poolsOf sorts the Pods of a Service into pools.
func poolsOf(service *corev1.Service, pods []*corev1.Pod) []*pool {
	var pools []*pool
	for _, pod := range pods {
		if !isEndpoint(pod) {
			continue
		}
		ports := portsOf(service, pod)
		at := slices.IndexFunc(pools, func(p *pool) bool { return p.has(ports) })
		if at < 0 {
			at = len(pools)
			pools = append(pools, &pool{
				ports: ports, left: map[types.UID]discoveryv1.Endpoint{},
			})
		}
		pools[at].order = append(pools[at].order, pod.UID)
		e := endpointOf(pod, service)
		e.Hostname = hostIn(pod, service)
		pools[at].left[pod.UID] = e
	}
	return pools
}

// hostIn returns the host name that a Pod has below the name of a Service, if it
// says that this is where it wants to be found; chapter 4's Pods do.
func hostIn(pod *corev1.Pod, service *corev1.Service) *string {
	if pod.Spec.Hostname == "" || pod.Spec.Subdomain != service.Name {
		return nil
	}
	return &pod.Spec.Hostname
}

func (p *pool) has(ports []discoveryv1.EndpointPort) bool {
	return equality.Semantic.DeepEqual(p.ports, ports)
}

// pack puts endpoints into slices and returns the slices that the Service
// should have. An endpoint that has a place keeps it; a new one is put where
// there is room. One slice always stays, if only to say that there are no
// endpoints. (Kubernetes: reconcileByPortMapping in
// k8s.io/endpointslice/reconciler.go.)
func pack(
	have []*discoveryv1.EndpointSlice, pools []*pool,
	empty func() *discoveryv1.EndpointSlice,
) (packed []*discoveryv1.EndpointSlice) {
	var free []*discoveryv1.EndpointSlice
	for _, s := range have {
		next := controlloop.Copy(s)
		if keep(next, pools) {
			packed = append(packed, next)
		} else {
			free = append(free, next)
		}
	}
	more := func(ports []discoveryv1.EndpointPort) *discoveryv1.EndpointSlice {
		next := empty()
		if len(free) > 0 {
			next, free = free[0], free[1:]
		}
		next.Ports = ports
		packed = append(packed, next)
		return next
	}
	for _, p := range pools {
		for _, s := range packed {
			p.fill(s)
		}
		for len(p.left) > 0 {
			p.fill(more(p.ports))
		}
	}
	if len(packed) == 0 {
		more(nil)
	}
	return packed
}

// keep leaves in a slice the endpoints that are still in the pool of its ports,
// as they are now, and reports whether there are any.
func keep(s *discoveryv1.EndpointSlice, pools []*pool) bool {
	was := s.Endpoints
	s.Endpoints = nil
	for _, p := range pools {
		if !p.has(s.Ports) {
			continue
		}
		for _, e := range was {
			p.move(e.TargetRef.UID, s)
		}
	}
	return len(s.Endpoints) > 0
}

// fill moves as many endpoints as there is room for into a slice of their ports.
func (p *pool) fill(s *discoveryv1.EndpointSlice) {
	if !p.has(s.Ports) {
		return
	}
	for len(s.Endpoints) < fullSlice && len(p.order) > 0 {
		p.move(p.order[0], s)
		p.order = p.order[1:]
	}
}

// move puts an endpoint into a slice, if it is left.
func (p *pool) move(pod types.UID, s *discoveryv1.EndpointSlice) {
	if e, left := p.left[pod]; left {
		s.Endpoints = append(s.Endpoints, e)
		delete(p.left, pod)
	}
}
