package lab

import (
	"maps"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/resource"

	controlloop "reconcile/chapters/01-control-loop"
)

// load is what a Pod takes of a node, or what all of a node's do.
type load struct {
	pods, cpu, memory int64 // CPU in thousandths
	ports             map[hostPort]int
}

type hostPort struct {
	ip       string // "" is all
	protocol corev1.Protocol
	port     int32
}

func loadOf(pod *corev1.Pod) load {
	l := load{pods: 1}
	requests := resource.PodRequests(pod, resource.PodResourcesOptions{})
	l.cpu, l.memory = requests.Cpu().MilliValue(), requests.Memory().Value()
	for _, c := range pod.Spec.Containers {
		for _, p := range c.Ports {
			if p.HostPort == 0 {
				continue
			}
			at := hostPort{p.HostIP, p.Protocol, p.HostPort}
			if at.ip == "0.0.0.0" {
				at.ip = ""
			}
			if l.ports == nil {
				l.ports = map[hostPort]int{}
			}
			l.ports[at]++
		}
	}
	return l
}

// add adds so many times what another load is: 1 or -1.
func (l *load) add(other load, times int64) {
	l.pods += times * other.pods
	l.cpu += times * other.cpu
	l.memory += times * other.memory
	for port, n := range other.ports {
		if l.ports == nil {
			l.ports = map[hostPort]int{}
		}
		if l.ports[port] += int(times) * n; l.ports[port] == 0 {
			delete(l.ports, port)
		}
	}
}

// loads are those of all nodes.
type loads struct {
	mu    sync.Mutex
	pods  map[types.UID]placed
	nodes map[string]*load
}

type placed struct {
	node string
	load load
}

func newLoads() *loads {
	return &loads{pods: map[types.UID]placed{}, nodes: map[string]*load{}}
}

// of returns the load of a node.
func (l *loads) of(node string) load {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.nodes[node] == nil {
		return load{}
	}
	has := *l.nodes[node]
	has.ports = maps.Clone(has.ports)
	return has
}

// put counts a Pod that has a node, unless it has ended. A Pod without one may
// be news from before it had: it changes nothing.
func (l *loads) put(pod *corev1.Pod) {
	if pod.Spec.NodeName == "" {
		return
	}
	if controlloop.HasEnded(pod) {
		l.drop(pod)
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, counted := l.pods[pod.UID]; counted {
		return
	}
	p := placed{pod.Spec.NodeName, loadOf(pod)}
	l.pods[pod.UID] = p
	if l.nodes[p.node] == nil {
		l.nodes[p.node] = &load{}
	}
	l.nodes[p.node].add(p.load, 1)
}

func (l *loads) drop(pod *corev1.Pod) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p, counted := l.pods[pod.UID]; counted {
		l.nodes[p.node].add(p.load, -1)
		delete(l.pods, pod.UID)
	}
}
