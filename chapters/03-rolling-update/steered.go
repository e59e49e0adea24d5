package rollingupdate

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// NewDeployments returns the controller that reconciles the Deployments of a
// system, by either strategy.
func NewDeployments(s *controlloop.System) *controlloop.Controller {
	return NewDeploymentsBy(s, RollingUpdate{})
}

// NewDeploymentsBy returns one that uses another Strategy in the
// place of RollingUpdate.
func NewDeploymentsBy(
	s *controlloop.System, rolling deployment.Strategy,
) *controlloop.Controller {
	return deployment.NewDeploymentsWith(s, deployment.Strategies{
		appsv1.RecreateDeploymentStrategyType:      Steered{deployment.Recreate{}},
		appsv1.RollingUpdateDeploymentStrategyType: Steered{rolling},
	}, stamp)
}

// Steered is a Strategy around a Strategy: it does what people ask of a
// rollout, however its Pods are replaced. It numbers templates, stops
// and goes on, follows a new size, notices when nothing moves, and
// forgets old revisions.
type Steered struct{ deployment.Strategy }

// Roll implements deployment.Strategy. (Kubernetes: syncDeployment in
// pkg/controller/deployment/deployment_controller.go, and sync.go.)
func (s Steered) Roll(
	ctx context.Context, r *deployment.Rollout,
) (deployment.Outcome, error) {
	notePause(r.Deployment)
	if err := renumber(ctx, r); err != nil {
		return deployment.Outcome{}, err
	}
	outcome, err := s.step(ctx, r)
	if err != nil {
		return deployment.Outcome{}, err
	}
	_, outcome.MaxUnavailable = boundsOf(r.Deployment)
	tellRevision(r)
	return outcome, nil
}

// step does one of three things. Only the last is a rollout, and can be late.
func (s Steered) step(
	ctx context.Context, r *deployment.Rollout,
) (deployment.Outcome, error) {
	d := r.Deployment
	unjudged := deployment.Outcome{Judge: deployment.Unjudged}
	switch {
	case d.Spec.Paused:
		if err := resize(ctx, r); err != nil {
			return unjudged, err
		}
		return unjudged, cleanUp(ctx, r)
	case resized(r) && !mixed(r):
		return unjudged, resize(ctx, r)
	}
	outcome, err := s.Strategy.Roll(ctx, r)
	if err != nil {
		return outcome, err
	}
	outcome.Judge, outcome.After = judge, nextJudgement(d)
	if deployment.Complete(d, &d.Status) {
		err = cleanUp(ctx, r)
	}
	return outcome, err
}

// stamp implements deployment.Stamp: it notes on a ReplicaSet how large its
// Deployment is and, if it is new, which number it has.
func stamp(r *deployment.Rollout, rs *appsv1.ReplicaSet) {
	if rs.UID == "" {
		inherit(&rs.ObjectMeta, &r.Deployment.ObjectMeta)
		assign(rs, highest(r.Old)+1)
	}
	noteSize(rs, r.Deployment)
}
