package chaos

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Made is the label of a Pod that says by which creation of a Deployment it came: two
// that have one name after the other have different ones.
const Made = "made"

// Judge sees all Pods and Deployments as a watch tells them, and says what must not be.
// One goroutine at a time may use it.
type Judge struct {
	Events int // of Pods

	pods map[types.UID]*corev1.Pod
	surge
	excused time.Time // until then caches may be of another history
	losing  int       // faults by which answers are lost, now
	lost    time.Time // until then that shows
	doubles map[[2]types.UID]time.Time
	late    time.Time // until then a leader that woke may have written late
}

// NewJudge returns one that has seen nothing yet.
func NewJudge() *Judge {
	return &Judge{pods: map[types.UID]*corev1.Pod{}, surge: newSurge(), doubles: map[[2]types.UID]time.Time{}}
}

// Restored says that what is stored is older from now on. Who has a cache acts upon what
// is there no more until he has read all anew, whoever he is; that is excused until a
// moment.
func (j *Judge) Restored(until time.Time) {
	clear(j.pods)
	clear(j.doubles)
	j.surge = newSurge()
	j.excused = until
}

// Blind says that nobody watches Pods, until Anew.
func (j *Judge) Blind() {
	clear(j.above)
	clear(j.doubles)
}

// Losing says that from now on answers are lost, or are late. Whoever does not know
// whether a Pod was created, and has not heard of it, creates another one, and deletes
// one when he sees both. Kubernetes' controllers do that as well.
func (j *Judge) Losing() { j.losing++ }

// Lost says that no answers are lost any more; until a moment that may still show.
func (j *Judge) Lost(until time.Time) {
	j.losing--
	if until.After(j.lost) {
		j.lost = until
	}
}

// Anew takes a list of all Pods, after nobody had watched. In which order they came is
// not known.
func (j *Judge) Anew(at time.Time, pods []corev1.Pod) (all []Violation) {
	clear(j.pods)
	for _, p := range pods {
		j.pods[p.UID] = &p
	}
	for _, p := range j.pods {
		all = append(all, j.weigh(at, p)...)
	}
	return all
}

// Pod takes an event of a Pod.
func (j *Judge) Pod(at time.Time, p *corev1.Pod, deleted bool) (all []Violation) {
	j.Events++
	if deleted {
		delete(j.pods, p.UID)
		j.crowd(at, p.Labels[Made])
		return nil
	}
	_, known := j.pods[p.UID]
	j.pods[p.UID] = p
	if !known {
		all = j.born(at, p)
	}
	return append(all, j.weigh(at, p)...)
}

func live(p *corev1.Pod) bool {
	return p.DeletionTimestamp == nil && p.Status.Phase != corev1.PodFailed && p.Status.Phase != corev1.PodSucceeded
}

// owner returns the controller of a Pod, which may have none.
func owner(o metav1.Object) metav1.OwnerReference {
	if ref := metav1.GetControllerOfNoCopy(o); ref != nil {
		return *ref
	}
	return metav1.OwnerReference{}
}

// ordinal returns the number behind a StatefulSet's Pod's name.
func ordinal(p *corev1.Pod) (int, bool) {
	number, ok := strings.CutPrefix(p.Name, owner(p).Name+"-")
	n, err := strconv.Atoi(number)
	return n, ok && err == nil
}

// born judges a Pod that has just been created.
func (j *Judge) born(at time.Time, p *corev1.Pod) (all []Violation) {
	if at.Before(j.excused) || owner(p).Kind != StatefulSet {
		return nil
	}
	n, ok := ordinal(p)
	if !ok {
		return []Violation{{Ordered, fmt.Sprintf("%s has no number", p.Name)}}
	}
	there := map[int]bool{}
	for _, other := range j.pods {
		if owner(other).UID == owner(p).UID {
			m, _ := ordinal(other)
			there[m] = true
		}
	}
	for lower := range n {
		if !there[lower] {
			all = append(all, Violation{Ordered, fmt.Sprintf("%s (%s) without %s-%d", p.Name, p.UID, owner(p).Name, lower)})
		}
	}
	return all
}

// weigh judges a Pod beside the others.
func (j *Judge) weigh(at time.Time, p *corev1.Pod) (all []Violation) {
	if owner(p).UID == "" {
		all = append(all, Violation{Owned, fmt.Sprintf("%s (%s)", p.Name, p.UID)})
	}
	j.crowd(at, p.Labels[Made])
	if at.Before(j.excused) || !live(p) {
		return all
	}
	for _, other := range j.pods {
		if other.UID == p.UID || !live(other) {
			continue
		}
		if other.Name == p.Name {
			all = append(all, Violation{OneAName, pair(p, other)})
		}
		if owner(p).Kind == DaemonSet && owner(other).UID == owner(p).UID && node(p) == node(other) {
			all = append(all, j.double(at, p, other)...)
		}
	}
	return all
}

// crowd counts the live Pods that came by one creation of a Deployment.
func (j *Judge) crowd(at time.Time, made string) {
	n := 0
	for _, p := range j.pods {
		if p.Labels[Made] == made && live(p) {
			n++
		}
	}
	j.lives(at, made, n)
}

// double judges two Pods on one node: at once, or if they stay, when an answer may have
// been lost.
func (j *Judge) double(at time.Time, p, other *corev1.Pod) []Violation {
	if j.losing == 0 && at.After(j.lost) {
		return []Violation{{OneANode, node(p) + ": " + pair(p, other)}}
	}
	both := [2]types.UID{max(p.UID, other.UID), min(p.UID, other.UID)}
	if j.doubles[both].IsZero() {
		j.doubles[both] = at
	}
	return nil
}

// Due judges what must not last.
func (j *Judge) Due(at time.Time) []Violation {
	all := j.surge.due(at)
	for both, since := range j.doubles {
		p, other := j.pods[both[0]], j.pods[both[1]]
		switch {
		case p == nil || other == nil || !live(p) || !live(other):
			delete(j.doubles, both)
		case at.Sub(since) >= long:
			all = append(all, Violation{OneANode, node(p) + ", for a minute: " + pair(p, other)})
		}
	}
	return all
}

// pair names two Pods, whichever of them came first.
func pair(a, b *corev1.Pod) string {
	names := []string{fmt.Sprintf("%s (%s)", a.Name, a.UID), fmt.Sprintf("%s (%s)", b.Name, b.UID)}
	slices.Sort(names)
	return strings.Join(names, " and ")
}

// node returns where a Pod of a DaemonSet is, or has to go.
func node(p *corev1.Pod) string {
	if p.Spec.NodeName != "" {
		return p.Spec.NodeName
	}
	if a := p.Spec.Affinity; a != nil && a.NodeAffinity != nil && a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		for _, term := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
			for _, f := range term.MatchFields {
				if f.Key == metav1.ObjectNameField && len(f.Values) == 1 {
					return f.Values[0]
				}
			}
		}
	}
	return string(p.UID) // nobody knows yet: none is the same
}
