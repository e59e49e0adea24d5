package chaos

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Cluster is what there is at the end.
type Cluster struct {
	Deployments []appsv1.Deployment
	ReplicaSets []appsv1.ReplicaSet
	Stateful    []appsv1.StatefulSet
	Daemons     []appsv1.DaemonSet
	Revisions   []appsv1.ControllerRevision
	Pods        []corev1.Pod
	Nodes       []string
}

// verdict is the end that is being judged.
type verdict struct {
	Cluster
	all []Violation
}

func (v *verdict) say(i Invariant, format string, args ...any) {
	v.all = append(v.all, Violation{i, fmt.Sprintf(format, args...)})
}

// Judge judges what there is at the end, by what was acknowledged.
func (c Cluster) Judge(l *Ledger) []Violation {
	v := &verdict{Cluster: c}
	v.owners()
	for n := range c.Deployments {
		v.deployment(&c.Deployments[n])
	}
	for n := range c.Stateful {
		v.stateful(&c.Stateful[n])
	}
	for n := range c.Daemons {
		v.daemon(&c.Daemons[n])
	}
	v.ledger(l)
	return v.all
}

// owners looks whether those are there to whom something belongs.
func (v *verdict) owners() {
	there := map[types.UID]string{"": "nobody"}
	var owned []metav1.Object
	for n := range v.Deployments {
		there[v.Deployments[n].UID] = Deployment
	}
	for n := range v.Stateful {
		there[v.Stateful[n].UID] = StatefulSet
	}
	for n := range v.Daemons {
		there[v.Daemons[n].UID] = DaemonSet
	}
	for n := range v.ReplicaSets {
		there[v.ReplicaSets[n].UID] = "ReplicaSet"
		owned = append(owned, &v.ReplicaSets[n])
	}
	for n := range v.Revisions {
		owned = append(owned, &v.Revisions[n])
	}
	for n := range v.Pods {
		owned = append(owned, &v.Pods[n])
	}
	for _, o := range owned {
		if by := owner(o); there[by.UID] != by.Kind {
			v.say(Living, "%s belongs to %s %s", o.GetName(), by.Kind, by.Name)
		}
	}
}

// podsOf returns the Pods of a controller, also those that are being deleted.
func (v *verdict) podsOf(uid types.UID) (pods []*corev1.Pod) {
	for n := range v.Pods {
		if owner(&v.Pods[n]).UID == uid {
			pods = append(pods, &v.Pods[n])
		}
	}
	return pods
}

// names names Pods, and says which of them are being deleted.
func names(pods []*corev1.Pod) string {
	var all []string
	for _, p := range pods {
		name := p.Name
		if p.DeletionTimestamp != nil {
			name += " (ends)"
		}
		all = append(all, name)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// pods judges what Pods are made of.
func (v *verdict) pods(pods []*corev1.Pod, image string) {
	for _, p := range pods {
		if is := p.Spec.Containers[0].Image; is != image {
			v.say(Images, "%s has %s and not %s", p.Name, is, image)
		}
		if p.DeletionTimestamp == nil && !slices.ContainsFunc(p.Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
		}) {
			v.say(Images, "%s on %q is not ready", p.Name, p.Spec.NodeName)
		}
	}
}

func (v *verdict) deployment(d *appsv1.Deployment) {
	var active []string
	var pods []*corev1.Pod
	for n := range v.ReplicaSets {
		set := &v.ReplicaSets[n]
		if owner(set).UID != d.UID {
			continue
		}
		if *set.Spec.Replicas > 0 {
			active = append(active, set.Name)
		}
		pods = append(pods, v.podsOf(set.UID)...)
	}
	want := *d.Spec.Replicas
	if len(active) != min(1, int(want)) || len(pods) != int(want) {
		v.say(OneActive, "%s wants %d Pods, its active ReplicaSets are %q, its Pods %s", d.Name, want, active, names(pods))
	}
	v.pods(pods, d.Spec.Template.Spec.Containers[0].Image)
	if s := d.Status; s.ObservedGeneration != d.Generation || s.Replicas != want || s.UpdatedReplicas != want || s.AvailableReplicas != want {
		v.say(Statuses, "Deployment %s, generation %d, wants %d: observed %d, %d, updated %d, available %d",
			d.Name, d.Generation, want, s.ObservedGeneration, s.Replicas, s.UpdatedReplicas, s.AvailableReplicas)
	}
}

func (v *verdict) stateful(set *appsv1.StatefulSet) {
	pods := v.podsOf(set.UID)
	want := *set.Spec.Replicas
	var expected []string
	for n := range want {
		expected = append(expected, fmt.Sprintf("%s-%d", set.Name, n))
	}
	if are := names(pods); are != strings.Join(expected, ", ") {
		v.say(Ordinals, "%s wants %d, its Pods are %s", set.Name, want, are)
	}
	v.pods(pods, set.Spec.Template.Spec.Containers[0].Image)
	if s := set.Status; s.ObservedGeneration != set.Generation || s.Replicas != want || s.ReadyReplicas != want || s.UpdatedReplicas != want {
		v.say(Statuses, "StatefulSet %s, generation %d, wants %d: observed %d, %d, ready %d, updated %d",
			set.Name, set.Generation, want, s.ObservedGeneration, s.Replicas, s.ReadyReplicas, s.UpdatedReplicas)
	}
}

func (v *verdict) daemon(set *appsv1.DaemonSet) {
	pods := v.podsOf(set.UID)
	var nodes []string
	for _, p := range pods {
		nodes = append(nodes, node(p))
	}
	slices.Sort(nodes)
	if expected := slices.Sorted(slices.Values(v.Nodes)); !slices.Equal(nodes, expected) {
		v.say(EachNode, "%s: the nodes are %v, its Pods are on %v: %s", set.Name, expected, nodes, names(pods))
	}
	v.pods(pods, set.Spec.Template.Spec.Containers[0].Image)
	want := int32(len(v.Nodes))
	if s := set.Status; s.ObservedGeneration != set.Generation || s.DesiredNumberScheduled != want || s.CurrentNumberScheduled != want ||
		s.NumberReady != want || s.UpdatedNumberScheduled != want || s.NumberMisscheduled != 0 {
		v.say(Statuses, "DaemonSet %s, generation %d, for %d nodes: observed %d, to be on %d, on %d, ready %d, updated %d, misscheduled %d",
			set.Name, set.Generation, want, s.ObservedGeneration, s.DesiredNumberScheduled, s.CurrentNumberScheduled,
			s.NumberReady, s.UpdatedNumberScheduled, s.NumberMisscheduled)
	}
}

// ledger looks whether each object is what it may be.
func (v *verdict) ledger(l *Ledger) {
	is := map[Object]State{}
	for n := range v.Deployments {
		is[Object{Deployment, v.Deployments[n].Name}] = StateOf(&v.Deployments[n])
	}
	for n := range v.Stateful {
		is[Object{StatefulSet, v.Stateful[n].Name}] = StateOf(&v.Stateful[n])
	}
	for n := range v.Daemons {
		is[Object{DaemonSet, v.Daemons[n].Name}] = StateOf(&v.Daemons[n])
	}
	for _, o := range Objects {
		may := l.May(o)
		if slices.Contains(may, is[o]) {
			continue
		}
		broken := Numbers
		if !slices.ContainsFunc(may, func(s State) bool { return s.Exists == is[o].Exists }) {
			broken = Kept
		}
		v.say(broken, "%s is: %s; it may be: %v", o, is[o], may)
	}
}

// StateOf returns what an object is to be, as a change that was acknowledged or a list
// has it. One that is being deleted is as good as gone.
func StateOf(obj metav1.Object) State {
	s := State{Exists: obj.GetDeletionTimestamp() == nil}
	if !s.Exists {
		return State{}
	}
	var template corev1.PodTemplateSpec
	switch o := obj.(type) {
	case *appsv1.Deployment:
		s.Replicas, template = *o.Spec.Replicas, o.Spec.Template
	case *appsv1.StatefulSet:
		s.Replicas, template = *o.Spec.Replicas, o.Spec.Template
	case *appsv1.DaemonSet:
		template = o.Spec.Template
	}
	s.Image = template.Spec.Containers[0].Image
	return s
}
