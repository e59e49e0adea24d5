package chaos

import (
	"fmt"
	"maps"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
)

// surge judges how many Pods Deployments have. What ReplicaSets are to have together is
// never more than allowed. Live Pods can be for as long as deletions take: a Deployment's
// controller counts what it has written and not what there is, Kubernetes' as well.
type surge struct {
	allowed map[string]*allowance // all by Made
	wanted  map[string]map[types.UID]int
	above   map[string]time.Time // since when there have been too many live ones
	told    map[string]bool
	pending []excess
}

func newSurge() surge {
	return surge{
		allowed: map[string]*allowance{}, wanted: map[string]map[types.UID]int{},
		above: map[string]time.Time{}, told: map[string]bool{},
	}
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
func (j *surge) Deployment(at time.Time, d *appsv1.Deployment) {
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

// excess is a number of Pods that ReplicaSets were to have, and that may be too large.
type excess struct {
	made   string
	wanted int
	at     time.Time
}

// Sets says that all ReplicaSets will be told anew.
func (j *surge) Sets() { clear(j.wanted) }

// ReplicaSet takes an event of a ReplicaSet.
func (j *surge) ReplicaSet(at time.Time, set *appsv1.ReplicaSet, deleted bool) {
	made := set.Spec.Template.Labels[Made]
	if j.wanted[made] == nil {
		j.wanted[made] = map[types.UID]int{}
	}
	if j.wanted[made][set.UID] = int(*set.Spec.Replicas); deleted {
		delete(j.wanted[made], set.UID)
	}
	e := excess{made: made, at: at}
	for _, n := range j.wanted[made] {
		e.wanted += n
	}
	if a := j.allowed[made]; a != nil && e.wanted > a.most(at) {
		j.pending = append(j.pending, e)
	}
}

// lives takes how many Pods live.
func (j *surge) lives(at time.Time, made string, n int) {
	a := j.allowed[made]
	if a == nil || n <= a.most(at) {
		delete(j.above, made)
	} else if j.above[made].IsZero() {
		j.above[made] = at
	}
}

// long is how long deletions may take, with a leader that is stopped meanwhile.
const long = time.Minute

// due judges what was too much a moment ago: by now the Deployment has been seen that
// asked for it, if there was one.
func (j *surge) due(at time.Time) (all []Violation) {
	say := func(made, format string, args ...any) {
		if !j.told[made] {
			j.told[made] = true
			all = append(all, Violation{Surge, fmt.Sprintf("creation %s: ", made) + fmt.Sprintf(format, args...)})
		}
	}
	for len(j.pending) > 0 && at.Sub(j.pending[0].at) >= moment {
		e := j.pending[0]
		j.pending = j.pending[1:]
		if most := j.allowed[e.made].most(at); e.wanted > most {
			say(e.made, "%d Pods were wanted at %s, where %d may be", e.wanted, e.at.Format(time.TimeOnly), most)
		}
	}
	for made, since := range j.above {
		if at.Sub(since) >= long {
			say(made, "since %s more Pods are alive than the %d that may be", since.Format(time.TimeOnly), j.allowed[made].most(at))
		}
	}
	return all
}
