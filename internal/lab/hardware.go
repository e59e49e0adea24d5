package lab

import (
	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	rollingupdate "reconcile/chapters/03-rolling-update"
	statefulset "reconcile/chapters/04-statefulset"
	"reconcile/internal/apiserver/streams"
	"reconcile/internal/images"
)

// Hardware makes machines, runs their containers, and has the network between
// them.
type Hardware interface {
	streams.Containers
	// Plate returns what stands on each of them.
	Plate() Plate
	// Add returns the runtime of another machine, whose Pods' addresses are in
	// subnet: "10.244.1".
	Add(name, subnet, address string) (kubelet.Runtime, error)
	// Cut takes a machine's network cable out; Stop switches it off as well;
	// Mend undoes either.
	Cut(name string) error
	Stop(name string) error
	Mend(name string) error
	// Connect makes Pods reach Services by the table of a Proxy.
	Connect(*rollingupdate.Proxy)
	// Ask makes Pods ask a Zone for names, in place of the one that was given
	// before.
	Ask(*statefulset.Zone)
}

// Plate is what a Node says of its machine.
type Plate struct{ Kernel, System, Runtime, Architecture string }

// inMemory are simulated machines.
type inMemory struct {
	*images.Machines
	dialled func(from, to, pod string, err error) // tells of each connection; may be nil
}

// Plate implements Hardware.
func (inMemory) Plate() Plate {
	return Plate{
		Kernel: "6.12.0-reconcile", System: "Reconcile (simulated)",
		Runtime: "simulated://1.0", Architecture: "amd64",
	}
}

// Add implements Hardware.
func (s inMemory) Add(
	name, subnet, address string,
) (kubelet.Runtime, error) {
	r := s.Runtime(name, subnet)
	s.SetAddress(name, address)
	return r, nil
}

// Cut implements Hardware.
func (s inMemory) Cut(name string) error {
	s.Machines.Cut(name)
	return nil
}

// Stop implements Hardware.
func (s inMemory) Stop(name string) error {
	s.Machines.Stop(name)
	return nil
}

// Mend implements Hardware.
func (s inMemory) Mend(name string) error {
	s.Machines.Mend(name)
	return nil
}

// Connect implements Hardware.
func (s inMemory) Connect(p *rollingupdate.Proxy) {
	all := &sessions{
		proxy: p, pods: s.Pods(), services: map[controlloop.Key]*affine{}, dialled: s.dialled}
	p.Pods, p.Tell = all, all.updateService
	s.SetNetwork(marked{all})
}

// Ask implements Hardware.
func (s inMemory) Ask(z *statefulset.Zone) {
	s.SetNames(func(pod *corev1.Pod) simulated.Resolver { return resolverOf(z, pod) })
}
