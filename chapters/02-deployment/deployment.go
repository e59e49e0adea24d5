package deployment

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	controlloop "reconcile/chapters/01-control-loop"
)

// Deployments keeps one ReplicaSet for the template of each Deployment, and
// lets its strategy decide how large this one and the older ones are.
type Deployments struct {
	Client                  controlloop.Client
	Deployments, Sets, Pods *controlloop.Indexer
	Recorder                controlloop.Recorder
	Strategies              Strategies
	Stamp                   Stamp
}

// Strategies hold the ways of replacing Pods, by the name that a Deployment's
// spec.strategy.type gives them.
type Strategies map[appsv1.DeploymentStrategyType]Strategy

// Strategy decides how the Pods of old templates give way to those of a new
// one.
type Strategy interface {
	// Roll takes a step, if there is one to take. Its changes bring the
	// Deployment back, and Roll is called again.
	Roll(ctx context.Context, r *Rollout) (Outcome, error)
}

// Outcome is the result of a step. The zero value is right for a Deployment
// that can spare no Pod and has nothing to wait for.
type Outcome struct {
	// MaxUnavailable is how many Pods may be missing while the Deployment still
	// counts as available.
	MaxUnavailable int32
	// After says when to reconcile again if nothing happens; 0: never.
	After time.Duration
	// Judge says how the rollout goes; nil: as Progress does.
	Judge func(r *Rollout, status *appsv1.DeploymentStatus)
}

// Reconcile implements controlloop.Reconciler.
func (d *Deployments) Reconcile(
	ctx context.Context, key controlloop.Key,
) (controlloop.Result, error) {
	obj, ok := d.Deployments.Get(key)
	if !ok {
		return controlloop.Result{}, nil
	}
	dep := controlloop.Copy(obj.(*appsv1.Deployment))
	sets, err := d.claimSets(ctx, dep)
	if err != nil {
		return controlloop.Result{}, err
	}
	r := d.newRollout(dep, sets)
	outcome, err := d.roll(ctx, r)
	if apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		return controlloop.Result{}, nil // trying again is of no use
	}
	if err != nil {
		return controlloop.Result{}, err
	}
	return controlloop.Result{After: outcome.After}, r.report(ctx, obj, outcome)
}

// roll lets the Deployment's strategy take a step, unless the Deployment is being
// deleted.
func (d *Deployments) roll(ctx context.Context, r *Rollout) (Outcome, error) {
	if r.Deployment.DeletionTimestamp != nil {
		return Outcome{Judge: Unjudged}, nil
	}
	named := r.Deployment.Spec.Strategy.Type
	strategy := d.Strategies[named]
	if strategy == nil {
		return Outcome{}, fmt.Errorf(
			"unexpected deployment strategy type: %s", named)
	}
	return strategy.Roll(ctx, r)
}
