package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"reconcile/judges/servers"
)

// taken are the controllers that change hands.
var taken = []string{
	"deployment-controller", "replicaset-controller", "replicationcontroller-controller",
	"statefulset-controller", "daemonset-controller", "endpointslice-controller",
	"persistentvolume-binder-controller", "persistentvolumeclaim-protection-controller",
	"persistentvolume-protection-controller", "disruption-controller",
}

// typed is how a reader starts the controllers that are taken.
var typed = []string{
	"controllers", "--yes", "--switched-off",
	"--controllers", "deployment,replicaset,replicationcontroller,statefulset,daemonset",
	"--controllers", "endpointslice,disruption,persistentvolume-binder,pv-protection,pvc-protection",
}

// startOurs starts ours, by the name of a user, and with the rates of the command.
func (p *proof) startOurs(ctx context.Context, user string) (*servers.Process, error) {
	return p.startOursWith(ctx, user, "--qps", fmt.Sprint(p.qps), "--burst", fmt.Sprint(p.qps))
}

func (p *proof) startOursWith(ctx context.Context, user string, more ...string) (*servers.Process, error) {
	p.copies++
	log := fmt.Sprintf("%s-%d.log", user, p.copies)
	return p.place.start(ctx, filepath.Dir(p.cluster.AuditLog()), log, slices.Concat(typed,
		[]string{"--kubeconfig", p.cluster.Kubeconfig(user), "--listen="}, more)...)
}

// started keeps how ours was started, and what it said until it worked. The times are
// left out.
func (p *proof) started() {
	var told strings.Builder
	fmt.Fprintf(&told, "$ go run ./cmd/lab %s\n", strings.ReplaceAll(strings.Join(typed, " "), " --controllers ", " \\\n    --controllers "))
	for line := range strings.SplitSeq(p.ours.Words(100), "\n") {
		if head.MatchString(line) {
			told.WriteString(head.ReplaceAllString(line, "") + "\n")
		}
		if strings.Contains(line, "msg=working") {
			break
		}
	}
	p.result.Walk = append(p.result.Walk, Part{"start", told.String()})
}

// start starts Kubernetes' servers, with some of kube-controller-manager's
// controllers, and simulated nodes.
func (p *proof) start(ctx context.Context, name, controllers string) (stop func() error, err error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	folder := filepath.Join(p.folder, name)
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	c, err := p.programs.Start(ctx, servers.Options{
		Folder: folder, Controllers: controllers, Scheduler: true, QPS: p.qps, Burst: p.qps,
	})
	p.cluster = c
	stop = func() error {
		if p.nodesOf != nil {
			err := p.nodesOf.Stop()
			p.nodesOf = nil
			return errors.Join(err, c.Stop())
		}
		return c.Stop()
	}
	if err != nil {
		return stop, err
	}
	return stop, p.populate(ctx, folder)
}

// populate makes users, and simulated nodes.
func (p *proof) populate(ctx context.Context, folder string) (err error) {
	c := p.cluster
	for _, name := range []string{"second", "third", "nodes", "spoiled"} {
		if err := c.NewUser(name, "system:masters"); err != nil {
			return err
		}
	}
	if p.client, err = clientOf(c.Kubeconfig(servers.Admin)); err != nil {
		return err
	}
	if err := p.startNodes(ctx, folder); err != nil {
		return err
	}
	return p.nodesOf.Until(ctx, patience, func() error { return p.stage().free(ctx, p.nodes) })
}

func (p *proof) startNodes(ctx context.Context, folder string) (err error) {
	p.nodesOf, err = p.place.start(ctx, folder, "nodes.log", "kubelets",
		"--kubeconfig", p.cluster.Kubeconfig("nodes"), "--count", fmt.Sprint(p.nodes),
		"--qps", "1000", "--burst", "1000") // each node is a machine of its own elsewhere
	return err
}
