package rollingupdate

import (
	"context"
	"maps"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// renumber sees to it that the ReplicaSet of the current template has the
// highest number, and the annotations of its Deployment.
func renumber(ctx context.Context, r *deployment.Rollout) error {
	if r.New == nil {
		return nil
	}
	next := controlloop.Copy(r.New)
	inherit(&next.ObjectMeta, &r.Deployment.ObjectMeta)
	assign(next, highest(r.Old)+1)
	next.Spec.MinReadySeconds = r.Deployment.Spec.MinReadySeconds
	if maps.Equal(next.Annotations, r.New.Annotations) &&
		next.Spec.MinReadySeconds == r.New.Spec.MinReadySeconds {
		return nil
	}
	return r.Update(ctx, next)
}

// inherit copies annotations from a Deployment to a ReplicaSet, or back.
func inherit(to, from *metav1.ObjectMeta) {
	for name, value := range from.Annotations {
		if !notCopied.Has(name) {
			metav1.SetMetaDataAnnotation(to, name, value)
		}
	}
}

// assign gives a ReplicaSet a number, unless it has one as high. One that had a
// number already is in use again; it keeps the numbers that it had. A value
// that is no number was written by a person, and is left alone.
//
//book:exercise 3g
func assign(rs *appsv1.ReplicaSet, number int64) {
	was, again := rs.Annotations[RevisionAnnotation]
	_, err := strconv.ParseInt(was, 10, 64)
	if revisionOf(rs) >= number || was != "" && err != nil {
		return
	}
	metav1.SetMetaDataAnnotation(&rs.ObjectMeta,
		RevisionAnnotation, strconv.FormatInt(number, 10))
	if !again {
		return
	}
	history := was
	if before := rs.Annotations[RevisionHistoryAnnotation]; before != "" {
		history = before + "," + was
	}
	for len(history) > longestHistory {
		_, history, _ = strings.Cut(history, ",")
	}
	metav1.SetMetaDataAnnotation(&rs.ObjectMeta, RevisionHistoryAnnotation, history)
}

// tellRevision writes the number of the current template on the Deployment,
// where people look for it.
func tellRevision(r *deployment.Rollout) {
	if r.New != nil {
		metav1.SetMetaDataAnnotation(&r.Deployment.ObjectMeta, RevisionAnnotation,
			r.New.Annotations[RevisionAnnotation])
	}
}
