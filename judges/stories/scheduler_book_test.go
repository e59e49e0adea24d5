package stories

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
	deployment "reconcile/chapters/02-deployment"
	rollingupdate "reconcile/chapters/03-rolling-update"
	statefulset "reconcile/chapters/04-statefulset"
	storage "reconcile/chapters/05-storage"
	daemonset "reconcile/chapters/06-daemonset"
	"reconcile/chapters/06-daemonset/scheduler"
	"reconcile/chapters/06-daemonset/scheduler/plugins"
)

// placement is a scheduler's answer to a world.
type placement struct {
	said    map[string]answer // by node, of those that were asked
	best    []string          // with the most points; the book's: the one chosen
	message string            // if no node took the Pod
	victims []string          // that were sent away, in the order of the letters
}

// answer is a node's verdict: no, or its points.
type answer struct {
	no     string
	points map[string]int64 // with their weight
}

// The book has one filter for all that volumes say, where
// Kubernetes has several.
var alsoVolumes = map[string]string{
	"VolumeRestrictions": "VolumeBinding", "VolumeZone": "VolumeBinding",
}

// refused returns a no in words. The order in which they are said is up to a
// map.
func refused(filter string, reasons []string, final bool) answer {
	if name, ok := alsoVolumes[filter]; ok {
		filter = name
	}
	no := filter + ": " + strings.Join(slices.Sorted(slices.Values(reasons)), "; ")
	if final {
		no += " (for good)"
	}
	return answer{no: no}
}

// placedKinds are those that the book's scheduler hears of, without the rules
// for their authors.
var placedKinds = controlloop.CoreKinds().
	With(deployment.Kinds()...).With(rollingupdate.Kinds()...).
	With(statefulset.Kinds()...).With(storage.Kinds()...).
	With(daemonset.Kinds()...).With(controlloop.Kind{
	GroupVersionKind: corev1.SchemeGroupVersion.WithKind("Namespace"),
	Resource:         "namespaces",
	New:              func() controlloop.Object { return &corev1.Namespace{} },
})

// byTheBook lets the book's scheduler place the Pod of a world.
func byTheBook(w *world) placement {
	p := placement{said: map[string]answer{}}
	store := controlloop.NewStore(placedKinds,
		controlloop.WithObjects(1000, w.objects()...),
		controlloop.OnWrite(func(write controlloop.Write) {
			if wasSentAway(write) {
				p.victims = append(p.victims, write.Object.GetName())
			}
		}))
	system := &controlloop.System{Client: store}
	sched := plugins.NewScheduler(system).Reconciler.(*scheduler.Scheduler)
	sched.OnDecision = func(d scheduler.Decision) {
		if d.Pod.UID == w.pod.UID {
			p.recordDecision(d)
		}
	}
	if _, err := system.Step(context.Background(), controlloop.InOrder); err != nil {
		panic(err)
	}
	slices.Sort(p.victims)
	return p
}

func (p *placement) recordDecision(d scheduler.Decision) {
	p.message = d.Message
	if d.Node != "" {
		p.best = []string{d.Node}
	}
	for _, said := range d.Said {
		if r := said.Refusal; r != nil {
			p.said[said.Node] = refused(r.Filter, r.Reasons, r.Final)
			continue
		}
		a := answer{points: map[string]int64{}}
		for _, points := range said.Points {
			a.points[points.Score] = points.Points * points.Weight
		}
		p.said[said.Node] = a
	}
}

// wasSentAway reports whether a write deletes a Pod, or has it begin to go.
func wasSentAway(w controlloop.Write) bool {
	pod, ok := w.Object.(*corev1.Pod)
	return ok && (w.Type == watch.Deleted || w.Old != nil &&
		w.Old.GetDeletionTimestamp() == nil && pod.DeletionTimestamp != nil)
}

// differs says in what two placements differ, or returns "" if in nothing that
// matters. A score that gives each node as much decides nothing.
func (p *placement) differs(theirs *placement) string {
	names := slices.Sorted(maps.Keys(p.said))
	if others := slices.Sorted(maps.Keys(theirs.said)); !slices.Equal(names, others) {
		return fmt.Sprintf("asked: %v, Kubernetes %v", names, others)
	}
	for _, name := range names {
		if a, b := p.said[name].no, theirs.said[name].no; a != b {
			return fmt.Sprintf("%s says %q, Kubernetes %q", name, a, b)
		}
	}
	for _, score := range plugins.Scores() {
		ours, known := p.pointsOf(score.Name)
		other, _ := theirs.pointsOf(score.Name)
		if known && (!areAlike(ours) || !areAlike(other)) && !maps.Equal(ours, other) {
			return fmt.Sprintf("%s: %v, Kubernetes %v", score.Name, ours, other)
		}
	}
	if p.message != theirs.message {
		return fmt.Sprintf("says\n  %s, Kubernetes\n  %s", p.message, theirs.message)
	}
	if !slices.Equal(p.victims, theirs.victims) {
		return fmt.Sprintf("sends away %v, Kubernetes %v", p.victims, theirs.victims)
	}
	if len(p.best) == 1 && !slices.Contains(theirs.best, p.best[0]) ||
		len(p.best) == 0 && len(theirs.best) > 0 {
		return fmt.Sprintf("chooses %v, Kubernetes one of %v", p.best, theirs.best)
	}
	return ""
}

// pointsOf returns the points of a score, by node.
func (p *placement) pointsOf(score string) (points map[string]int64, known bool) {
	points = map[string]int64{}
	for name, said := range p.said {
		if n, ok := said.points[score]; ok {
			points[name] = n
		}
	}
	return points, len(points) > 0
}

func areAlike(points map[string]int64) bool {
	all := slices.Collect(maps.Values(points))
	return len(all) == 0 || slices.Min(all) == slices.Max(all)
}
