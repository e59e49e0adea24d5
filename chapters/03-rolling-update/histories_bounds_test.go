package rollingupdate_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/watch"

	"reconcile/internal/kubetest"
)

// check is the kubetest.Invariant of histories. It knows the writer of
// each write: the test, the controller of Deployments (during a look),
// or that of ReplicaSets.
func (h *chronicle) check(w kubetest.Write, _ []kubetest.Write) error {
	err := h.judge(w)
	h.world.apply(w, h)
	if err == nil && h.calm && h.world.complete {
		err = h.enoughReady()
	}
	if err != nil {
		return fmt.Errorf("seed %d: %w", h.seed, err)
	}
	return nil
}

func (h *chronicle) judge(w kubetest.Write) error {
	if h.acting {
		return nil
	}
	if h.firm[w.Object.GetUID()] {
		return untouched(w)
	}
	switch obj := w.Object.(type) {
	case *appsv1.Deployment:
		if !equality.Semantic.DeepEqual(obj.Spec, w.Old.(*appsv1.Deployment).Spec) {
			return fmt.Errorf("a controller changes the spec of a Deployment")
		}
	case *appsv1.ReplicaSet:
		if h.look != nil {
			return h.look.wrote(w, obj, h)
		}
		if w.Old == nil || !equality.Semantic.DeepEqual(obj.Spec, w.Old.(*appsv1.ReplicaSet).Spec) {
			return fmt.Errorf("a ReplicaSet is changed while nobody looks at its Deployment")
		}
	case *corev1.Pod:
		if w.Type == watch.Added && !h.longHeld() {
			return h.world.wanted(obj, h.late)
		}
	}
	return nil
}

// untouched returns an error when an object that belongs to others is written,
// but for a ReplicaSet's status.
func untouched(w kubetest.Write) error {
	if rs, ok := w.Object.(*appsv1.ReplicaSet); ok && w.Type == watch.Modified {
		was := w.Old.(*appsv1.ReplicaSet).DeepCopy()
		was.Status, was.ResourceVersion = rs.Status, rs.ResourceVersion
		if equality.Semantic.DeepEqual(was, rs) {
			return nil
		}
	}
	return fmt.Errorf("it is another's")
}

// apply brings the mirror up to date with the store.
func (m *mirror) apply(w kubetest.Write, h *chronicle) {
	if h.firm[w.Object.GetUID()] || w.Object.GetName() == "stranger" {
		return
	}
	uid, gone := w.Object.GetUID(), w.Type == watch.Deleted
	switch obj := w.Object.(type) {
	case *appsv1.Deployment:
		m.deployment = obj
	case *appsv1.ReplicaSet:
		m.largest[uid] = max(m.largest[uid], sizeOf(obj))
		if m.sets[uid] = obj; gone {
			delete(m.sets, uid)
		}
	case *corev1.Pod:
		if m.pods[uid] = obj; gone {
			delete(m.pods, uid)
		}
	}
}

func isActivePod(pod *corev1.Pod) bool { return pod.DeletionTimestamp == nil && !hasEndedPod(pod) }

// wanted returns an error when a ReplicaSet makes a Pod though it has as
// many as it wants; or ever wanted, if its controller may not have heard
// yet that it wants fewer.
func (m *mirror) wanted(pod *corev1.Pod, late bool) error {
	owner := pod.OwnerReferences[0].UID
	have := int32(1)
	for _, other := range m.pods {
		if isActivePod(other) && other.OwnerReferences[0].UID == owner {
			have++
		}
	}
	wants := m.largest[owner]
	if rs := m.sets[owner]; !late && rs != nil {
		wants = sizeOf(rs)
	}
	if have > wants {
		return fmt.Errorf("%d Pods of a ReplicaSet that does not want so many", have)
	}
	return nil
}

// enoughReady returns an error when too few Pods are ready, provided that
// nothing but controllers changes Pods.
func (h *chronicle) enoughReady() error {
	ready := int32(0)
	for _, pod := range h.world.pods {
		if isActivePod(pod) && kubetest.Ready(pod) {
			ready++
		}
	}
	if _, least := limitsOf(h.world.deployment); ready < least {
		return fmt.Errorf("%d Pods are ready, and %d have to be", ready, least)
	}
	return nil
}

// limitsOf returns how many Pods there may be, and how many have to be
// available. (Computed as the documentation says it, not as the chapter does.)
func limitsOf(d *appsv1.Deployment) (most, least int32) {
	want := *d.Spec.Replicas
	if isRecreate(d) {
		return want, 0
	}
	part := func(p *intstr.IntOrString, round func(float64) float64) int32 {
		if p.Type == intstr.Int {
			return p.IntVal
		}
		var percent int32
		fmt.Sscanf(p.StrVal, "%d%%", &percent)
		return int32(round(float64(percent*want) / 100))
	}
	surge := part(d.Spec.Strategy.RollingUpdate.MaxSurge, math.Ceil)
	missing := part(d.Spec.Strategy.RollingUpdate.MaxUnavailable, math.Floor)
	if surge == 0 && missing == 0 {
		missing = 1
	}
	return want + surge, max(0, want-missing)
}

func isRecreate(d *appsv1.Deployment) bool {
	return d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType
}

// addUp adds up a number of each ReplicaSet.
func addUp(all []*appsv1.ReplicaSet, of func(*appsv1.ReplicaSet) int32) (n int32) {
	for _, rs := range all {
		n += of(rs)
	}
	return n
}

func sizeOf(rs *appsv1.ReplicaSet) int32 { return *rs.Spec.Replicas }

// sureOf returns how many available Pods a ReplicaSet has for certain, when it
// has deleted those that are least useful: never more than its size.
func sureOf(rs *appsv1.ReplicaSet) int32 { return min(rs.Status.AvailableReplicas, sizeOf(rs)) }

func bornFirst(a, b *appsv1.ReplicaSet) int {
	return cmp.Or(
		a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
}

func templatesMatch(a, b corev1.PodTemplateSpec) bool {
	strip := func(t corev1.PodTemplateSpec) *corev1.PodTemplateSpec {
		c := t.DeepCopy()
		delete(c.Labels, appsv1.DefaultDeploymentUniqueLabelKey)
		return c
	}
	return equality.Semantic.DeepEqual(strip(a), strip(b))
}

func fromOldest(all []*appsv1.ReplicaSet) []*appsv1.ReplicaSet {
	return slices.SortedFunc(slices.Values(all), bornFirst)
}
