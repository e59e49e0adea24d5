package servers

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
)

// RestartManager kills kube-controller-manager and starts it with other rates. It
// works when its lease has ended.
func (c *Cluster) RestartManager(ctx context.Context, qps, burst int) error {
	if err := c.manager.Kill(); err != nil {
		return err
	}
	c.opts.QPS, c.opts.Burst = qps, burst
	return c.startManager(ctx)
}

func (c *Cluster) startManager(context.Context) (err error) {
	if c.opts.Controllers == "" {
		return nil
	}
	c.manager, err = c.start(c.path(manager), c.managing("system:kube-controller-manager", c.opts.Controllers)...)
	return err
}

// manager is whose place is taken.
const manager = "kube-controller-manager"

// ManagerOf returns how a kube-controller-manager with all controllers is started that
// reaches the cluster as a user does: one of several copies. The clock of one that was
// built with BuildManagerWithClock can be set.
func (c *Cluster) ManagerOf(user string, clock bool) (program string, args []string) {
	if program = c.path(manager); clock {
		program = c.path(managerWithClock)
	}
	return program, c.managing(user, "*")
}

// Manager returns kube-controller-manager, or nil.
func (c *Cluster) Manager() *Process { return c.manager }

func (c *Cluster) startScheduler(context.Context) error {
	if !c.opts.Scheduler {
		return nil
	}
	var config strings.Builder
	fmt.Fprintf(&config, "apiVersion: kubescheduler.config.k8s.io/v1\n"+
		"kind: KubeSchedulerConfiguration\nleaderElection: {leaderElect: false}\n"+
		"clientConnection:\n  kubeconfig: %s\n", c.Kubeconfig("system:kube-scheduler"))
	if c.opts.QPS > 0 {
		fmt.Fprintf(&config, "  qps: %d\n  burst: %d\n", c.opts.QPS, c.opts.Burst)
	}
	if err := os.WriteFile(c.file("scheduler.yaml"), []byte(config.String()), 0o600); err != nil {
		return err
	}
	var err error
	c.scheduler, err = c.start(c.path("kube-scheduler"), c.scheduling()...)
	return err
}

// Revive starts those of kube-scheduler, kube-controller-manager and kube-apiserver
// again that have ended without having been killed, as their manifests do it elsewhere,
// and returns their names.
func (c *Cluster) Revive(ctx context.Context) (revived []string, err error) {
	for _, one := range []struct {
		process *Process
		start   func(context.Context) error
	}{{c.apiserver, c.StartServer}, {c.manager, c.startManager}, {c.scheduler, c.startScheduler}} {
		if one.process == nil || !one.process.HasEnded() {
			continue
		}
		revived = append(revived, one.process.name)
		err = errors.Join(err, one.start(ctx))
	}
	return revived, err
}

// RestartClients kills kube-controller-manager and kube-scheduler and starts them again,
// as Kubernetes' documentation tells who has restored etcd to do: they could rely on
// what is there no more.
func (c *Cluster) RestartClients(ctx context.Context) error {
	for _, p := range []*Process{c.manager, c.scheduler} {
		if p != nil {
			if err := p.Kill(); err != nil {
				return err
			}
		}
	}
	_, err := c.Revive(ctx)
	return err
}
