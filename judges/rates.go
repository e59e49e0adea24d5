package main

import (
	"context"
	"time"
)

// slowly is how many Pods are rolled at the default rates: a minute's work.
const slowly = 200

// slowlyOurs rolls a Deployment at the rates that ours have if nobody says others,
// which are kube-controller-manager's: 20 requests a second, 30 at once.
func (p *proof) slowlyOurs(ctx context.Context) (string, error) {
	if err := p.ours.Stop(); err != nil {
		return "", err
	}
	var err error
	if p.ours, err = p.startOursWith(ctx, p.as); err != nil {
		return "", err
	}
	if err := p.ours.Until(ctx, patience, func() error { return says(p.ours, "msg=working") }); err != nil {
		return "", err
	}
	p.result.Defaults.Pods = slowly
	if p.result.Defaults.Ours, err = p.large(ctx, "slow", slowly, p.ours, is(p.as), false); err != nil {
		return "", err
	}
	if err := p.ours.Stop(); err != nil {
		return "", err
	}
	p.ours, err = p.startOurs(ctx, p.as)
	return p.result.Defaults.Ours.String(), err
}

// slowlyTheirs rolls another by kube-controller-manager, which works again when its
// old lease has ended.
func (p *proof) slowlyTheirs(ctx context.Context) (string, error) {
	if err := p.cluster.RestartManager(ctx, 0, 0); err != nil {
		return "", err
	}
	r, err := startRollout(ctx, p.client, "again", 1)
	if err != nil {
		return "", err
	}
	if err := r.until(ctx, 2*time.Minute, r.done); err != nil {
		return "", err
	}
	p.result.Defaults.Theirs, err = p.large(ctx, "slow", slowly, p.cluster.Manager(), managers, false)
	return p.result.Defaults.Theirs.String(), err
}
