package lab

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	rollingupdate "reconcile/chapters/03-rolling-update"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
	nodes "reconcile/chapters/06-daemonset/node"
	greeting "reconcile/chapters/07-mysql-cluster/exercises/7m"
	"reconcile/internal/images"
	"reconcile/internal/lab/hooks"
	"reconcile/internal/variables"
)

// Elsewhere is a controller of the lab that is to run on another cluster.
type Elsewhere struct {
	Name string // kube-controller-manager's, or "scheduler"
	Add  OfCluster
}

// GreetingName is what exercise 7m's controller is called there. It is none of
// Kubernetes'.
const GreetingName = "greeting"

// Elsewhere returns the controllers that the options choose by their names, with
// the scheduler and that of Greetings if they are named. They publish ca as the certificate of the
// API server.
func (o Options) Elsewhere(ca string) ([]Elsewhere, error) {
	schedules := slices.Contains(o.Controllers, SchedulerName)
	greets := slices.Contains(o.Controllers, GreetingName)
	o.Controllers = slices.DeleteFunc(slices.Clone(o.Controllers),
		func(name string) bool { return name == SchedulerName || name == GreetingName })
	chosen, parts, err := o.chosen()
	if err != nil {
		return nil, err
	}
	for _, name := range o.With {
		if x, _ := extraOf(name); !x.elsewhere {
			return nil, fmt.Errorf("only a lab can be had with %s", name)
		}
	}
	var all []Elsewhere
	for _, c := range chosen {
		if c.name == "root-ca-certificate-publisher-controller" {
			c.add = rootCAs(ca)
		}
		all = append(all, Elsewhere{c.name, c.add})
	}
	if schedules {
		all = append(all, Elsewhere{SchedulerName, parts.scheduler()})
	}
	if greets {
		all = append(all, Elsewhere{GreetingName, greeting.New})
	}
	return all, nil
}

// Named returns kube-controller-manager's name of a controller that is called so,
// and reports whether there is one.
func Named(name string) (string, bool) {
	c, ok := named(name)
	return c.name, ok
}

// Fleet is a number of simulated machines that are nodes of another cluster:
// kubelets, their heartbeats, what Services and names lead to from their
// containers, and the disks of chapter 5's driver.
type Fleet struct {
	system   *controlloop.System
	folder   string // of volumes
	machines *images.Machines
	services *controlloop.Indexer
	runtimes []kubelet.Runtime
}

// NewFleet returns one without machines.
func NewFleet(s *controlloop.System, folder string) *Fleet {
	f := &Fleet{system: s, folder: folder, machines: images.New()}
	proxy := &rollingupdate.Proxy{Delay: proxyDelay, Choose: rollingupdate.InTurn()}
	hardware := inMemory{Machines: f.machines}
	hardware.Connect(proxy)
	rollingupdate.NewProxy(s, proxy)
	hardware.Ask(statefulset.NewZone(s, domain))
	storage.NewProvisioner(s, storage.Driver, storage.Folders(folder))
	f.services = s.Informer(rollingupdate.ServiceKind, controlloop.ListOptions{}).Cache
	return f
}

// Add adds the n-th machine, whose Pods' addresses begin with subnet, and returns
// its Node, which is to be registered.
func (f *Fleet) Add(n int, name, subnet string) *corev1.Node {
	s, client := f.system, f.system.Client
	runtime := hooks.New(f.machines.Runtime(name, subnet),
		s.RecorderFor("kubelet", name),
		func(ctx context.Context, pod *corev1.Pod) bool {
			return isEnding(ctx, client, pod)
		})
	f.runtimes = append(f.runtimes, runtime)
	machine := kubelet.Machine{
		Node: name, Runtime: runtime, Volumes: storage.NewMounts(s, name, f.folder),
		Resolve:   variables.From(client).WithServices(f.servicesOf).Resolve,
		PostStart: runtime.PostStart,
		Admit: func(
			ctx context.Context, pod *corev1.Pod, others []*corev1.Pod,
		) (string, string) {
			return admit(ctx, client, pod, others)
		},
	}
	kubelet.New(s, machine)
	nodes.NewHeartbeat(s, machine)
	return nodeOf(n, name, inMemory{}.Plate())
}

// servicesOf returns the Services of a namespace, or of all.
func (f *Fleet) servicesOf(namespace string) (all []*corev1.Service) {
	for _, obj := range f.services.List() {
		if namespace == "" || obj.GetNamespace() == namespace {
			all = append(all, obj.(*corev1.Service))
		}
	}
	return all
}

// Close ends all containers. The System must have been stopped.
func (f *Fleet) Close() {
	for _, runtime := range f.runtimes {
		removeAll(runtime)
	}
}
