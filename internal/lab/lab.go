package lab

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	rollingupdate "reconcile/chapters/03-rolling-update"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
	"reconcile/internal/apiserver"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/events"
	"reconcile/internal/images"
	"reconcile/internal/lab/snapshot"
	"reconcile/internal/trace"
)

// Options say what a lab is made of. The zero value has every controller, and
// no node.
type Options struct {
	Nodes       int
	Controllers []string        // as Choose reads them; nil: all
	With        []string        // of Extras
	Seed        uint64          // of uids and generated names; 0 is 1
	Folder      string          // where volumes are; "": one that goes with Close
	PerNode     []OfNode        // controllers of each node; nil: a kubelet, and its heartbeat
	Placement   []OfCluster     // which give Pods to nodes; nil: the scheduler
	Token       string          // that requests must carry; "": any client may ask
	Others      []string        // controllers whose place another program takes, as Names has them
	State       *snapshot.State // what another lab left; nil: a new cluster
	Pace        time.Duration   // that a container takes to start
	Hardware    Hardware        // what machines are; nil: simulated

	// Scenes put these between the parts. All may be nil.
	StoreOptions []controlloop.Option
	Client       func(*controlloop.Store) controlloop.Client // of controllers
	Runtime      func(node string, r kubelet.Runtime) kubelet.Runtime
	Trace        controlloop.Tracer
}

// OfNode makes a controller of a node part of a system: kubelet.New.
type OfNode = func(*controlloop.System, kubelet.Machine) *controlloop.Controller

// OfCluster makes a controller part of a system: deployment.NewReplicaSets.
type OfCluster = func(*controlloop.System) *controlloop.Controller

// MaxNodes is how many nodes fit into the addresses of Pods, 10.244.0.0/16.
const MaxNodes = 254

// Lab is a control plane and its nodes.
type Lab struct {
	Store    *controlloop.Store
	Handler  http.Handler     // the API
	Machines *images.Machines // without nodes where Hardware is other
	Journal  *events.Journal
	Look     *trace.Recorder // records while somebody looks
	// System is of all controllers, in a fixed order, but for those of machines
	// that were switched on since. Step is for all of them.
	System *controlloop.System

	opts       Options
	hardware   Hardware
	compaction *compaction
	chosen     []controller
	parts      parts
	client     controlloop.Client   // of controllers
	folder     string               // of volumes; "": there is none
	proxy      *rollingupdate.Proxy // the same table on every node
	zone       *statefulset.Zone    // the addresses of names

	mu          sync.Mutex // of what follows, and of all that is in it
	nodes       []*node
	controllers map[string]*controlloop.Controller
	provisioner *controlloop.Controller                      // nil: no node mounts volumes
	revived     []*controlloop.System                        // of controllers that crashed alone
	makers      map[string]func(*controlloop.System)         // of those that can
	begin       func(*controlloop.System) context.CancelFunc // runs one; nil: nothing runs

	lanes sync.Map // of traces: the *node whose controllers they are
}

// New returns a lab in which nothing has happened yet, except that its cluster
// holds what every cluster does.
func New(opts Options) (*Lab, error) {
	chosen, parts, err := opts.chosen()
	if err != nil {
		return nil, err
	}
	l := &Lab{opts: opts, chosen: chosen, parts: parts, Machines: images.New(), Look: trace.New()}
	l.Look.List, l.Look.Restart = l.objects, l.revive
	l.hardware = opts.Hardware
	if l.hardware == nil {
		l.hardware = inMemory{l.Machines, l.Look.Dialled}
	}
	switch {
	case l.isAnothers(SchedulerName):
		l.opts.Placement = nil
	case opts.Placement == nil:
		l.opts.Placement = []OfCluster{parts.scheduler()}
	}
	if opts.PerNode == nil {
		l.opts.PerNode = []OfNode{l.kubelet, l.heartbeat}
	}
	l.serve()
	if err := l.build(context.Background()); err != nil {
		l.Close()
		return nil, err
	}
	l.Restart()
	return l, nil
}

// chosen returns the controllers that shall run and what else the lab is made of,
// or what is wrong with the options.
func (o Options) chosen() ([]controller, parts, error) {
	chosen, err := Choose(o.Controllers)
	p, wrong := with(o.With)
	if err := cmp.Or(err, wrong); err != nil {
		return nil, p, err
	}
	if o.Nodes < 0 || o.Nodes > MaxNodes {
		return nil, p, fmt.Errorf(
			"%d nodes: a lab has between 0 and %d", o.Nodes, MaxNodes)
	}
	p.replace(chosen)
	return chosen, p, nil
}

// serve makes the store and the API.
func (l *Lab) serve() {
	l.compaction = newCompaction()
	l.Store = controlloop.NewStore(kinds.Store(kinds.All()), append(l.opts.storeOptions(),
		controlloop.WithTrace(l.opts.Trace),
		controlloop.OnWrite(l.compaction.wrote), controlloop.OnWrite(l.Look.Wrote))...)
	l.compaction.store = l.Store
	l.client = l.Look.Client(plugged{admitted{l.rawClient(), l.Store, new(sync.Mutex)}}, l.Store.Kinds())
	l.Journal = events.NewJournal(l.client)
	l.Handler = l.Look.Requests(apiserver.New(l.Store, apiserver.Options{
		Kinds: kinds.All(), Containers: l.hardware, Token: l.opts.Token,
		Idle: l.Idle(), Lacks: l.lacks, Lab: l.operator(),
	}))
}

// build makes the machines and their network, and the objects that every
// cluster holds.
func (l *Lab) build(ctx context.Context) error {
	if err := l.makeFolder(l.opts.Nodes); err != nil {
		return err
	}
	for n := 1; n <= l.opts.Nodes; n++ {
		machine, err := l.newMachine(n)
		if err != nil {
			return err
		}
		l.nodes = append(l.nodes, machine)
	}
	if err := l.furnish(ctx); err != nil {
		return fmt.Errorf("furnish the cluster: %w", err)
	}
	l.Machines.SetPace(l.opts.Pace)
	l.Machines.SetNodePorts(l.behind)
	l.proxy = &rollingupdate.Proxy{
		Delay: proxyDelay, Choose: rollingupdate.InTurn(),
	}
	l.hardware.Connect(l.proxy)
	return nil
}

func (o Options) storeOptions() []controlloop.Option {
	seed := max(o.Seed, 1)
	var all []controlloop.Option
	if o.State == nil {
		all = append(all, controlloop.WithObjects(1, founding(o.Nodes)...))
	} else {
		// Another life of the cluster: uids and names that were never given.
		seed += o.State.Version
		all = append(all,
			controlloop.WithObjects(o.State.Version, o.State.Objects...))
	}
	all = append(all,
		controlloop.WithSeed(seed),
		controlloop.WithHistory(history))
	return append(all, o.StoreOptions...)
}

// history is how many events of each kind a watch can go back, if they are not
// too old or too large: enough for a client that was away while ten thousand Pods
// were made.
const history = 20_000

// proxyDelay is how long after a change of a Service connections to its address
// follow it: as in chapter 3.
const proxyDelay = 500 * time.Millisecond

func (l *Lab) rawClient() controlloop.Client {
	if l.opts.Client == nil {
		return l.Store
	}
	return l.opts.Client(l.Store)
}

// makeFolder makes a folder for volumes, if there are nodes to mount them. Its
// contents, Secrets too, are not for other users of this machine.
func (l *Lab) makeFolder(nodes int) (err error) {
	switch {
	case nodes == 0 || l.folder != "":
	case l.opts.Folder == "":
		l.folder, err = os.MkdirTemp("", "reconcile-")
	default:
		l.folder = l.opts.Folder
		err = os.MkdirAll(l.folder, 0o700)
	}
	return err
}

// Restart puts new controllers with empty caches and empty memories in the
// place of the old ones, in a new System. Store, nodes and their containers
// stay as they are. The old System must have been stopped.
func (l *Lab) Restart() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.System = l.newSystem()
	l.controllers = map[string]*controlloop.Controller{}
	l.makers = map[string]func(*controlloop.System){}
	l.provisioner, l.revived = nil, nil
	for _, c := range l.chosen {
		if !l.isAnothers(c.name) {
			l.join(c.add, c.name)
		}
	}
	l.join(newExpiry)
	if l.folder != "" {
		l.addProvisioner(l.System)
	}
	l.join(func(s *controlloop.System) *controlloop.Controller { return rollingupdate.NewProxy(s, l.proxy) })
	l.zone = statefulset.NewZone(l.System, domain)
	l.hardware.Ask(l.zone)
	for _, placement := range l.opts.Placement {
		l.join(placement)
	}
	for _, besides := range l.parts.besides {
		if add := besides(l); add != nil {
			l.join(add)
		}
	}
	for _, n := range l.nodes {
		n.system, n.end = nil, nil
	}
	l.equip(l.System, l.nodes...)
}

// newSystem returns a System without controllers.
func (l *Lab) newSystem() *controlloop.System {
	return &controlloop.System{
		Client: l.client, Trace: l.trace(), Recorder: l.recorder,
	}
}

func (l *Lab) addProvisioner(s *controlloop.System) {
	l.provisioner = storage.NewProvisioner(s, storage.Driver, l.parts.disks(l.folder))
	l.add(l.provisioner)
}

// Controller returns the controller of a name, its own or
// kube-controller-manager's, or nil if it does not run here.
func (l *Lab) Controller(name string) *controlloop.Controller {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.controllers[name]; c != nil {
		return c
	}
	if c, ok := named(name); ok {
		return l.controllers[c.name]
	}
	return nil
}

// domain is what the names of a cluster end with.
const domain = "cluster.local"

// Names returns the zone that answers for the names of the cluster.
func (l *Lab) Names() *statefulset.Zone { return l.zone }

// Close kills whatever runs in the nodes' containers, and removes the folder of
// the volumes if it is the lab's own. The controllers must have been stopped.
func (l *Lab) Close() {
	for _, n := range l.nodes {
		removeAll(n.runtime)
	}
	if l.opts.Folder == "" {
		_ = os.RemoveAll(l.folder) // of a temporary folder something may stay
	}
}

func removeAll(runtime kubelet.Runtime) {
	for _, sandbox := range runtime.Sandboxes() {
		// The simulated runtime has no reason to refuse.
		_ = runtime.Remove(context.Background(), sandbox.UID)
	}
}
