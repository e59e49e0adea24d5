package lab

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/chapters/01-control-loop/kubelet"
	"reconcile/internal/lab/hooks"
	"reconcile/internal/trace"
)

// node is a machine: its containers outlive the lab's controllers.
type node struct {
	number  int
	name    string
	runtime kubelet.Runtime
	hooks   *hooks.Runtime // at the bottom of it

	state state
	boots int         // how often it was switched on again
	mute  atomic.Bool // it is not on: the events and traces of its controllers are lost

	plugs  []*plug             // of its controllers
	system *controlloop.System // theirs alone; nil: they are in the lab's
	end    context.CancelFunc  // ends that, if it runs
}

// state says whether a machine can be heard of.
type state int

const (
	on state = iota
	cut
	off
)

// newMachine returns a machine that is on, and has no Node yet.
func (l *Lab) newMachine(number int) (*node, error) {
	n := &node{number: number, name: nodeName(number)}
	runtime, err := l.hardware.Add(
		n.name, fmt.Sprintf("10.244.%d", number), nodeAddress(number))
	if err != nil {
		return nil, fmt.Errorf("set %s up: %w", n.name, err)
	}
	kubelet := corev1.EventSource{Component: "kubelet", Host: n.name}
	n.hooks = hooks.New(
		networked{runtime, func() error { return l.network(n.name) }},
		machineRecorder{l.Journal.Recorder(kubelet), n.mute.Load}, l.isEnding)
	n.runtime = n.hooks
	if l.opts.Runtime != nil {
		n.runtime = l.opts.Runtime(n.name, n.runtime)
	}
	return n, nil
}

// equip makes the controllers of machines part of a system. Machines that are
// off have none. l.mu is held, here and below.
func (l *Lab) equip(s *controlloop.System, nodes ...*node) {
	nodes = slices.DeleteFunc(slices.Clone(nodes),
		func(n *node) bool { return n.state == off })
	machines := make([]kubelet.Machine, len(nodes))
	for i, n := range nodes {
		machines[i], n.plugs = l.machine(s, n), nil
	}
	for _, controller := range l.opts.PerNode {
		for i, n := range nodes {
			c := controller(s, machines[i])
			l.plug(c, n)
			l.makers[c.Name] = func(s *controlloop.System) { l.plug(controller(s, l.machine(s, n)), n) }
		}
	}
}

// plug makes a controller one of a machine.
func (l *Lab) plug(c *controlloop.Controller, n *node) {
	l.add(c)
	n.plugs = append(n.plugs, plugIn(c, n.state == cut))
	l.lanes.Store(c.Name, n)
	l.lanes.Store(c.Name+" queue", n)
}

// AddNode adds a new machine, whose Node is registered and whose controllers
// run from now on, and returns its name.
func (l *Lab) AddNode() (name string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.nodes) == MaxNodes {
		return "", refusedf("a lab has %d machines at most", MaxNodes)
	}
	if err := l.makeFolder(1); err != nil {
		return "", err
	}
	n, err := l.newMachine(len(l.nodes) + 1)
	if err != nil {
		return "", err
	}
	if err := l.register(context.Background(), n); err != nil {
		return "", err
	}
	l.nodes = append(l.nodes, n)
	l.switchOn(n)
	return n.name, nil
}

// switchOn gives a machine controllers that know nothing, in a System of their
// own: a System that runs takes no more.
func (l *Lab) switchOn(n *node) {
	n.system = l.newSystem()
	if l.provisioner == nil {
		l.addProvisioner(n.system)
	}
	l.equip(n.system, n)
	if l.begin != nil {
		n.end = l.begin(n.system)
	}
}

// Cut takes a machine's network cable out. Its containers go on; nothing that
// its controllers do or say reaches the API, and no client elsewhere reaches
// its Pods.
func (l *Lab) Cut(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.known(name)
	switch {
	case err != nil:
		return err
	case n.state == cut:
		return refusedf("%s is cut off already", name)
	case n.state == off:
		return refusedf("%s is switched off", name)
	}
	n.state = cut
	l.Look.Told(name, "cut", "its network cable is out")
	n.mute.Store(true)
	for _, p := range n.plugs {
		p.pull()
	}
	return l.hardware.Cut(name)
}

// Stop switches a machine off: it is cut, and all that runs on it is gone. Its
// disks keep their data.
func (l *Lab) Stop(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	n, err := l.known(name)
	switch {
	case err != nil:
		return err
	case n.state == off:
		return refusedf("%s is switched off already", name)
	}
	n.state = off
	l.Look.Told(name, "stop", "switched off")
	n.mute.Store(true)
	for _, p := range n.plugs {
		p.end()
	}
	if n.end != nil {
		n.end()
	}
	n.plugs, n.system, n.end = nil, nil, nil
	return l.hardware.Stop(name)
}

// Start brings a machine back. One that was cut off hears of the changes made
// meanwhile; one that was off starts its Pods' containers anew. One that has
// lost its Node registers again, as a kubelet does when it starts and at no
// other time.
func (l *Lab) Start(name string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	ctx := context.Background()
	n, err := l.known(name)
	if err != nil {
		return err
	}
	switch n.state {
	case off:
		return l.boot(ctx, n)
	case cut:
		if err := l.registerIfGone(ctx, n); err != nil &&
			!apierrors.IsAlreadyExists(err) {
			return err
		}
		return l.mend(n)
	}
	if err := l.registerIfGone(ctx, n); apierrors.IsAlreadyExists(err) {
		return refusedf("%s is running already", name)
	} else if err != nil {
		return err
	}
	return nil
}

// boot starts a machine that was off.
func (l *Lab) boot(ctx context.Context, n *node) error {
	n.boots++
	if err := l.register(ctx, n); err != nil {
		return err
	}
	if err := l.mend(n); err != nil {
		return err
	}
	l.recorder(corev1.EventSource{Component: "kubelet", Host: n.name}).Eventf(
		&corev1.ObjectReference{Kind: "Node", Name: n.name, UID: types.UID(n.name)},
		corev1.EventTypeWarning, "Rebooted",
		"Node %s has been rebooted, boot id: %s", n.name, n.bootID())
	l.switchOn(n)
	return nil
}

// mend connects a machine again.
func (l *Lab) mend(n *node) error {
	n.state = on
	l.Look.Told(n.name, "start", "back again")
	n.mute.Store(false)
	for _, p := range n.plugs {
		p.push()
	}
	return l.hardware.Mend(n.name)
}

// registerIfGone registers the Node of a machine. It returns AlreadyExists if
// the Node is there.
func (l *Lab) registerIfGone(ctx context.Context, n *node) error {
	_, err := l.Store.Create(ctx, l.newNode(n))
	return err
}

func (l *Lab) known(name string) (*node, error) {
	at := slices.IndexFunc(l.nodes, func(n *node) bool { return n.name == name })
	if at < 0 {
		return nil, refusedf("there is no machine %q; there %s",
			name, l.names())
	}
	return l.nodes[at], nil
}

func (l *Lab) names() string {
	switch len(l.nodes) {
	case 0:
		return "is none"
	case 1:
		return "is " + l.nodes[0].name
	}
	return "are " + l.nodes[0].name + " to " + l.nodes[len(l.nodes)-1].name
}

func refusedf(format string, args ...any) error {
	return trace.Refused{Why: fmt.Sprintf(format, args...)}
}

// recorder returns the recorder of a source of events. One that has a host is
// that machine's.
func (l *Lab) recorder(source corev1.EventSource) controlloop.Recorder {
	r := l.Journal.Recorder(source)
	if n, err := l.known(source.Host); err == nil {
		return machineRecorder{r, n.mute.Load}
	}
	return r
}

// trace passes steps on to the lab's tracer, except those of controllers whose
// machine is cut off.
func (l *Lab) trace() controlloop.Tracer {
	return func(s controlloop.Step) {
		if n, ok := l.lanes.Load(s.Lane); !ok || !n.(*node).mute.Load() {
			l.traces(s)
		}
	}
}
