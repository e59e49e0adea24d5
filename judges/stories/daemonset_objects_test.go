package stories

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/kubectl/pkg/cmd/util"
	"k8s.io/kubectl/pkg/polymorphichelpers"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"

	controlloop "reconcile/chapters/01-control-loop"
	daemonset "reconcile/chapters/06-daemonset"
)

// daemonPlay is a play about one DaemonSet. It has no scheduler: the play puts
// each Pod on the node that it is meant for.
type daemonPlay struct {
	*play
	said string
	// alike says that in each step the nodes are named as they appear.
	alike bool
	// broken is an image that does not work.
	broken string
}

// nodeOf returns the node that a Pod is on, or is meant for.
func nodeOf(pod *corev1.Pod) string {
	name, err := daemonutil.GetTargetNodeName(pod)
	if err != nil {
		return ""
	}
	return name
}

// makeNodesAndSet creates some nodes and a set, and makes its Pods ready.
func (s *daemonPlay) makeNodesAndSet(nodes int, changes ...func(*appsv1.DaemonSet)) {
	s.t.Helper()
	for n := range nodes {
		s.create(machine(fmt.Sprintf("node-%d", n+1)))
	}
	s.say("%d nodes, and a set", nodes)
	s.create(daemonSet(changes...))
	s.rest()
}

// rest does the nodes' work, and looks.
func (s *daemonPlay) rest() {
	s.t.Helper()
	s.serve()
	s.printStatus()
}

// serve does the work of the scheduler and the nodes: a Pod that was told to go
// is gone, and then a new one comes to its node and is ready, unless its image
// is broken; one at a time, the one that has waited longest first.
func (s *daemonPlay) serve() {
	s.t.Helper()
	for range 200 {
		if pod := s.next(true); pod != nil {
			s.ended(pod.Name)
		} else if pod := s.next(false); pod != nil {
			s.arrive(pod.Name)
		} else {
			return
		}
	}
	s.t.Fatal("the Pods do not come to rest")
}

// next returns the next Pod that was told to go, or is new. Of several at one
// time, those on nodes with fewer Pods come first.
func (s *daemonPlay) next(leaves bool) *corev1.Pod {
	var all []*corev1.Pod
	crowd := map[string]int{}
	since := func(pod *corev1.Pod) *metav1.Time {
		if leaves {
			return pod.DeletionTimestamp
		}
		return &pod.CreationTimestamp
	}
	for _, pod := range s.pods() {
		crowd[nodeOf(pod)]++
		isNew := pod.Spec.NodeName == "" && pod.DeletionTimestamp == nil
		if leaves && pod.DeletionTimestamp != nil || !leaves && isNew {
			all = append(all, pod)
		}
	}
	slices.SortFunc(all, func(a, b *corev1.Pod) int {
		return cmp.Or(since(a).Compare(since(b).Time), cmp.Compare(crowd[nodeOf(a)], crowd[nodeOf(b)]),
			cmp.Compare(nodeOf(a), nodeOf(b)))
	})
	if len(all) == 0 {
		return nil
	}
	return all[0]
}

// arrive brings a Pod to its node, and makes it ready, unless its image is
// broken.
func (s *daemonPlay) arrive(name string) {
	s.t.Helper()
	pod := get[*corev1.Pod](s.play, controlloop.PodKind, name)
	s.bind(pod, nodeOf(pod))
	s.runs(name, corev1.PodRunning, pod.Spec.Containers[0].Image != s.broken)
}

// on returns the name of the Pod on a node, "" if there is none; of several,
// the oldest.
func (s *daemonPlay) on(node string) string {
	pods := slices.DeleteFunc(s.pods(), func(pod *corev1.Pod) bool { return nodeOf(pod) != node })
	if len(pods) == 0 {
		return ""
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	return pods[0].Name
}

// with returns the first node whose Pod is of an image.
func (s *daemonPlay) with(image string) string {
	var nodes []string
	for _, pod := range s.pods() {
		if pod.Spec.Containers[0].Image == image {
			nodes = append(nodes, nodeOf(pod))
		}
	}
	require.NotEmpty(s.t, nodes, "no Pod has %s", image)
	return slices.Min(nodes)
}

func (s *daemonPlay) edit(change func(*appsv1.DaemonSet)) {
	s.t.Helper()
	edit(s.play, daemonset.DaemonSetKind, "web", change)
}

func (s *daemonPlay) editNode(name string, changes ...func(*corev1.Node)) {
	s.t.Helper()
	edit(s.play, controlloop.NodeKind, name, func(node *corev1.Node) {
		for _, change := range changes {
			change(node)
		}
	})
}

func (s *daemonPlay) delete(name string) {
	s.t.Helper()
	s.remove(controlloop.PodKind, name)
}

// template edits the image.
func (s *daemonPlay) template(image string) {
	s.t.Helper()
	s.edit(func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.Containers[0].Image = image })
}

// image edits the image, and lets all come to rest.
func (s *daemonPlay) image(image string) {
	s.t.Helper()
	s.say("the image is %s", image)
	s.template(image)
	s.rest()
}

// undo does what kubectl rollout undo does; 0 is the revision before.
func (s *daemonPlay) undo(to int64) {
	s.t.Helper()
	s.say("undo, to revision %d", to)
	s.act(func(ctx context.Context) error {
		ds, err := s.c.client.AppsV1().DaemonSets(metav1.NamespaceDefault).Get(
			ctx, "web", metav1.GetOptions{})
		if err != nil {
			return err
		}
		rollbacker, err := polymorphichelpers.RollbackerFor(
			daemonset.DaemonSetKind.GroupKind(), s.c.client)
		if err != nil {
			return err
		}
		_, err = rollbacker.Rollback(ds, nil, to, util.DryRunNone)
		return err
	})
	s.rest()
}

// printStatus prints the set's status, if that is news, its revisions, and its
// Pods.
func (s *daemonPlay) printStatus() {
	ds := get[*appsv1.DaemonSet](s.play, daemonset.DaemonSetKind, "web")
	text := "there is no set\n"
	if ds != nil {
		st := ds.Status
		collisions := "none"
		if st.CollisionCount != nil {
			collisions = fmt.Sprint(*st.CollisionCount)
		}
		text = fmt.Sprintf("status: desired %d, current %d, misscheduled %d, ready %d, updated %d, available %d, unavailable %d, generation %d of %d, collisions %s\n",
			st.DesiredNumberScheduled, st.CurrentNumberScheduled, st.NumberMisscheduled, st.NumberReady,
			st.UpdatedNumberScheduled, st.NumberAvailable, st.NumberUnavailable,
			st.ObservedGeneration, ds.Generation, collisions)
	}
	for _, r := range s.history() {
		text += fmt.Sprintf("  %d: %s %s, the set's: %t\n", r.Revision, r.Name, s.imageIn(r),
			ds != nil && metav1.IsControlledBy(r, ds))
	}
	text += s.listing(ds)
	if text != s.said {
		fmt.Fprint(&s.out, text)
	}
	s.said = text
}

// listing returns all Pods, a line each: those that are alike stand together.
func (s *daemonPlay) listing(ds *appsv1.DaemonSet) (text string) {
	pods := s.pods()
	kind := func(pod *corev1.Pod) string {
		return fmt.Sprintf("%s %s, ready: %t, the set's: %t", pod.Spec.Containers[0].Image,
			pod.Status.Phase, controlloop.IsReady(pod), ds != nil && metav1.IsControlledBy(pod, ds))
	}
	slices.SortFunc(pods, func(a, b *corev1.Pod) int {
		return cmp.Or(cmp.Compare(kind(a), kind(b)), cmp.Compare(nodeOf(a), nodeOf(b)), cmp.Compare(a.Name, b.Name))
	})
	for _, pod := range pods {
		text += fmt.Sprintf("  %s %s\n", s.byNode(pod.Name), kind(pod))
	}
	return text
}

// history returns all revisions, by number.
func (s *daemonPlay) history() (all []*appsv1.ControllerRevision) {
	list, err := s.c.store.List(context.Background(), daemonset.RevisionKind, controlloop.ListOptions{})
	require.NoError(s.t, err)
	for _, obj := range list.Items {
		all = append(all, obj.(*appsv1.ControllerRevision))
	}
	slices.SortFunc(all, func(a, b *appsv1.ControllerRevision) int {
		return cmp.Or(cmp.Compare(a.Revision, b.Revision), cmp.Compare(a.Name, b.Name))
	})
	return all
}

// imageIn returns the image that a revision remembers.
func (s *daemonPlay) imageIn(r *appsv1.ControllerRevision) string {
	var ds appsv1.DaemonSet
	require.NoError(s.t, json.Unmarshal(r.Data.Raw, &ds))
	return ds.Spec.Template.Spec.Containers[0].Image
}

// daemonSet returns a set that is updated one node after the other.
func daemonSet(changes ...func(*appsv1.DaemonSet)) *appsv1.DaemonSet {
	labels := map[string]string{"app": "web"}
	ds := &appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: metav1.NamespaceDefault},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web:v1"}}},
			},
		},
	}
	for _, change := range changes {
		change(ds)
	}
	return ds
}

// machine returns a node.
func machine(name string, changes ...func(*corev1.Node)) *corev1.Node {
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{
		Name: name, Labels: map[string]string{corev1.LabelHostname: name},
	}}
	for _, change := range changes {
		change(node)
	}
	return node
}

func marked(key, value string) func(*corev1.Node) {
	return func(node *corev1.Node) { node.Labels[key] = value }
}

func unmarked(key string) func(*corev1.Node) {
	return func(node *corev1.Node) { delete(node.Labels, key) }
}

func tainted(key string, effect corev1.TaintEffect) func(*corev1.Node) {
	return func(node *corev1.Node) {
		node.Spec.Taints = append(node.Spec.Taints, corev1.Taint{Key: key, Effect: effect})
	}
}

func untainted(node *corev1.Node) { node.Spec.Taints = nil }

// bounds sets on how many nodes there may be a Pod more, or none.
func bounds(surge, unavailable string) func(*appsv1.DaemonSet) {
	return func(ds *appsv1.DaemonSet) {
		ds.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{
			Type: appsv1.RollingUpdateDaemonSetStrategyType,
			RollingUpdate: &appsv1.RollingUpdateDaemonSet{
				MaxSurge:       new(intstr.Parse(surge)),
				MaxUnavailable: new(intstr.Parse(unavailable)),
			},
		}
	}
}

func updatedOnDelete(ds *appsv1.DaemonSet) {
	ds.Spec.UpdateStrategy = appsv1.DaemonSetUpdateStrategy{Type: appsv1.OnDeleteDaemonSetStrategyType}
}

func patientDaemon(seconds int32) func(*appsv1.DaemonSet) {
	return func(ds *appsv1.DaemonSet) { ds.Spec.MinReadySeconds = seconds }
}

func remembering(n int32) func(*appsv1.DaemonSet) {
	return func(ds *appsv1.DaemonSet) { ds.Spec.RevisionHistoryLimit = &n }
}

func onlyWith(key, value string) func(*appsv1.DaemonSet) {
	return func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.NodeSelector = map[string]string{key: value} }
}
