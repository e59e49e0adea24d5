package manager

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

// These are kube-controller-manager's. (Kubernetes:
// k8s.io/component-base/config/v1alpha1/defaults.go.)
const (
	leaseDuration = 15 * time.Second
	renewDeadline = 10 * time.Second
	retryPeriod   = 2 * time.Second
)

// errLost says that this copy worked, and may work no more.
var errLost = errors.New("the lease was lost")

func random() string { return rand.Text()[:8] }

// elect waits until this copy holds the lease, and works as long as it does. The
// lease is given back when the controllers have ended: client-go would give it
// back when its context ends, while they still write.
func (m *manager) elect(ctx context.Context) error {
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
		Lock: &resourcelock.LeaseLock{
			LeaseMeta:  metav1.ObjectMeta{Namespace: m.Home, Name: m.Lease},
			Client:     m.api.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: m.id},
		},
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
				m.Log.Info("the lease is held", "by", id, "this copy", id == m.id)
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
