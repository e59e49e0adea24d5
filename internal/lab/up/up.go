package up

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	controlloop "reconcile/chapters/01-control-loop"
	"reconcile/internal/apiserver/kinds"
	"reconcile/internal/httpserve"
	"reconcile/internal/lab"
	"reconcile/internal/lab/snapshot"
)

// Options hold what the user of `lab up` asks for.
type Options struct {
	Nodes       int
	Controllers []string // as lab.Choose reads them
	With        []string // of lab.Extras
	Runtime     string   // of Runtimes; "": the simulated one
	Images      string   // the source of a real one's; "": DefaultImages
	Seed        uint64
	Pace        time.Duration // that a container takes to start

	Address string // an IP address
	Port    int    // 0: any that is free
	DNSPort int    // of the cluster's names, likewise
	Token   string // that clients need; "": one that only the kubeconfig has
	// OpenDoor lets all clients on this machine in, without a token and TLS.
	OpenDoor bool
	Open     bool // the page, in a browser

	Kubeconfig string // "": lab.Kubeconfig
	Snapshot   string // a file; "": the state ends with the process
	Trace      string // a file for what happens; "": none

	Kubectl  string    // the command that is kubectl without an installed one
	Node     string    // the command that switches machines off and on
	Out, Err io.Writer // what happens; warnings
}

// Run runs a lab until ctx ends. If its start fails, it fails before anything
// has been touched that was there before. If ctx ends in the midst of that,
// the error may be ctx's.
func Run(ctx context.Context, opts Options) (err error) {
	var stops undo
	defer func() { err = errors.Join(err, stops.run()) }()

	if err := opts.check(); err != nil {
		return err
	}
	ports, err := openPorts(opts)
	if err != nil {
		return err
	}
	stops.add(ports.close)
	if WantsRoom(opts) {
		return enterRoom(ctx, opts, ports)
	}

	if opts.Token == "" && !opts.OpenDoor {
		opts.Token = httpserve.NewToken()
	}
	config, err := holdKubeconfig(opts.Kubeconfig)
	if err != nil {
		return err
	}
	stops.add(func() error { return config.release(opts.Err) })

	state, err := openSnapshot(opts)
	if err != nil {
		return err
	}
	stops.add(state.close)
	if err := state.foreign(); err != nil {
		return err
	}

	trace, err := openTrace(opts.Trace)
	if err != nil {
		return err
	}
	stops.add(trace.close)

	made := state.options(opts)
	if isReal(opts.Runtime) {
		inside, err := furnishRoom(ctx, opts, config.path, &made, &stops)
		if err := cmp.Or(ctx.Err(), err); err != nil {
			return fmt.Errorf("--runtime %s: %w", opts.Runtime, err)
		}
		ports.names = append(ports.names, inside)
	}
	if err := keepFolder(&made, &stops); err != nil {
		return err
	}
	l, err := lab.New(made)
	if err != nil {
		return err
	}
	stops.add(func() error { l.Close(); return nil })
	if err := state.save(); err != nil {
		return err
	}
	server, err := newServer(ports.api, l.Handler, looking(l), opts.Token)
	if err != nil {
		return err
	}
	if err := config.write(server); err != nil {
		return err
	}
	welcome(opts, config.path, server, ports.names[0], l)
	server.openPage(opts)
	return run(ctx, opts, l, state, trace, server, ports.names)
}

// check returns what is wrong with the options that need no port to be known.
func (o Options) check() error {
	if _, err := lab.Choose(o.Controllers); err != nil {
		return fmt.Errorf("--controllers: %w", err)
	}
	if err := lab.CheckWith(o.With); err != nil {
		return fmt.Errorf("--with: %w", err)
	}
	if err := knowsRuntime(o.Runtime); err != nil {
		return fmt.Errorf("--runtime: %w", err)
	}
	if err := knowsImages(o); err != nil {
		return fmt.Errorf("--images: %w", err)
	}
	return nil
}

// run starts everything, waits, and returns when the last goroutine has ended.
// Requests end before the controllers do: none is answered by half a lab.
func run(
	ctx context.Context, opts Options, l *lab.Lab, state kept, trace *traceFile,
	server *server, names []*names,
) error {
	events, err := newTeller(l.Store, opts.Out)
	if err != nil {
		return err
	}
	l.Look.Begin() // who looks when something odd has happened wants to know why
	defer l.Look.End()
	defer trace.startWriting(l.Look, opts.Err)()
	var running sync.WaitGroup
	working, stop := context.WithCancel(context.WithoutCancel(ctx))
	running.Go(func() { l.Run(working) })
	running.Go(func() { state.run(working, opts.Err) })
	running.Go(func() { events.run(working) })
	for _, n := range names {
		running.Go(func() { n.run(working, l, opts.Err) })
	}
	err = server.run(ctx, opts.Err)
	stop()
	running.Wait()
	return err
}

// kept is the state that outlives the process, if there is one.
type kept struct{ *snapshot.Keeper }

func openSnapshot(opts Options) (kept, error) {
	if opts.Snapshot == "" {
		return kept{}, nil
	}
	k, err := snapshot.Open(opts.Snapshot, kinds.Store(kinds.All()))
	if err != nil {
		return kept{}, fmt.Errorf("--snapshot: %w", err)
	}
	return kept{k}, nil
}

func (k kept) options(opts Options) lab.Options {
	o := lab.Options{
		Nodes: opts.Nodes, Controllers: opts.Controllers, With: opts.With,
		Seed: opts.Seed, Pace: opts.Pace, Token: opts.Token,
	}
	if k.Keeper != nil {
		o.State, o.Folder = k.State(), k.Folder()
		o.StoreOptions = []controlloop.Option{controlloop.OnWrite(k.Wrote)}
	}
	return o
}

// foreign returns an error if the folder has volumes of another cluster: a new
// one does not begin with their data, and does not delete them either.
func (k kept) foreign() error {
	if k.Keeper == nil || k.State() != nil {
		return nil
	}
	if _, err := os.Lstat(k.Folder()); err != nil {
		return nil
	}
	return fmt.Errorf("--snapshot: %s holds the volumes of another cluster, "+
		"whose snapshot is gone: move it away, or delete it", k.Folder())
}

// save writes the file once, to know at the start that it can be written.
func (k kept) save() error {
	if k.Keeper == nil {
		return nil
	}
	if err := k.Save(); err != nil {
		return fmt.Errorf("--snapshot: %w", err)
	}
	return nil
}

func (k kept) run(ctx context.Context, warnings io.Writer) {
	if k.Keeper == nil {
		return
	}
	k.Run(ctx, func(err error) {
		if err == nil {
			fmt.Fprintln(warnings, "lab: the state is saved again")
			return
		}
		fmt.Fprintf(warnings, "lab: the state is not saved: %v\n"+
			"lab: the file holds what was saved before; the lab goes on and tries again\n", err)
	})
}

func (k kept) close() error {
	if k.Keeper == nil {
		return nil
	}
	if err := k.Close(); err != nil {
		return fmt.Errorf("the state is not saved: %w; "+
			"the file holds what was saved before", err)
	}
	return nil
}

// undo holds the steps to take at the end, the last first.
type undo []func() error

func (u *undo) add(f func() error) { *u = append(*u, f) }

func (u *undo) run() error {
	var errs []error
	for n := len(*u) - 1; n >= 0; n-- {
		errs = append(errs, (*u)[n]())
	}
	return errors.Join(errs...)
}
