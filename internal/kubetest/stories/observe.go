package stories

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	controlloop "reconcile/chapters/01-control-loop"
)

// These annotations of a ReplicaSet are written down.
const (
	revision = "deployment.kubernetes.io/revision"
	before   = "deployment.kubernetes.io/revision-history"
	desired  = "deployment.kubernetes.io/desired-replicas"
	most     = "deployment.kubernetes.io/max-replicas"
	cause    = "kubernetes.io/change-cause"
)

// seen says how many of the writes and events are written down, and what was
// known then.
type seen struct {
	writes, events int
	sets           map[types.UID]*appsv1.ReplicaSet
	names          map[string]string // of ReplicaSets, by those they have
}

// observe writes down the news: how many Pods each ReplicaSet wants, in order;
// then the changes of their annotations; then the events of the controllers.
func (s *story) observe() {
	was := maps.Clone(s.seen.sets)
	if was == nil {
		s.seen.sets = map[types.UID]*appsv1.ReplicaSet{}
		s.seen.names = map[string]string{}
	}
	writes, events := s.Writes(), s.Events()
	for _, w := range writes[s.seen.writes:] {
		if rs, ok := w.Object.(*appsv1.ReplicaSet); ok {
			s.replicaSet(w, rs)
		}
	}
	for _, rs := range slices.SortedFunc(maps.Values(s.seen.sets), byVersion) {
		s.notes(was[rs.UID], rs)
	}
	for _, event := range events[s.seen.events:] {
		fmt.Fprintln(&s.out, "  "+s.named(event))
	}
	s.seen.writes, s.seen.events = len(writes), len(events)
}

func byVersion(a, b *appsv1.ReplicaSet) int {
	return strings.Compare(
		versionOf(a.Spec.Template.Spec), versionOf(b.Spec.Template.Spec))
}

// replicaSet writes down that a ReplicaSet came, went, or got another size.
func (s *story) replicaSet(w controlloop.Write, rs *appsv1.ReplicaSet) {
	version := versionOf(rs.Spec.Template.Spec)
	s.seen.names[rs.Name] = theDeployment.Name + "-" + version
	was := s.seen.sets[rs.UID]
	switch {
	case w.Type == watch.Deleted:
		fmt.Fprintf(&s.out, "%s: deleted\n", version)
		delete(s.seen.sets, rs.UID)
		return
	case was == nil:
		fmt.Fprintf(&s.out, "%s: created, %d\n", version, *rs.Spec.Replicas)
	case *was.Spec.Replicas != *rs.Spec.Replicas:
		fmt.Fprintf(&s.out, "%s: %d -> %d\n",
			version, *was.Spec.Replicas, *rs.Spec.Replicas)
	}
	s.seen.sets[rs.UID] = rs
}

// notes writes down which of a ReplicaSet's annotations have changed.
func (s *story) notes(was, is *appsv1.ReplicaSet) {
	if was == nil {
		was = &appsv1.ReplicaSet{}
	}
	var changes []string
	for _, name := range []string{revision, before, desired, most, cause} {
		if value := is.Annotations[name]; value != was.Annotations[name] {
			_, short, _ := strings.Cut(name, "/")
			changes = append(changes, fmt.Sprintf("%s %s", short, value))
		}
	}
	if changes != nil {
		fmt.Fprintf(&s.out, "%s: %s\n", versionOf(is.Spec.Template.Spec),
			strings.Join(changes, ", "))
	}
}

// named returns text in which every ReplicaSet goes by its version.
func (s *story) named(text string) string {
	for name, other := range s.seen.names {
		text = strings.ReplaceAll(text, name, other)
	}
	return text
}

// printStatus prints the Deployment's status and conditions.
func (s *story) printStatus() {
	d := s.deployment()
	status := d.Status
	fmt.Fprintf(&s.out, "revision %s, generation observed: %t\n",
		d.Annotations[revision], status.ObservedGeneration == d.Generation)
	fmt.Fprintf(&s.out,
		"replicas %d, updated %d, ready %d, available %d, unavailable %d, terminating %d\n",
		status.Replicas, status.UpdatedReplicas, status.ReadyReplicas,
		status.AvailableReplicas, status.UnavailableReplicas,
		value(status.TerminatingReplicas))
	for _, c := range slices.SortedFunc(slices.Values(status.Conditions),
		func(a, b appsv1.DeploymentCondition) int {
			return strings.Compare(string(a.Type), string(b.Type))
		}) {
		fmt.Fprintf(&s.out, "%s=%s %s: %s\n",
			c.Type, c.Status, c.Reason, s.named(c.Message))
	}
}

func value(n *int32) int32 {
	if n == nil {
		return -1
	}
	return *n
}
