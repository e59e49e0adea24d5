package rollingupdate

import (
	"context"
	"errors"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// RestartedAtAnnotation is on a template whose Pods were to be replaced for no
// other reason than that.
const RestartedAtAnnotation = "kubectl.kubernetes.io/restartedAt"

// Restart has all Pods of a Deployment replaced, a few at a time: the template
// says when, and so is another. It is what kubectl rollout restart does.
func Restart(
	ctx context.Context, c controlloop.Client, key controlloop.Key,
) error {
	d, _, err := setsOf(ctx, c, key)
	if err != nil {
		return err
	}
	if d.Spec.Paused {
		return errors.New(
			"can't restart paused deployment (run rollout resume first)")
	}
	next := controlloop.Copy(d)
	metav1.SetMetaDataAnnotation(&next.Spec.Template.ObjectMeta,
		RestartedAtAnnotation, time.Now().Format(time.RFC3339))
	_, err = c.Update(ctx, next)
	return err
}
