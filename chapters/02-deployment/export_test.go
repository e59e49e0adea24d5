package deployment

import (
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	controlloop "reconcile/chapters/01-control-loop"
)

// These are exported to the tests alone.

// Judge returns the verdict about obj of an owner that selects by s.
func Judge(
	owner controlloop.Object, s metav1.LabelSelector, obj controlloop.Object,
) string {
	c := &Claims{Kind: ReplicaSetKind, Owner: owner, Selector: SelectorOf(&s)}
	return map[verdict]string{
		ignore: "ignore", keep: "keep", adopt: "adopt", release: "release",
	}[c.judge(obj)]
}

// LockOf returns what guards e.
func LockOf(e *Expectations) sync.Locker { return &e.mu }

// Moved calls moved.
func Moved(was, is appsv1.DeploymentStatus) bool { return moved(was, is) }

// LeastUseful calls leastUseful.
func LeastUseful(pods, others []*corev1.Pod, n int) []*corev1.Pod {
	return leastUseful(pods, others, n)
}

// CompareUse calls compareUse.
func CompareUse(a, b *corev1.Pod, crowd map[string]int) int {
	return compareUse(a, b, crowd)
}

// SameTemplate calls sameTemplate.
func SameTemplate(a, b *corev1.PodTemplateSpec) bool { return sameTemplate(a, b) }

// ReplicaSetStatus calls replicaSetStatus.
func ReplicaSetStatus(
	rs *appsv1.ReplicaSet, pods []*corev1.Pod, failure error,
) (appsv1.ReplicaSetStatus, time.Duration) {
	return replicaSetStatus(rs, pods, failure)
}

// Observer returns the observer of a controller of ReplicaSets that expects
// this.
func Observer(expected *Expectations) controlloop.Handler {
	return (&ReplicaSets{Expected: expected}).observer()
}
