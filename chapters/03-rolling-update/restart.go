package rollingupdate

import (
	"context"
	"errors"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// RestartedAtAnnotation marks a template whose Pods were to be replaced for no
// other reason than that.
const RestartedAtAnnotation = "kubectl.kubernetes.io/restartedAt"

// Restart replaces all Pods of a Deployment, a few at a time: it writes the
// time into the template, which so is a different one. kubectl rollout restart
// does the same.
func Restart(
	ctx context.Context, c controlloop.Client, key controlloop.Key,
) error {
	return edit(ctx, c, key, func(
		d *appsv1.Deployment, _ []*appsv1.ReplicaSet,
	) (*appsv1.Deployment, error) {
		if d.Spec.Paused {
			return nil, errors.New(
				"can't restart paused deployment (run rollout resume first)")
		}
		next := controlloop.Copy(d)
		metav1.SetMetaDataAnnotation(&next.Spec.Template.ObjectMeta,
			RestartedAtAnnotation, time.Now().Format(time.RFC3339))
		return next, nil
	})
}
