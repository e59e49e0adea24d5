package rollingupdate

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// Revision is a template that a Deployment had or has.
type Revision struct {
	Number      int64
	ChangeCause string // as noted by a person; "": no note
	Template    corev1.PodTemplateSpec
}

// History returns the revisions of a Deployment that are still kept, the
// current one last. It is what kubectl rollout history shows.
func History(
	ctx context.Context, c controlloop.Client, key controlloop.Key,
) ([]Revision, error) {
	_, sets, err := setsOf(ctx, c, key)
	if err != nil {
		return nil, err
	}
	var all []Revision
	for _, rs := range sets {
		all = append(all, Revision{
			Number:      revisionOf(rs),
			ChangeCause: rs.Annotations[ChangeCauseAnnotation],
			Template:    rs.Spec.Template,
		})
	}
	return all, nil
}
