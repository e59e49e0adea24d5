package chaos

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
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

	pods    map[types.UID]*corev1.Pod
	allowed map[string]*allowance // by Made
	pending []excess
	told    map[string]bool // by Made
	excused time.Time       // until then caches may be of another history
	late    time.Time       // until then a leader that woke may have written late
}

// NewJudge returns one that has seen nothing yet.
func NewJudge() *Judge {
	return &Judge{pods: map[types.UID]*corev1.Pod{}, allowed: map[string]*allowance{}, told: map[string]bool{}}
}

// Caught is how many writes a copy may send after it has woken: those that had been
// looked at and were not sent yet. No look on its side can stop them.
const Caught = 3

// Restored says that what is stored is older from now on. Who has a cache acts upon what
// is there no more until he has read all anew, whoever he is; that is excused until a
// moment.
func (j *Judge) Restored(until time.Time) {
	clear(j.pods)
	clear(j.allowed)
	j.pending = nil
	j.excused = until
}

// Woken says that a copy may have written late until a moment.
func (j *Judge) Woken(until time.Time) { j.late = until }

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
			all = append(all, Violation{OneANode, node(p) + ": " + pair(p, other)})
		}
	}
	j.count(at, p.Labels[Made])
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

// allowance is how many Pods a Deployment may have. After it was made smaller it may
// have as many as before until it has been seen at rest, and a moment longer: its Pods
// are heard of by another way than itself.
type allowance struct {
	now, high int
	before    map[time.Time]int // until when how many
}

// moment is by how much one way may be later than the other.
const moment = 10 * time.Second

// Deployment takes an event of a Deployment.
func (j *Judge) Deployment(at time.Time, d *appsv1.Deployment) {
	made := d.Spec.Template.Labels[Made]
	a := j.allowed[made]
	if a == nil {
		a = &allowance{before: map[time.Time]int{}}
		j.allowed[made] = a
	}
	replicas := *d.Spec.Replicas
	a.now = int(replicas + (replicas+3)/4) // 25 %, rounded up
	s := d.Status
	atRest := s.ObservedGeneration == d.Generation && s.Replicas == replicas && s.UpdatedReplicas == replicas && s.AvailableReplicas == replicas
	if a.now < a.high && atRest {
		a.before[at.Add(2*moment)] = a.high
		a.high = a.now
	}
	a.high = max(a.high, a.now)
}

// most returns how many may be there at a moment.
func (a *allowance) most(at time.Time) int {
	n := a.high
	maps.DeleteFunc(a.before, func(until time.Time, _ int) bool { return until.Before(at) })
	for _, before := range a.before {
		n = max(n, before)
	}
	return n
}

// excess is a number of Pods that may be too large.
type excess struct {
	made string
	pods int
	late int // of these, that a leader may have written which woke
	at   time.Time
}

// count notes how many Pods came by one creation of a Deployment, if that looks like too
// many.
func (j *Judge) count(at time.Time, made string) {
	a := j.allowed[made]
	if a == nil {
		return
	}
	e := excess{made: made, at: at}
	for _, p := range j.pods {
		if p.Labels[Made] == made && live(p) {
			e.pods++
		}
	}
	if at.Before(j.late) {
		e.late = Caught
	}
	if e.pods > a.most(at)+e.late {
		j.pending = append(j.pending, e)
	}
}

// Due judges what was too many a moment ago: by now the Deployment has been seen that
// asked for it, if there was one.
func (j *Judge) Due(at time.Time) (all []Violation) {
	for len(j.pending) > 0 && at.Sub(j.pending[0].at) >= moment {
		e := j.pending[0]
		j.pending = j.pending[1:]
		a := j.allowed[e.made]
		if a == nil || j.told[e.made] || e.pods <= a.most(at)+e.late {
			continue
		}
		j.told[e.made] = true
		all = append(all, Violation{Surge, fmt.Sprintf("%d Pods of creation %s at %s, where %d may be",
			e.pods, e.made, e.at.Format(time.TimeOnly), a.most(at)+e.late)})
	}
	return all
}
