package rollingupdate

import (
	"cmp"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"

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

// numberIn returns the number in an annotation, if there is one.
func numberIn(rs *appsv1.ReplicaSet, name string) (int32, bool) {
	n, err := strconv.ParseInt(rs.Annotations[name], 10, 32)
	return int32(n), err == nil && n >= 0
}
