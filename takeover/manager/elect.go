package manager

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	"k8s.io/client-go/tools/leaderelection"
)

// Another copy works 17 s after the last renewal at the latest: client-go looks
// each retryPeriod to 2.2 of them, so a renewal is seen 2.2 s late, and its end as
// much. What was written renewDeadline after a renewal has the rest of the lease to
// arrive. (kube-controller-manager has 15, 10 and 2 s, in
// k8s.io/component-base/config/v1alpha1/defaults.go, and takes up to 24.)
const (
	leaseDuration = 12 * time.Second
	renewDeadline = 8 * time.Second
	retryPeriod   = time.Second
)

// errLost says that this copy worked, and may work no more.
var errLost = errors.New("the lease was lost")

func random() string { return rand.Text()[:8] }

// elect waits until this copy holds the lease, and works as long as it does. The
// lease is given back when the controllers have ended: client-go would give it
// back when its context ends, while they still write.
func (m *manager) elect(ctx context.Context) error {
	m.lease.stand()
	holding, release := context.WithCancel(context.WithoutCancel(ctx))
	defer release()
	var (
		mu      sync.Mutex
		started bool
		worked  = make(chan error, 1)
	)
	stop := context.AfterFunc(ctx, func() {
		mu.Lock()
		defer mu.Unlock()
		if !started { // else the lease goes when the work has ended
			release()
		}
	})
	defer stop()
	elector, err := leaderelection.NewLeaderElector(leaderelection.LeaderElectionConfig{
		Lock:          m.lease,
		LeaseDuration: leaseDuration, RenewDeadline: renewDeadline,
		RetryPeriod: retryPeriod, ReleaseOnCancel: true, Name: m.Lease,
		WatchDog: m.metrics.watchdog,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(leading context.Context) {
				mu.Lock()
				started = true
				mu.Unlock()
				leading, end := context.WithCancel(leading)
				defer end()
				defer context.AfterFunc(ctx, end)()
				worked <- m.work(leading)
				release()
			},
			OnStoppedLeading: func() {},
			OnNewLeader: func(id string) {
				m.Log.Info("the lease is held", "by", id, "this copy", id == m.lease.Identity())
			},
		},
	})
	if err != nil {
		return fmt.Errorf("the lease %s/%s: %w", m.Home, m.Lease, err)
	}
	elector.Run(holding)
	mu.Lock()
	defer mu.Unlock()
	if !started {
		return nil
	}
	if err := <-worked; err != nil || ctx.Err() != nil {
		return err
	}
	return errLost
}
