package rollingupdate

import (
	"cmp"
	"context"
	"maps"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
)

// A rollout writes what it has to remember on the objects that it is about.
const (
	// RevisionAnnotation is the number of a template: the current one has the
	// highest.
	RevisionAnnotation = "deployment.kubernetes.io/revision"
	// RevisionHistoryAnnotation lists the numbers that a template had before.
	RevisionHistoryAnnotation = "deployment.kubernetes.io/revision-history"
	// DesiredReplicasAnnotation says how many Pods the Deployment wanted when a
	// ReplicaSet got its size, MaxReplicasAnnotation how many there could be.
	DesiredReplicasAnnotation = "deployment.kubernetes.io/desired-replicas"
	MaxReplicasAnnotation     = "deployment.kubernetes.io/max-replicas"
	// ChangeCauseAnnotation says why, in a person's words.
	ChangeCauseAnnotation = "kubernetes.io/change-cause"
)

// notCopied are the annotations that a Deployment and its ReplicaSets have
// each for themselves.
var notCopied = sets.New(
	corev1.LastAppliedConfigAnnotation, RevisionAnnotation,
	RevisionHistoryAnnotation, DesiredReplicasAnnotation,
	MaxReplicasAnnotation, appsv1.DeprecatedRollbackTo,
)

// longestHistory is how many characters RevisionHistoryAnnotation may have.
const longestHistory = 2000

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
//book:exercise 3.7
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

// revisionOf returns the number of a ReplicaSet, or 0 if it has none.
func revisionOf(rs *appsv1.ReplicaSet) int64 {
	n, err := strconv.ParseInt(rs.Annotations[RevisionAnnotation], 10, 64)
	if err != nil {
		return 0
	}
	return n
}

// byRevision puts the lower number first.
func byRevision(a, b *appsv1.ReplicaSet) int {
	return cmp.Or(cmp.Compare(revisionOf(a), revisionOf(b)), deployment.OlderFirst(a, b))
}

func highest(sets []*appsv1.ReplicaSet) (number int64) {
	for _, rs := range sets {
		number = max(number, revisionOf(rs))
	}
	return number
}
