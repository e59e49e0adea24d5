package rollingupdate_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	rollingupdate "reconcile/chapters/03-rolling-update"
	"reconcile/internal/kubetest"
)

// look holds what the controller of Deployments sees at one look: the contents
// of its caches when it began, and its own writes since.
type look struct {
	deployment *appsv1.Deployment
	began      map[types.UID]*appsv1.ReplicaSet
	sets       map[types.UID]*appsv1.ReplicaSet
	latest     types.UID // the current template's; "": none yet
	resizes    bool      // the Deployment was given another size
}

func newLook(d *appsv1.Deployment, owned []controlloop.Object) *look {
	l := &look{deployment: d, began: map[types.UID]*appsv1.ReplicaSet{}}
	for _, obj := range owned {
		l.began[obj.GetUID()] = obj.(*appsv1.ReplicaSet)
	}
	l.sets = maps.Clone(l.began)
	for _, rs := range l.all() {
		if l.latest == "" && templatesMatch(rs.Spec.Template, d.Spec.Template) {
			l.latest = rs.UID
		}
		noted := rs.Annotations[rollingupdate.DesiredReplicasAnnotation]
		l.resizes = l.resizes || !isRecreate(d) && sizeOf(rs) > 0 && noted != strconv.Itoa(int(*d.Spec.Replicas))
	}
	return l
}

// all returns the ReplicaSets, the oldest first.
func (l *look) all() []*appsv1.ReplicaSet { return fromOldest(slices.Collect(maps.Values(l.sets))) }

// old returns those of other templates than the current.
func (l *look) old() []*appsv1.ReplicaSet {
	return slices.DeleteFunc(l.all(), func(rs *appsv1.ReplicaSet) bool { return rs.UID == l.latest })
}

// wrote checks a write of one of the Deployment's ReplicaSets.
func (l *look) wrote(w kubetest.Write, rs *appsv1.ReplicaSet, h *chronicle) error {
	before := l.all()
	if w.Type == watch.Deleted {
		delete(l.sets, rs.UID)
		return l.forgot(w.Old.(*appsv1.ReplicaSet), before)
	}
	if w.Type == watch.Added {
		if err := l.started(rs, h); err != nil {
			return err
		}
		l.latest = rs.UID
	}
	was := l.sets[rs.UID]
	l.sets[rs.UID] = rs
	if err := l.withinMost(before, l.all()); err != nil {
		return err
	}
	if !h.late {
		if err := highestIsNew(rs, was, slices.Collect(maps.Values(h.world.sets))); err != nil {
			return err
		}
	}
	if was != nil && sizeOf(rs) < sizeOf(was) {
		return l.shrank(was, rs, before)
	}
	return nil
}

// withinMost returns an error when a write makes the ReplicaSets larger than
// all together they may be. After a Deployment, or its bounds, have become
// smaller they may be too large; then no write may make it worse.
func (l *look) withinMost(before, after []*appsv1.ReplicaSet) error {
	most, _ := limitsOf(l.deployment)
	if n := addUp(after, sizeOf); n > max(most, addUp(before, sizeOf)) {
		return fmt.Errorf("%d Pods are wanted, and %d is the most", n, most)
	}
	return nil
}

// shared returns an error unless a Deployment that has got another
// size in the middle of a rollout has shared out all the room there is
// when the look is over.
func (l *look) shared() error {
	want := *l.deployment.Spec.Replicas
	began := slices.Collect(maps.Values(l.began))
	several := 0
	for _, rs := range began {
		if sizeOf(rs) > 0 {
			several++
		}
	}
	latest := l.began[l.latest]
	saturated := latest != nil && sizeOf(latest) == want && latest.Status.AvailableReplicas == want
	most, _ := limitsOf(l.deployment)
	if !l.resizes || several < 2 || saturated || want == 0 {
		return nil
	}
	if before, after := addUp(began, sizeOf), addUp(l.all(), sizeOf); before < most && after != most {
		return fmt.Errorf("of %d Pods that there may be, only %d are shared out", most, after)
	}
	return nil
}

// started returns an error when a template gets a second ReplicaSet, or gets
// one while the Deployment is paused or gets another size.
func (l *look) started(rs *appsv1.ReplicaSet, h *chronicle) error {
	if l.deployment.Spec.Paused {
		return fmt.Errorf("the Deployment is paused, and a template begins")
	}
	if l.resizes {
		return fmt.Errorf("the Deployment gets another size, and a template begins")
	}
	for _, other := range h.world.sets {
		if templatesMatch(other.Spec.Template, rs.Spec.Template) {
			return fmt.Errorf("%s has that template", other.Name)
		}
	}
	if !templatesMatch(rs.Spec.Template, l.deployment.Spec.Template) {
		return fmt.Errorf("nobody wants that template")
	}
	return nil
}

// highestIsNew returns an error when a revision falls, or one that is given is
// not higher than all others.
func highestIsNew(rs, was *appsv1.ReplicaSet, all []*appsv1.ReplicaSet) error {
	number := revisionOf(rs)
	if was != nil && number == revisionOf(was) {
		return nil
	}
	if was != nil && number < revisionOf(was) {
		return fmt.Errorf("revision %d comes after %d", number, revisionOf(was))
	}
	for _, other := range all {
		if other.UID != rs.UID && revisionOf(other) >= number {
			return fmt.Errorf("%s gets revision %d, and %s has %d",
				rs.Name, number, other.Name, revisionOf(other))
		}
	}
	return nil
}

func revisionOf(rs *appsv1.ReplicaSet) int {
	n, _ := strconv.Atoi(revision(rs))
	return n
}

// shrank returns an error unless, as long as the Deployment keeps its
// size, available Pods go only where more than enough of them are left,
// none of them goes while some old ReplicaSet has others that could,
// and the oldest go first.
func (l *look) shrank(was, rs *appsv1.ReplicaSet, before []*appsv1.ReplicaSet) error {
	if l.deployment.Spec.Paused || l.resizes || isRecreate(l.deployment) {
		return nil
	}
	_, least := limitsOf(l.deployment)
	if n := addUp(l.all(), sureOf); n < min(least, addUp(before, sureOf)) {
		return fmt.Errorf("%s goes from %d to %d: that leaves %d available Pods, and %d is the least",
			rs.Name, sizeOf(was), sizeOf(rs), n, least)
	}
	if sizeOf(rs) >= rs.Status.AvailableReplicas || rs.UID == l.latest {
		return nil
	}
	for _, other := range l.old() {
		if sizeOf(other) > other.Status.AvailableReplicas {
			return fmt.Errorf("an available Pod of %s goes, and %s has one that is not", rs.Name, other.Name)
		}
		if bornFirst(other, rs) < 0 && sizeOf(other) > 0 {
			return fmt.Errorf("an available Pod of %s goes, and %s is older", rs.Name, other.Name)
		}
	}
	return nil
}

// forgot returns an error unless a deleted ReplicaSet is old, empty, beyond
// what is to be kept, and has the lowest number of those that are empty.
func (l *look) forgot(rs *appsv1.ReplicaSet, before []*appsv1.ReplicaSet) error {
	limit := int(*l.deployment.Spec.RevisionHistoryLimit)
	switch {
	case rs.UID == l.latest:
		return fmt.Errorf("the current revision is deleted")
	case sizeOf(rs) > 0 || rs.Status.Replicas > 0:
		return fmt.Errorf("%s is deleted and has Pods", rs.Name)
	case len(l.old()) < limit:
		return fmt.Errorf("%d old revisions are left, and %d are to be", len(l.old()), limit)
	}
	for _, other := range l.old() {
		empty := sizeOf(other) == 0 && other.Status.Replicas == 0 &&
			other.Status.ObservedGeneration == other.Generation
		if empty && revisionOf(other) < revisionOf(rs) {
			return fmt.Errorf("revision %d is deleted before %d", revisionOf(rs), revisionOf(other))
		}
	}
	return nil
}
