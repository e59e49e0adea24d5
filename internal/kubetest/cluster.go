// Package kubetest is the fixture that the chapters' tests share: a cluster
// whose time is that of a testing/synctest bubble, that goes one step at a time
// or all at once, and in which anything can be made to fail.
//
//	cluster.go   a store, a system of controllers over it, and nodes
//	nodes.go     nodes, and the machines of their kubelets
//	drive.go     Settle, Advance, Run
//	objects.go   builders, and a user's commands
//	manifest.go  the objects of a manifest
//	programs.go  programs for the nodes' containers
//	events.go    the events that the controllers record
//	writes.go    every write, and the invariants that hold at each
//	faults.go    a client that crashes, fails, hears late, and loses connections
//	             and answers
//	lose.go      an event that never reaches a queue
//	story.go     a story, told again while something goes wrong
//	attacks.go   the things that go wrong
//	shape.go     two states compared, but for names and times
//	histories.go lives that chance writes
//	contract.go  what controllers may rely on, tried on any client
//	lanes.go     every Pod's life during an update, as figures have it
//	recorded.go  runs that pages show
//	look.go      records of clusters, to look into
//	main.go      the tests of a chapter
//	mutation.go  changes of objects that are shared
//	locks.go     functions that wait for a lock
//	opened.go    files that a test leaves open
//	pipes.go     connections in a bubble, where there is no network
//	real.go      tests of what really runs on this machine
//	cpu.go       what a function costs
package kubetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/chapters/01-control-loop/simulated"
	"reconcile/internal/trace"
	"reconcile/internal/wake"
)

// Controller makes a controller part of a system: controlloop.NewReplication.
type Controller = func(*controlloop.System) *controlloop.Controller

// OfNode makes a controller of a node part of a system: kubelet.New.
type OfNode = func(*controlloop.System, kubelet.Machine) *controlloop.Controller

// Setup describes a cluster. The zero value is a store without nodes and
// controllers.
type Setup struct {
	Kinds       controlloop.Kinds // the zero value: controlloop.CoreKinds
	Controllers []Controller      // besides those of the nodes
	Nodes       int               // each with a runtime of its own
	PerNode     []OfNode          // nil: FirstCome and Kubelet
	NodeObjects bool              // whether the nodes are in the store, too
	Images      simulated.Images
	// Namespace is that of objects that name none, in commands of the test; "":
	// default. A controller that assumes that one is found out by another.
	Namespace string
	// Volumes returns the volumes that a node's kubelet mounts; nil:
	// kubelet.NoVolumes.
	Volumes func(s *controlloop.System, node string) kubelet.Volumes

	Seed       uint64 // of the order of steps; 0: the first key first
	Options    []controlloop.Option
	Trace      controlloop.Tracer
	Invariants []Invariant

	// DetectMutations compares every object with a copy: those in the store
	// after every step, and all that ever were in it at the end.
	DetectMutations bool
}

// Cluster is a store and all that acts on it. Use it inside a bubble.
type Cluster struct {
	Store  *controlloop.Store // for the test itself
	Client *Faults            // for the controllers
	System *controlloop.System
	Nodes  []*Node
	// Network connects to the Pods of all nodes: for them, and for the test.
	Network simulated.PodNetwork

	t           testing.TB
	setup       Setup
	images      *images // of all nodes
	controllers map[string]*controlloop.Controller
	reconcilers map[string]controlloop.Reconciler // of the controllers
	choose      func(n int) int
	started     time.Time
	wake        wake.Signal // something happened
	stop        func()      // ends Run; nil: not running
	stepping    bool        // one of the controllers is
	last        string      // the reconcile that came last
	loop        string      // whose it was
	crashed     bool

	writes   record
	telling  sync.Mutex // guards events and failures
	events   []string
	failures []error // of controllers and informers
	detector *detector
	lost     lost
	look     *trace.Recorder // nil: nobody looks
}

// Node is a machine: its containers outlive the cluster's controllers.
type Node struct {
	Name    string
	Runtime *simulated.Runtime
}

// New returns a cluster in which nothing has happened yet. It is taken down
// when the bubble ends.
func New(t testing.TB, setup Setup) *Cluster {
	if len(setup.Kinds.All()) == 0 {
		setup.Kinds = controlloop.CoreKinds()
	}
	if setup.Namespace == "" {
		setup.Namespace = metav1.NamespaceDefault
	}
	if setup.PerNode == nil {
		setup.PerNode = []OfNode{FirstCome, kubelet.New}
	}
	c := &Cluster{
		t: t, setup: setup, choose: controlloop.InOrder, started: time.Now(),
		wake: wake.New(), images: newImages(setup.Images),
	}
	if setup.Seed != 0 {
		c.choose = rand.New(rand.NewPCG(setup.Seed, 0)).IntN
	}
	if setup.DetectMutations {
		c.detector = &detector{}
	}
	c.record()
	options := append(setup.Options, controlloop.OnWrite(c.wrote))
	c.Store = controlloop.NewStore(setup.Kinds, options...)
	c.Client = NewFaults(c.Store)
	c.Client.arrived, c.Client.told = c.wake.Send, c.told
	for n := range setup.Nodes {
		c.Nodes = append(c.Nodes, &Node{
			Name: fmt.Sprintf("node-%d", n+1),
			Runtime: simulated.New(
				fmt.Sprintf("10.244.%d", n+1), c.images),
		})
	}
	for _, node := range c.Nodes {
		c.Network = append(c.Network, node.Runtime)
	}
	for _, node := range c.Nodes {
		node.Runtime.Network = c.Network
	}
	if setup.NodeObjects {
		c.register()
	}
	c.Restart()
	t.Cleanup(c.takeDown)
	return c
}

// Restart puts new controllers with empty caches and empty memories in the
// place of the old ones. Store, nodes and their containers stay as they are.
func (c *Cluster) Restart() {
	c.Stop()
	if c.System != nil {
		c.told("", "restart", "all loops start again, with empty caches and memories")
	}
	c.crashed = false
	c.Client.Repair()
	c.System = &controlloop.System{
		Client: c.Client, Trace: c.trace, Recorder: c.recorder,
	}
	if c.look != nil {
		c.System.Client = c.look.Client(c.Client, c.setup.Kinds)
	}
	c.controllers = map[string]*controlloop.Controller{}
	c.reconcilers = map[string]controlloop.Reconciler{}
	for _, controller := range c.setup.Controllers {
		c.add(controller(c.System))
	}
	machines := make([]kubelet.Machine, len(c.Nodes))
	for i, node := range c.Nodes {
		machines[i] = c.machine(node)
	}
	for _, controller := range c.setup.PerNode {
		for _, machine := range machines {
			c.add(controller(c.System, machine))
		}
	}
}

func (c *Cluster) add(controller *controlloop.Controller) {
	controller.OnError = func(_ controlloop.Key, err error) { c.failed(err) }
	c.controllers[controller.Name] = controller
	c.reconcilers[controller.Name] = controller.Reconciler
	if c.look != nil {
		c.look.Loop(controller)
	}
}

// Controller returns the controller of that name: "replication",
// "placement node-1", "kubelet node-1".
func (c *Cluster) Controller(name string) *controlloop.Controller {
	controller := c.controllers[name]
	if controller == nil {
		c.t.Fatalf("kubetest: there is no controller %q", name)
	}
	return controller
}

// Reconciler returns that of a controller, as the controller was made with it.
func (c *Cluster) Reconciler(name string) controlloop.Reconciler {
	c.Controller(name) // there is one
	return c.reconcilers[name]
}

// failed notes an error of a controller or an informer.
func (c *Cluster) failed(err error) {
	c.telling.Lock()
	defer c.telling.Unlock()
	c.failures = append(c.failures, err)
}

// Told reports whether a controller, by its OnError, the step of an informer, or an
// event of a kubelet has reported err.
func (c *Cluster) Told(err error) bool {
	c.telling.Lock()
	defer c.telling.Unlock()
	return slices.ContainsFunc(c.failures, func(told error) bool {
		return errors.Is(told, err)
	}) || slices.ContainsFunc(c.events, func(told string) bool {
		return strings.Contains(told, err.Error())
	})
}

// Resync reminds all controllers of all objects.
func (c *Cluster) Resync() {
	for _, kind := range c.Store.Kinds().All() {
		c.System.Informer(kind.GroupVersionKind, controlloop.ListOptions{}).Resync()
	}
	onNodes := []string{""} // placement looks at Pods that are on none
	for _, node := range c.Nodes {
		onNodes = append(onNodes, node.Name)
	}
	for _, node := range onNodes {
		c.System.Informer(controlloop.PodKind, controlloop.ListOptions{
			Fields: fields.OneTermEqualSelector("spec.nodeName", node),
		}).Resync()
	}
}

// takeDown ends all goroutines, so that the bubble can end.
func (c *Cluster) takeDown() {
	c.Stop()
	c.leaveRecord()
	c.checkMutations("somebody, at some time,", (*detector).ever)
	for _, node := range c.Nodes {
		for _, sandbox := range node.Runtime.Sandboxes() {
			node.Runtime.Remove(c.t.Context(), sandbox.UID)
		}
	}
}

// trace gets every step of the controllers.
func (c *Cluster) trace(s controlloop.Step) {
	if c.stop == nil { // all in one goroutine
		if s.Action == "reconcile" {
			c.loop = s.Lane
			c.last = fmt.Sprintf("%s's Reconcile(%s)", s.Lane, s.Key)
		}
		c.lost.step(c, s)
	}
	if c.look != nil && c.lost.controller == nil { // the key that is lost comes nowhere
		c.look.Step(s)
	}
	if c.setup.Trace != nil {
		c.setup.Trace(s)
	}
}

// Elapsed returns how much time has passed since the cluster was made.
func (c *Cluster) Elapsed() time.Duration { return time.Since(c.started) }
